"""The login page as a person uses it: in a browser, with a keyboard."""

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session
from devtools import Page
from gateway import Gateway
from http_server import HTTPServer
from provider import CLIENT, SCOPES, parameters


@pytest.fixture
def callback():
    """A native application's own server, on any port (RFC 8252 section 7.3)."""

    with HTTPServer(lambda _: (200, b"back in the application", "text/plain")) as server:
        yield f"{server.url}/callback"


def test_a_person_logs_in(issuer, callback, tmp_path):
    client = OAuth2Session(
        CLIENT, scope=SCOPES, redirect_uri=callback, code_challenge_method="S256", token_endpoint_auth_method="none"
    )
    verifier = "v" * 64
    address, state = client.create_authorization_url(
        f"{issuer}/authorize", code_verifier=verifier, login_hint="ann"
    )
    with Page() as page:
        page.open(address)
        assert page.evaluate("document.querySelector('h1').textContent") == "Log in to Postern"
        assert page.evaluate("document.querySelector('#username').value") == "ann"
        # The style sheet is loaded, and everything fits on a small screen.
        assert page.evaluate("getComputedStyle(document.querySelector('button')).backgroundColor") == "rgb(20, 87, 200)"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("[...document.querySelectorAll('input')].filter(i => i.type !== 'hidden')"
                        ".every(i => i.labels.length === 1)")
        picture = page.picture()
        assert picture.startswith(b"\x89PNG")
        (tmp_path / "login.png").write_bytes(picture)
        # With empty fields the browser itself does not submit the form.
        page.evaluate("document.querySelector('button').click()")
        assert page.evaluate("location.pathname").endswith("/authorize")
        page.evaluate("document.querySelector('#password').focus()")
        page.type("secret")
        page.evaluate("document.querySelector('button').click()")
        page.until(f"location.href.startsWith('{callback}')")
        back = page.evaluate("location.href")
    said = parameters(back)
    assert said["state"] == state and said["iss"] == issuer
    token = client.fetch_token(
        f"{issuer}/token", authorization_response=back, state=state, code_verifier=verifier
    )
    bearer = {"Authorization": f"Bearer {token['access_token']}"}
    assert requests.get(f"{issuer}/userinfo", headers=bearer, timeout=60).json()["sub"] == "ann"


CONTRAST = """
(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = numbers(colour).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return numbers(colour)[3] === 0 ? ground(element.parentElement) : colour;
  };
  const contrast = (one, other) => {
    const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  return [...document.querySelectorAll("h1, label, input:not([type=hidden]), button, .wrong")].map((element) => [
    element.textContent || element.id, contrast(getComputedStyle(element).color, ground(element)),
  ]);
})()
"""


def test_a_wrong_password_keeps_the_name_and_puts_the_keyboard_in_the_password(callback, tmp_path):
    password = tmp_path / "password"
    password.write_text("correct horse\n")
    client = OAuth2Session(CLIENT, scope=SCOPES, redirect_uri=callback, code_challenge_method="S256")
    with Gateway("--streem-oidc-user", f"ann={password}") as gateway, Page() as page:
        issuer = f"{gateway.http_url}/streem/oidc/postern"
        address, _ = client.create_authorization_url(f"{issuer}/authorize", code_verifier="v" * 64)
        page.open(address)
        # A browser gives the keyboard to a field with the first picture that it draws.
        page.until("document.activeElement.id === 'username'")
        page.type("ann")
        page.evaluate("document.querySelector('#password').focus()")
        page.type("wrong")
        page.evaluate("document.querySelector('button').click()")
        page.until("document.querySelector('.wrong') !== null && document.readyState === 'complete'")
        assert page.evaluate("document.querySelector('.wrong').textContent") == "Wrong name or password."
        assert page.evaluate("document.querySelector('#username').value") == "ann"
        assert page.evaluate("document.querySelector('#password').value") == ""
        page.until("document.activeElement.id === 'password'")
        for scheme in ("light", "dark"):
            page.look(500, 700, dark=scheme == "dark")
            contrasts = page.evaluate(CONTRAST)
            assert len(contrasts) >= 8
            assert all(contrast >= 4.5 for _, contrast in contrasts), contrasts
        # The keyboard is where the password goes: one types it, and is in.
        page.type("correct horse")
        page.evaluate("document.querySelector('button').click()")
        page.until(f"location.href.startsWith('{callback}')")
        assert "code" in parameters(page.evaluate("location.href"))

        page.open(f"{gateway.http_url}/streem/oidc/nobody/authorize?client_id=streem-sdk")
        assert page.evaluate("document.querySelector('h1').textContent") == "No such company"


def test_a_person_gives_up(issuer, callback):
    client = OAuth2Session(CLIENT, scope=SCOPES, redirect_uri=callback, code_challenge_method="S256")
    address, state = client.create_authorization_url(f"{issuer}/authorize", code_verifier="v" * 64)
    with Page() as page:
        page.open(address)
        page.evaluate("document.querySelector('button.quiet').click()")
        page.until(f"location.href.startsWith('{callback}')")
        said = parameters(page.evaluate("location.href"))
    assert said["error"] == "access_denied" and said["state"] == state

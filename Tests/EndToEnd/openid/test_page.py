"""The login page as a person has it: in a browser, with a keyboard."""

import http.server
import threading

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session
from devtools import browser
from provider import CLIENT, SCOPES, parameters


@pytest.fixture
def callback():
    """A native application's own server, on any port (RFC 8252 section 7.3)."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(b"back in the application")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/callback"
        server.shutdown()


def test_a_person_logs_in(issuer, callback, tmp_path):
    client = OAuth2Session(
        CLIENT, scope=SCOPES, redirect_uri=callback, code_challenge_method="S256", token_endpoint_auth_method="none"
    )
    verifier = "v" * 64
    address, state = client.create_authorization_url(
        f"{issuer}/authorize", code_verifier=verifier, login_hint="ann"
    )
    with browser() as page:
        page.go(address)
        assert page.run("document.querySelector('h1').textContent") == "Log in to Postern"
        assert page.run("document.querySelector('#username').value") == "ann"
        # The style sheet holds, and everything fits on a small screen.
        assert page.run("getComputedStyle(document.querySelector('button')).backgroundColor") == "rgb(20, 87, 200)"
        assert page.run("document.documentElement.scrollWidth <= innerWidth")
        assert page.run("[...document.querySelectorAll('input')].filter(i => i.type !== 'hidden')"
                        ".every(i => i.labels.length === 1)")
        picture = page.screenshot()
        assert picture.startswith(b"\x89PNG")
        (tmp_path / "login.png").write_bytes(picture)
        # Nothing typed yet: the browser itself keeps the form back.
        page.run("document.querySelector('button').click()")
        assert page.run("location.pathname").endswith("/authorize")
        page.type("#password", "secret")
        page.run("document.querySelector('button').click()")
        page.wait(f"location.href.startsWith('{callback}')")
        back = page.run("location.href")
    said = parameters(back)
    assert said["state"] == state and said["iss"] == issuer
    token = client.fetch_token(
        f"{issuer}/token", authorization_response=back, state=state, code_verifier=verifier
    )
    bearer = {"Authorization": f"Bearer {token['access_token']}"}
    assert requests.get(f"{issuer}/userinfo", headers=bearer, timeout=10).json()["sub"] == "ann"


def test_a_person_gives_up(issuer, callback):
    client = OAuth2Session(CLIENT, scope=SCOPES, redirect_uri=callback, code_challenge_method="S256")
    address, state = client.create_authorization_url(f"{issuer}/authorize", code_verifier="v" * 64)
    with browser() as page:
        page.go(address)
        page.run("document.querySelector('button.quiet').click()")
        page.wait(f"location.href.startsWith('{callback}')")
        said = parameters(page.run("location.href"))
    assert said["error"] == "access_denied" and said["state"] == state

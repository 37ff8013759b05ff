"""The OpenID provider by hand. Every exchange is checked against the document; real clients are in ../openid/."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

from builders import node
from streem import Client, api

FOLDER = "/streem/oidc/postern"
REDIRECT = "pro.streem.sdk.StreemNow:/oauth-callback"
LOGGED_OUT = "pro.streem.sdk.StreemNow:/logoutcallback"
# RFC 7636 appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
AUTHORIZATION = {
    "client_id": "streem-sdk",
    "redirect_uri": REDIRECT,
    "response_type": "code",
    "scope": "openid profile offline_access",
    "state": "s",
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    "code_challenge_method": "S256",
}


def post(gateway, path, bearer=None, **form):
    headers = {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"}
    return api(gateway, "POST", FOLDER + path, raw=urlencode(form).encode(), headers=headers, token=bearer)


def ask(gateway, **changes):
    return api(gateway, "GET", f"{FOLDER}/authorize?{urlencode(AUTHORIZATION | changes)}")


def enter(gateway, page):
    name = re.search(r'name="request" value="([^"]+)"', page.body.decode())[1]
    back = post(gateway, "/login", request=name, username="ann", password="x")
    assert back.status == 303
    return parse_qs(urlsplit(back.headers["location"]).query)["code"][0]


def redeem(gateway, code):
    return post(
        gateway,
        "/token",
        grant_type="authorization_code",
        client_id="streem-sdk",
        redirect_uri=REDIRECT,
        code=code,
        code_verifier=VERIFIER,
    )


def test_everything_is_as_documented(gateway):
    for path in (
        f"{FOLDER}/.well-known/openid-configuration",
        f"{FOLDER}/.well-known/oauth-authorization-server",
        f"/.well-known/oauth-authorization-server{FOLDER}",
    ):
        assert api(gateway, "GET", path).json["issuer"] == gateway.http_url + FOLDER
    assert api(gateway, "GET", f"{FOLDER}/jwks").status == 200
    assert api(gateway, "GET", "/streem/v1/companies/postern/openid-configuration").status == 200
    assert api(gateway, "GET", "/streem/v1/companies/nobody/openid-configuration").status == 404

    assert post(gateway, "/authorize", **AUTHORIZATION).status == 200
    tokens = redeem(gateway, enter(gateway, ask(gateway))).json
    access = tokens["access_token"]
    assert api(gateway, "GET", f"{FOLDER}/userinfo", token=access).json["sub"] == "ann"
    assert post(gateway, "/userinfo", bearer=access).json["sub"] == "ann"
    assert post(gateway, "/userinfo", access_token=access).json["sub"] == "ann"
    exchanged = api(gateway, "POST", "/streem/v1/streem-token", {"companyCode": "postern"}, token=access)
    with Client(gateway) as client:
        assert client.identify(exchanged.json["streemToken"])["user"]["externalUserId"] == "ann"

    end = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": LOGGED_OUT}
    assert api(gateway, "GET", f"{FOLDER}/logout?{urlencode(end)}").headers["location"] == LOGGED_OUT
    assert post(gateway, "/logout", **end).status == 303
    assert api(gateway, "POST", "/streem/v1/streem-token", token=access).status == 401
    assert post(gateway, "/revoke", client_id="streem-sdk", token=access).status == 200


def test_an_invitations_link_leads_to_a_page(gateway):
    page = api(gateway, "GET", "/i/123456789")
    assert page.status == 200 and "123-456-789" in page.body.decode()
    assert api(gateway, "GET", "/i/12").status == 404


def test_a_calls_link_leads_to_a_page(gateway, key):
    with Client(gateway) as ann, Client(gateway) as carl:
        pro = ann.identify(node(key, "ann"), isExpert=True)["user"]["streemUserId"]
        carl.identify(node(key, "carl"))
        ringing = carl.ask("startRemoteStream", remoteUserId=pro, role="LOCAL_CUSTOMER")
        page = api(gateway, "GET", f"/mycalls/{ringing['room']['roomSid']}")
        assert page.status == 200 and "It rings." in page.body.decode()
    assert api(gateway, "GET", "/mycalls/rm_none").status == 404


def test_a_shared_calls_address_leads_to_its_details(gateway, key):
    with Client(gateway) as ann, Client(gateway) as carl:
        pro = ann.identify(node(key, "ann"), isExpert=True)["user"]["streemUserId"]
        carl.identify(node(key, "carl"))
        ringing = carl.ask("startRemoteStream", remoteUserId=pro, role="LOCAL_CUSTOMER", referenceId="case <7>")
        made = api(gateway, "POST", f"/v1/rooms/{ringing['room']['roomSid']}/share-tokens", key=key)
        assert made.status == 201
        path = made.json["share_token"]["share_url"].removeprefix("https://postern.streem.us")
        page = api(gateway, "GET", path)
        assert page.status == 200 and "Reference: case &lt;7&gt;" in page.body.decode()
        assert api(gateway, "GET", path.replace("shr_", "shr_x")).status == 404


def test_refusals_are_as_documented(gateway):
    assert ask(gateway, code_challenge_method="plain").status == 303
    assert ask(gateway, redirect_uri="https://evil.example/").status == 400
    assert post(gateway, "/login", request="guessed").status == 400
    assert redeem(gateway, "guessed").json["error"] == "invalid_grant"
    assert post(gateway, "/token", grant_type="authorization_code").json["error"] == "invalid_client"
    assert api(gateway, "GET", f"{FOLDER}/userinfo").status == 401
    assert api(gateway, "GET", f"{FOLDER}/logout?id_token_hint=x").status == 400
    assert post(gateway, "/revoke", token="x").status == 401
    code = enter(gateway, ask(gateway))
    access = redeem(gateway, code).json["access_token"]
    unknown = api(gateway, "POST", "/streem/v1/streem-token", {"companyCode": "nobody"}, token=access)
    assert (unknown.status, unknown.json["reason"]) == (404, "company_unknown")
    assert post(gateway, "/userinfo", bearer=access, access_token=access).status == 400
    page = api(gateway, "GET", f"/streem/oidc/nobody/authorize?{urlencode(AUTHORIZATION)}")
    assert page.status == 404 and page.headers["content-type"].startswith("text/html")
    assert redeem(gateway, code).status == 400
    assert api(gateway, "GET", f"{FOLDER}/userinfo", token=access).status == 401

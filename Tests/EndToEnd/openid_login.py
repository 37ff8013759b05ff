"""A person's login at a gateway's OpenID provider, and the refresh tokens that it gives."""

import base64
import hashlib
import re
import urllib.parse

from clients import request

FOLDER = "/streem/oidc/postern"
CLIENT = {"client_id": "streem-sdk"}
REDIRECT = {"redirect_uri": "http://127.0.0.1:49321/callback"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


def post(gateway, path, **form):
    text = urllib.parse.urlencode(form).encode()
    return request(gateway.http_url, "POST", FOLDER + path, raw=text, headers=FORM, document=None)


def log_in(gateway, user="martin"):
    """The tokens of a user who has just logged in."""
    query = urllib.parse.urlencode({
        **CLIENT, **REDIRECT, "response_type": "code", "scope": "openid offline_access", "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    })
    page = request(gateway.http_url, "GET", f"{FOLDER}/authorize?{query}", document=None)
    seal = re.search(rb'name="request" value="([^"]+)"', page.body)[1].decode()
    back = post(gateway, "/login", request=seal, username=user, password="secret").headers["location"]
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(back).query)["code"][0]
    return post(gateway, "/token", **CLIENT, **REDIRECT, grant_type="authorization_code", code=code, code_verifier=VERIFIER)


def refresh(gateway, token):
    return post(gateway, "/token", **CLIENT, grant_type="refresh_token", refresh_token=token)


def is_good(gateway, access_token):
    return request(gateway.http_url, "GET", f"{FOLDER}/userinfo", token=access_token, document=None).status == 200

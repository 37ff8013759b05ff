"""Users, clients and the address, as an operator configures them."""

import os
import re
import subprocess

import pytest
import requests
from gateway import Gateway
from provider import SCOPES, parameters


def test_users_clients_and_the_address_are_settings(tmp_path):
    password = tmp_path / "password"
    password.write_text("correct horse\n")
    flags = ["--streem-oidc-user", f"ann={password}", "--streem-oidc-client", "app=com.example.app:/back"]
    with Gateway(*flags, "--streem-oidc-address", "https://id.example/x") as gateway:
        folder = f"{gateway.http_url}/streem/oidc/postern"
        metadata = requests.get(f"{folder}/.well-known/openid-configuration", timeout=60).json()
        assert metadata["token_endpoint"] == "https://id.example/x/streem/oidc/postern/token"
        query = {
            "client_id": "app",
            "redirect_uri": "com.example.app:/back",
            "response_type": "code",
            "scope": SCOPES,
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            "code_challenge_method": "S256",
        }
        page = requests.get(f"{folder}/authorize", params=query, timeout=60)
        form = {"request": re.search(r'name="request" value="([^"]+)"', page.text)[1], "username": "ann"}
        wrong = requests.post(f"{folder}/login", data=form | {"password": "wrong"}, timeout=60)
        assert wrong.status_code == 403 and "Wrong name or password" in wrong.text
        right = form | {"password": "correct horse"}
        back = requests.post(f"{folder}/login", data=right, timeout=60, allow_redirects=False)
        assert "code" in parameters(back.headers["Location"])
        standard = requests.get(f"{folder}/authorize", params=query | {"client_id": "streem-sdk"}, timeout=60)
        assert standard.status_code == 400


@pytest.mark.parametrize(
    "flags",
    [
        ["--streem-oidc-client", "app"],
        ["--streem-oidc-client", "app=/relative"],
        ["--streem-oidc-client", "app=https://a.example/#x"],
        ["--streem-oidc-client", "app=javascript:alert(1)"],
        ["--streem-oidc-logout", "nobody=https://a.example/"],
        ["--streem-oidc-signing", "streem-sdk=HS256"],
        ["--streem-oidc-signing", "nobody=ES256"],
        ["--streem-oidc-tries", "0"],
        ["--streem-oidc-logins", "0"],
        ["--streem-oidc-user", "ann"],
        ["--streem-oidc-user", "ann=/nonexistent"],
        ["--streem-oidc-address", "id.example"],
        ["--streem-oidc-address", "https://id.example/"],
        ["--streem-oidc-access-life", "0s"],
        ["--streem-oidc-reuse-window", "-1s"],
    ],
)
def test_a_wrong_setting_is_reported_at_the_start(flags):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *flags]
    end = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert end.returncode == 2 and end.stderr, end.stderr

"""Authlib while the OpenID provider is too busy for it."""

import pytest
import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from http_faults import broken
from provider import CLIENT, REDIRECT, SCOPES, log_in


def test_its_session_that_renews_by_itself_fails_the_request_of_the_application():
    with broken("--streem-oidc-access-life", "40s") as gateway:
        issuer = f"{gateway.http_url}/streem/oidc/postern"
        metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=60).json()
        client = OAuth2Session(
            CLIENT, scope=SCOPES, redirect_uri=REDIRECT, code_challenge_method="S256",
            token_endpoint_auth_method="none", token_endpoint=metadata["token_endpoint"])
        verifier = generate_token(48)
        address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
        client.fetch_token(
            metadata["token_endpoint"], authorization_response=log_in(address), state=state, code_verifier=verifier)
        # Before each request it renews a token that expires within a minute, and does not try that again.
        gateway.fail("answer_with", route=metadata["token_endpoint"].removeprefix(gateway.http_url), status=503,
                     retry_after_s=1, times=1)
        with pytest.raises(requests.HTTPError) as refusal:
            client.get(metadata["userinfo_endpoint"])
        assert refusal.value.response.status_code == 503
        route = "POST /streem/oidc/{company}/token"
        assert [status for status, _ in gateway.answers(route)] == [200, 503], gateway.answers(route)
        # Its refresh token is still valid.
        assert client.get(metadata["userinfo_endpoint"]).json()["sub"] == "ann"

"""Authlib as a strict client: discovery, the ID token's signature, nonce, state, issuer."""

import time

import pytest
import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from gateway import Gateway
from joserfc.jwk import KeySet
from provider import CLIENT, LOGGED_OUT, REDIRECT, SCOPES, exchange, identify, log_in, parameters


@pytest.fixture
def metadata(issuer):
    metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=60).json()
    assert metadata["issuer"] == issuer
    return metadata


def session():
    return OAuth2Session(
        CLIENT,
        scope=SCOPES,
        redirect_uri=REDIRECT,
        code_challenge_method="S256",
        token_endpoint_auth_method="none",
    )


def claims(metadata, token, algorithm="RS256"):
    assert algorithm in metadata["id_token_signing_alg_values_supported"]
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=60).json())
    decoded = jwt.decode(token["id_token"], keys, algorithms=[algorithm])
    assert decoded.header["kid"] in [key.kid for key in keys.keys]
    registry = jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": metadata["issuer"]},
        aud={"essential": True, "value": CLIENT},
        exp={"essential": True},
        iat={"essential": True},
        sub={"essential": True},
    )
    registry.validate(decoded.claims)
    return decoded.claims


def log_in_with(client, metadata, **options):
    verifier = generate_token(48)
    address, state = client.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, **options
    )
    back = log_in(address)
    assert parameters(back)["state"] == state and parameters(back)["iss"] == metadata["issuer"]
    return back, state, verifier


def test_a_whole_life(gateway, metadata):
    client = session()
    back, state, verifier = log_in_with(client, metadata, nonce="n-of-authlib")
    first = client.fetch_token(
        metadata["token_endpoint"], authorization_response=back, state=state, code_verifier=verifier
    )
    said = claims(metadata, first)
    assert said["nonce"] == "n-of-authlib" and said["sub"] == "ann" and said["name"]
    assert said["custom:streem_company_code"] == "postern"
    assert client.get(metadata["userinfo_endpoint"], timeout=60).json()["sub"] == "ann"

    time.sleep(1)
    second = client.refresh_token(metadata["token_endpoint"])
    assert claims(metadata, second)["iat"] > said["iat"]
    answer = exchange(gateway, second["access_token"], companyCode="postern")
    assert answer.status_code == 200 and answer.headers["Cache-Control"] == "no-store"
    identified = identify(gateway, answer.json()["streemToken"])
    assert identified["type"] == "identified" and identified["user"]["externalUserId"] == "ann"

    query = {"id_token_hint": second["id_token"], "post_logout_redirect_uri": LOGGED_OUT, "state": "bye"}
    out = requests.get(metadata["end_session_endpoint"], params=query, timeout=60, allow_redirects=False)
    assert out.status_code == 303 and out.headers["Location"] == f"{LOGGED_OUT}?state=bye"
    assert exchange(gateway, second["access_token"]).status_code == 401
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.refresh_token(metadata["token_endpoint"], second["refresh_token"])


def test_es256_for_a_client_that_was_registered_with_it():
    with Gateway("--streem-oidc-signing", "streem-sdk=ES256") as gateway:
        address = f"{gateway.http_url}/streem/oidc/postern/.well-known/openid-configuration"
        metadata = requests.get(address, timeout=60).json()
        client = session()
        back, state, verifier = log_in_with(client, metadata, nonce="n")
        token = client.fetch_token(
            metadata["token_endpoint"], authorization_response=back, state=state, code_verifier=verifier
        )
        assert claims(metadata, token, "ES256")["nonce"] == "n"


def test_userinfo_by_a_posted_form_and_another_clients_token():
    redirect = "com.example.app:/back"
    with Gateway("--streem-oidc-client", f"{CLIENT}={REDIRECT}", "--streem-oidc-client", f"app={redirect}") as gateway:
        issuer = f"{gateway.http_url}/streem/oidc/postern"
        metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=60).json()
        client = session()
        back, state, verifier = log_in_with(client, metadata)
        token = client.fetch_token(
            metadata["token_endpoint"], authorization_response=back, state=state, code_verifier=verifier
        )
        form = {"access_token": token["access_token"]}
        for _ in range(2):
            assert requests.post(metadata["userinfo_endpoint"], data=form, timeout=60).json()["sub"] == "ann"
            order = {"token": token["access_token"], "client_id": "app"}
            refused = requests.post(metadata["revocation_endpoint"], data=order, timeout=60)
            assert refused.status_code == 400 and refused.json()["error"] == "invalid_grant"
        order["client_id"] = CLIENT
        assert requests.post(metadata["revocation_endpoint"], data=order, timeout=60).status_code == 200
        assert requests.post(metadata["userinfo_endpoint"], data=form, timeout=60).status_code == 401


def test_a_wrong_verifier_and_a_code_used_twice(metadata):
    client = session()
    back, state, _ = log_in_with(client, metadata)
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.fetch_token(
            metadata["token_endpoint"], authorization_response=back, state=state, code_verifier="x" * 43
        )
    back, state, verifier = log_in_with(client, metadata)
    redeem = lambda: session().fetch_token(
        metadata["token_endpoint"], authorization_response=back, state=state, code_verifier=verifier
    )
    token = redeem()
    with pytest.raises(OAuthError, match="invalid_grant"):
        redeem()
    bearer = {"Authorization": f"Bearer {token['access_token']}"}
    assert requests.get(metadata["userinfo_endpoint"], headers=bearer, timeout=60).status_code == 401


def test_a_refresh_token_used_twice_ends_both(metadata):
    client = session()
    back, state, verifier = log_in_with(client, metadata)
    endpoint = metadata["token_endpoint"]
    first = client.fetch_token(endpoint, authorization_response=back, state=state, code_verifier=verifier)
    second = client.refresh_token(endpoint, first["refresh_token"])
    for token in (first, second):
        with pytest.raises(OAuthError, match="invalid_grant"):
            session().refresh_token(endpoint, token["refresh_token"])


def test_revocation(metadata):
    client = session()
    back, state, verifier = log_in_with(client, metadata)
    endpoint = metadata["token_endpoint"]
    token = client.fetch_token(endpoint, authorization_response=back, state=state, code_verifier=verifier)
    answer = client.revoke_token(
        metadata["revocation_endpoint"], token["refresh_token"], token_type_hint="refresh_token"
    )
    assert answer.status_code == 200
    with pytest.raises(OAuthError, match="invalid_grant"):
        session().refresh_token(endpoint, token["refresh_token"])


def test_plain_and_unknown_addresses(metadata):
    plain = OAuth2Session(CLIENT, scope=SCOPES, redirect_uri=REDIRECT)
    address, _ = plain.create_authorization_url(
        metadata["authorization_endpoint"], code_challenge="x" * 43, code_challenge_method="plain"
    )
    answer = requests.get(address, timeout=60, allow_redirects=False)
    assert parameters(answer.headers["Location"])["error"] == "invalid_request"
    other = OAuth2Session(CLIENT, scope=SCOPES, redirect_uri="https://evil.example/callback")
    address, _ = other.create_authorization_url(metadata["authorization_endpoint"])
    answer = requests.get(address, timeout=60, allow_redirects=False)
    assert answer.status_code == 400 and "Location" not in answer.headers

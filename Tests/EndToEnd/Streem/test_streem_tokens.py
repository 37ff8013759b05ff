"""Tokens of the vendor's builders, in every shape, are judged right."""

import base64
import json
import time

import pytest
from builders import BUILDERS, Key, go, node
from jwcrypto import jwk
from streem import Client, api, make_key

PROFILE = {"name": "Ann", "email": "ann@example.com", "picture": "https://a.example/p.png"}


@pytest.mark.parametrize("builder", BUILDERS.values(), ids=BUILDERS)
@pytest.mark.parametrize("profile", [None, PROFILE], ids=["bare", "profile"])
def test_every_builder_is_understood(gateway, key, builder, profile):
    user = f"{builder.__name__}-{bool(profile)}"
    with Client(gateway) as client:
        answer = client.identify(builder(key, user, profile), isExpert=False, appId="app")
        assert answer["type"] == "identified", answer
        assert answer["user"]["externalUserId"] == user
        assert answer["user"]["name"] == (profile and "Ann")
        assert answer["user"]["avatarUrl"] == (profile and PROFILE["picture"])
        assert answer["sessionExpiresAt"] == pytest.approx(time.time() + 4 * 3600, abs=30)


@pytest.mark.parametrize("builder", BUILDERS.values(), ids=BUILDERS)
def test_a_reservation_admits_its_user(gateway, key, builder):
    path = "/v1/companies/postern/groups/support/reservations"
    made = api(gateway, "POST", path, {"externalUserId": "carl", "reserve_for_seconds": 600}, key=key)
    sid = made.json["group_reservation"]["reservation_sid"]
    for user, kind in [("carl", "identified"), ("dora", "identifyFailed")]:
        with Client(gateway) as client:
            assert client.identify(builder(key, user, reservation=sid))["type"] == kind


def test_a_companys_webhooks_are_kept_and_their_secrets_told_once(gateway, key):
    made = api(gateway, "POST", "/v1/webhooks", {"url": "https://a.example/hook", "label": "one"}, key=key)
    assert made.status == 201, made.body
    path = f"/v1/webhooks/{made.json['webhook']['sid']}"
    signing = api(gateway, "POST", f"{path}/signing-keys", {"shared_secret": "s3cret", "label": "first"}, key=key)
    assert signing.status == 201 and signing.json["signing_key"]["shared_secret"] == "s3cret"
    (listed,) = api(gateway, "GET", "/v1/webhooks", key=key).json["webhooks"]
    assert [kept["label"] for kept in listed["signing_keys"]] == ["first"] and "s3cret" not in str(listed)
    assert api(gateway, "DELETE", path, key=key).status == 200
    assert api(gateway, "GET", "/v1/webhooks", key=key).json["webhooks"] == []
    assert api(gateway, "POST", f"{path}/signing-keys", {"shared_secret": "s", "label": "late"}, key=key).status == 404


def test_the_thumbprint_is_jwcryptos(gateway, key):
    listed = {k["id"]: k["thumbprint"] for k in api_keys(gateway)}
    assert listed[key.id] == key.jwk.thumbprint()
    assert set(key.members) == {"kty", "crv", "use", "alg", "x", "y", "d"}


def api_keys(gateway):
    from clients import control

    return control(gateway, "GET", "/streem/api-keys").json["api_keys"]


def refused(key):
    """(what is wrong, the token, the reason, the status over HTTP)"""
    claims = key.claims("ann")
    stranger = jwk.JWK.generate(kty="EC", crv="P-256")
    good = node(key, "ann")
    head, body, signature = good.split(".")
    encode = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    secret = jwk.JWK(kty="oct", k=base64.urlsafe_b64encode(key.jwk.export_to_pem()).rstrip(b"=").decode())
    now = int(time.time())
    return [
        ("two segments", f"{head}.{body}", "malformed", 400),
        ("padding", good + "=", "malformed", 400),
        ("an unknown crit", f'{encode({"alg": "ES256", "crit": ["x"], "x": 1})}.{body}.{signature}', "malformed", 400),
        ("alg none", f'{encode({"alg": "none"})}.{body}.', "alg_not_allowed", 401),
        ("HS256 with the public key", key.sign(claims, {"alg": "HS256"}, secret), "alg_not_allowed", 401),
        ("another issuer", key.sign(claims | {"iss": "https://example.com"}), "iss_invalid", 401),
        ("an unknown key", key.sign(claims | {"iss": "streem:api:api_0"}), "unknown_api_key", 401),
        ("another kid", key.sign(claims, {"alg": "ES256", "kid": "x"}), "kid_mismatch", 401),
        ("a stranger's key", key.sign(claims, key=stranger), "bad_signature", 401),
        (
            "a key in the header",
            key.sign(claims, {"alg": "ES256", "jwk": json.loads(stranger.export_public())}, stranger),
            "bad_signature",
            401,
        ),
        ("an all-zero signature", f"{head}.{body}.{'A' * 86}", "bad_signature", 401),
        ("another environment", key.sign(claims | {"aud": "https://api.dev.streem.cloud/"}), "aud_invalid", 401),
        ("no user", key.sign(claims | {"sub": ""}), "claim_missing", 401),
        ("a user that is a number", key.sign(claims | {"sub": 7}), "claim_invalid", 401),
        ("a date that is text", key.sign(claims | {"exp": "soon"}), "claim_invalid", 401),
        ("issued in the future", key.sign(claims | {"iat": now + 120}), "not_yet_valid", 401),
        ("a duration given to the Go builder", go(key, "ann", exp_ms=600_000), "expired", 401),
        ("too late", node(key, "ann", now=now - 600), "expired", 401),
        ("a session that is over", node(key, "ann", session_life=-1), "session_expired", 401),
        ("an unknown reservation", node(key, "ann", reservation="rsv_0"), "reservation_invalid", 401),
    ]


@pytest.mark.parametrize("index", range(20))
def test_every_refusal_has_its_reason(gateway, key, index):
    what, token, reason, status = refused(key)[index]
    with Client(gateway) as client:
        answer = client.identify(token)
        assert (answer["type"], answer["reason"]) == ("identifyFailed", reason), what
        assert client.until_closed()[0] == 4500
    answer = api(gateway, "POST", "/streem/v1/identify", {"token": token})
    assert (answer.status, answer.json["reason"]) == (status, reason), what


def test_der_signatures_are_refused(gateway, key):
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    head, body, signature = node(key, "ann").split(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    der = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    token = f"{head}.{body}.{base64.urlsafe_b64encode(der).rstrip(b'=').decode()}"
    with Client(gateway) as client:
        assert client.identify(token)["reason"] == "bad_signature"


def test_a_key_from_a_file_at_start_is_the_same_key(key, tmp_path):
    from gateway import Gateway

    file = tmp_path / "key"
    file.write_text(key.secret + "\n")
    with Gateway("--streem-api-key", f"api_mine={file}", "--streem-company", "acme") as gateway:
        mine = Key({"id": "api_mine", "secret": key.secret, "environment": "prod-us"})
        with Client(gateway) as client:
            answer = client.identify(node(mine, "ann"), companyCode="acme")
            assert answer["user"]["companyCode"] == "acme"
        assert api(gateway, "GET", "/v1/companies/acme", key=mine).status == 200


def test_a_revoked_key_admits_no_user(gateway):
    from clients import control

    key = make_key(gateway)
    with Client(gateway) as client:
        client.identify(node(key, "rita"))
        assert control(gateway, "POST", f"/streem/api-keys/{key.id}/revoke").json == {"sessions": 1}
        assert client.receive("tokenRequired")["reason"] == "revoked"
        assert client.ask("token", token=node(key, "rita"))["reason"] == "unknown_api_key"

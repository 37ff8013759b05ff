"""Logout tokens and security event tokens that joserfc and jwcrypto sign, in turn."""

import itertools
import json
import time
import urllib.parse
import uuid

from cryptography.hazmat.primitives import serialization
from joserfc import jws as joserfc_jws
from joserfc.jwk import ECKey, OKPKey, RSAKey
from jwcrypto import jwk as jwcrypto_jwk
from jwcrypto import jws as jwcrypto_jws

from clients import request

LOGOUT = "http://schemas.openid.net/event/backchannel-logout"
CAEP = "https://schemas.openid.net/secevent/caep/event-type/"
SSF = "https://schemas.openid.net/secevent/ssf/event-type/"


def pem(key):
    return key.private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def by_joserfc(key, header, claims):
    kind = {"RS256": RSAKey, "ES256": ECKey, "EdDSA": OKPKey}[key.algorithm]
    return joserfc_jws.serialize_compact(
        header, json.dumps(claims).encode(), kind.import_key(pem(key)), algorithms=[header["alg"]])


def by_jwcrypto(key, header, claims):
    signer = jwcrypto_jws.JWS(json.dumps(claims).encode())
    signer.add_signature(jwcrypto_jwk.JWK.from_pem(pem(key)), None, json.dumps(header), None)
    return signer.serialize(compact=True)


SIGNERS = [by_joserfc, by_jwcrypto]
in_turn = itertools.cycle(SIGNERS)


def sign(key, claims, typ, sign=None, **header):
    header = {"alg": key.algorithm, "kid": key.kid, **({} if typ is None else {"typ": typ}), **header}
    return (sign or next(in_turn))(key, header, {name: value for name, value in claims.items() if value is not None})


def logout(issuer, key=None, typ="logout+jwt", sign_by=None, **claims):
    """A logout token for the client `chat`; a claim of None is left out."""
    now = int(time.time())
    usual = {"iss": issuer.named, "aud": "chat", "iat": now, "exp": now + 900, "jti": uuid.uuid4().hex, "events": {LOGOUT: {}}}
    return sign(key or issuer.keys[0], {**usual, **claims}, typ, sign_by)


def event(issuer, kind, subject=None, body=None, key=None, typ="secevent+jwt", sign_by=None, **claims):
    """A security event about ann, or another subject, for the gateway."""
    usual = {
        "iss": issuer.named, "aud": "https://gw.example/events", "iat": int(time.time()), "jti": uuid.uuid4().hex,
        "sub_id": subject, "events": {kind if ":" in kind else CAEP + kind: body or {}},
    }
    return sign(key or issuer.keys[0], {**usual, **claims}, typ, sign_by)


def named(issuer, user="ann"):
    """The subject with that name at an issuer."""
    return {"format": "iss_sub", "iss": issuer.named, "sub": user}


def post(gateway, path, text, media_type, token=None):
    # A remote provider calls the gateway by its public name.
    headers = {"Content-Type": media_type, "Host": "gw.example"}
    return request(gateway.http_url, "POST", path, raw=text.encode(), headers=headers, token=token)


def form(gateway, path, **fields):
    return post(gateway, path, urllib.parse.urlencode(fields), "application/x-www-form-urlencoded")


def send_logout(gateway, token):
    return form(gateway, "/identity/logout", logout_token=token)


def send_event(gateway, token, secret=None):
    return post(gateway, "/identity/events", token, "application/secevent+jwt", secret)

"""Streem Tokens as each of the vendor's builders emits them, made with jwcrypto: header and claim shapes, and what their
arguments come to, follow the builders; no code of theirs is here."""

import base64
import json
import time

from jwcrypto import jwk, jws


class Key:
    """An API key as its owner has it: an id, and base64 of a private JWK."""

    def __init__(self, api_key):
        self.id, self.secret = api_key["id"], api_key["secret"]
        self.environment = api_key["environment"]
        text = base64.b64decode(self.secret + "=" * (-len(self.secret) % 4), validate=True)
        self.members = json.loads(text)
        self.jwk = jwk.JWK(**self.members)

    def sign(self, claims, header=None, key=None):
        """The token of these claims and this header, as they are."""
        token = jws.JWS(claims if isinstance(claims, str) else json.dumps(claims))
        token.add_signature(key or self.jwk, None, json.dumps(header or {"alg": "ES256"}), None)
        return token.serialize(compact=True)

    def claims(self, user, now=None, token_life=300, session_life=4 * 3600):
        now = int(now or time.time())
        return {
            "iss": f"streem:api:{self.id}",
            "sub": user,
            "aud": f"https://api.{self.environment}.streem.cloud/",
            "iat": now,
            "exp": now + token_life,
            "session_exp": now + session_life,
        }

    @property
    def with_kid(self):
        return {"alg": "ES256", "kid": self.jwk.thumbprint()}


def node(key, user, profile=None, reservation=None, **times):
    """`kid`; what is absent is left out; lifetimes are durations."""
    claims = key.claims(user, **times) | {k: v for k, v in (profile or {}).items() if v is not None}
    if reservation:
        claims["streem:reservation_sid"] = reservation
    return key.sign(claims, key.with_kid)


def go(key, user, profile=None, reservation=None, exp_ms=None, session_exp_ms=None):
    """`kid`; what is absent is an empty string, always there; lifetimes are absolute times in milliseconds, whatever
    their names say."""
    claims = key.claims(user)
    claims |= {name: (profile or {}).get(name) or "" for name in ("name", "email", "picture")}
    claims["streem:reservation_sid"] = reservation or ""
    if exp_ms is not None:
        claims["exp"] = exp_ms // 1000
    if session_exp_ms is not None:
        claims["session_exp"] = session_exp_ms // 1000
    return key.sign(claims, key.with_kid)


def ruby(key, user, profile=None, reservation=None, **times):
    """No `kid`; an absent profile is null, an absent reservation is left out."""
    claims = key.claims(user, **times)
    claims |= {name: (profile or {}).get(name) for name in ("name", "email", "picture")}
    if reservation:
        claims["streem:reservation_sid"] = reservation
    return key.sign(claims)


def jvm(key, user, profile=None, reservation=None, **times):
    """No `kid`; what is absent is left out."""
    claims = key.claims(user, **times) | {k: v for k, v in (profile or {}).items() if v is not None}
    if reservation:
        claims["streem:reservation_sid"] = reservation
    return key.sign(claims)


BUILDERS = {"node": node, "go": go, "ruby": ruby, "jvm": jvm}

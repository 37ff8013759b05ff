"""Streem Tokens as each of the vendor's builders makes them. The header, the claims and the effect of arguments follow the
builders; none of their code is here. jwcrypto signs."""

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
        """Returns a token of exactly these claims and this header."""
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
    """Has `kid`; leaves out absent values; lifetimes are durations."""
    claims = key.claims(user, **times) | {k: v for k, v in (profile or {}).items() if v is not None}
    if reservation:
        claims["streem:reservation_sid"] = reservation
    return key.sign(claims, key.with_kid)


def go(key, user, profile=None, reservation=None, exp_ms=None, session_exp_ms=None):
    """Has `kid`; writes an absent value as an empty string; lifetimes are absolute times in milliseconds, whatever their names
    are."""
    claims = key.claims(user)
    claims |= {name: (profile or {}).get(name) or "" for name in ("name", "email", "picture")}
    claims["streem:reservation_sid"] = reservation or ""
    if exp_ms is not None:
        claims["exp"] = exp_ms // 1000
    if session_exp_ms is not None:
        claims["session_exp"] = session_exp_ms // 1000
    return key.sign(claims, key.with_kid)


def ruby(key, user, profile=None, reservation=None, **times):
    """Has no `kid`; writes an absent profile as null, and leaves out an absent reservation."""
    claims = key.claims(user, **times)
    claims |= {name: (profile or {}).get(name) for name in ("name", "email", "picture")}
    if reservation:
        claims["streem:reservation_sid"] = reservation
    return key.sign(claims)


def jvm(key, user, profile=None, reservation=None, **times):
    """Has no `kid`; leaves out absent values."""
    claims = key.claims(user, **times) | {k: v for k, v in (profile or {}).items() if v is not None}
    if reservation:
        claims["streem:reservation_sid"] = reservation
    return key.sign(claims)


BUILDERS = {"node": node, "go": go, "ruby": ruby, "jvm": jvm}

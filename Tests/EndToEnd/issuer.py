"""The application's own login, as a small server on loopback: keys with ETag and Cache-Control, a discovery document, and every
bad answer that a test needs. `cryptography` makes the keys and PyJWT signs, not Postern."""

import http.server
import json
import threading
import time
import uuid

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

KINDS = {
    "RS256": (lambda: rsa.generate_private_key(65537, 2048), jwt.algorithms.RSAAlgorithm),
    "ES256": (lambda: ec.generate_private_key(ec.SECP256R1()), jwt.algorithms.ECAlgorithm),
    "EdDSA": (ed25519.Ed25519PrivateKey.generate, jwt.algorithms.OKPAlgorithm),
}


class Key:
    """A key pair, and its public half as a JWK."""

    def __init__(self, kid, algorithm="ES256"):
        make, kind = KINDS[algorithm]
        self.kid, self.algorithm = kid, algorithm
        self.private = make()
        self.jwk = {**kind.to_jwk(self.private.public_key(), as_dict=True), "kid": kid, "use": "sig", "alg": algorithm}

    @property
    def public_pem(self):
        return self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


class Issuer:
    """Serves `keys` until the `with` block ends. `answer`, if set, is called with the handler instead of the usual answer."""

    def __init__(self, *keys, port=0, max_age=None):
        self.keys, self.max_age, self.answer = list(keys) or [Key("k1")], max_age, None
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests.append((self.path, dict(self.headers), time.monotonic()))
                try:
                    (outer.answer or outer.usual)(self)
                except OSError:
                    # The gateway has closed the connection.
                    pass

            def say(self, status, body=b"", **fields):
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.jwks_url = f"{self.url}/keys"
        self.named = self.url

    @property
    def key_set(self):
        return json.dumps({"keys": [key if isinstance(key, dict) else key.jwk for key in self.keys]}).encode()

    def usual(self, handler):
        if handler.path.endswith("/.well-known/openid-configuration"):
            document = {"issuer": self.named, "jwks_uri": self.jwks_url}
            return handler.say(200, json.dumps(document).encode(), Content_Type="application/json")
        if handler.path != "/keys":
            return handler.say(404)
        body = self.key_set
        tag = f'"{hash(body):x}"'
        fields = {} if self.max_age is None else {"Cache_Control": f"max-age={self.max_age}"}
        if handler.headers.get("If-None-Match") == tag:
            return handler.say(304, ETag=tag, **fields)
        return handler.say(200, body, ETag=tag, Content_Type="application/json", **fields)

    def token(self, key=None, user="ann", life=3600, kid=..., typ="JWT", **claims):
        key = key or self.keys[0]
        now = time.time()
        claims = {"sub": user, "iss": self.named, "aud": "realtime", "iat": now, "jti": uuid.uuid4().hex, **claims}
        if life is not None:
            claims["exp"] = now + life
        headers = {"typ": typ} | ({} if kid is None else {"kid": key.kid if kid is ... else kid})
        return jwt.encode({name: value for name, value in claims.items() if value is not None}, key.private,
                          algorithm=key.algorithm, headers=headers)

    @property
    def asked(self):
        """How many requests for the keys came."""
        return sum(path == "/keys" for path, _, _ in self.requests)

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

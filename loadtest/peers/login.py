"""An application's own login, with Python's standard library and OpenSSL only: an RSA key, its public half as a JWK set on loopback, and
tokens that it signs (RS256, RFC 7515)."""

import ctypes
import ctypes.util
import http.server
import json
import subprocess
import threading
import time

from refreshes import base64url

LOGOUT = "http://schemas.openid.net/event/backchannel-logout"


class Signer:
    """A private key in OpenSSL's own library: its command would take a process for each signature."""

    def __init__(self, pem):
        self.library = ctypes.CDLL(ctypes.util.find_library("crypto"))
        for name in ("BIO_new_mem_buf", "PEM_read_bio_PrivateKey", "EVP_MD_CTX_new", "EVP_sha256"):
            getattr(self.library, name).restype = ctypes.c_void_p
        source = ctypes.c_void_p(self.library.BIO_new_mem_buf(pem, len(pem)))
        self.key = ctypes.c_void_p(self.library.PEM_read_bio_PrivateKey(source, None, None, None))
        self.hash = ctypes.c_void_p(self.library.EVP_sha256())

    def sign(self, data):
        context = ctypes.c_void_p(self.library.EVP_MD_CTX_new())
        size, out = ctypes.c_size_t(512), ctypes.create_string_buffer(512)
        done = self.library.EVP_DigestSignInit(context, None, self.hash, None, self.key) == 1 \
            and self.library.EVP_DigestSign(context, out, ctypes.byref(size), data, ctypes.c_size_t(len(data))) == 1
        self.library.EVP_MD_CTX_free(context)
        if not done:
            raise RuntimeError("OpenSSL does not sign")
        return out.raw[:size.value]


class Login:
    """Serves its keys until `close()`. `requests` are the times at which they were asked for."""

    def __init__(self, folder, audience="realtime"):
        self.audience, self.requests, self.kept = audience, [], {}
        # How the keys are answered: the pause before it in seconds, and the status.
        self.pause, self.status = 0, 200
        self.key_file = folder / "login.pem"
        subprocess.run(["openssl", "genrsa", "-out", self.key_file, "2048"], check=True, capture_output=True)
        self.public_key_file = folder / "login-public.pem"
        subprocess.run(["openssl", "rsa", "-in", self.key_file, "-pubout", "-out", self.public_key_file], check=True, capture_output=True)
        said = subprocess.run(["openssl", "rsa", "-in", self.key_file, "-noout", "-modulus"], check=True, capture_output=True, text=True)
        modulus = base64url(bytes.fromhex(said.stdout.strip().partition("=")[2])).decode()
        self.signer = Signer(self.key_file.read_bytes())
        key = {"kty": "RSA", "kid": "k1", "use": "sig", "alg": "RS256", "e": "AQAB", "n": modulus}
        body = json.dumps({"keys": [key]}).encode()
        login = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                login.requests.append(time.monotonic())
                time.sleep(login.pause)
                self.send_response(login.status)
                if login.status == 429:
                    self.send_header("Retry-After", "5")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    @property
    def flags(self):
        return ["--jwks", f"{self.url}/keys", "--issuer", self.url, "--audience", self.audience]

    def identity_file(self, folder):
        """A file for `--identity` with this login and another issuer, whose tokens the clients do not use."""
        file, keys = folder / "identity.json", self.url + "/keys"
        issuers = [{"name": "login", "issuer": self.url, "jwks": keys, "audience": [self.audience]},
                   {"name": "partner", "issuer": self.url + "/partner", "jwks": keys, "audience": [self.audience], "user_prefix": "partner:"}]
        file.write_text(json.dumps({"identity": 1, "issuers": issuers}))
        return file

    def sign(self, claims, typ="JWT", kid="k1"):
        head = base64url(json.dumps({"alg": "RS256", "typ": typ, "kid": kid}).encode()) + b"." + base64url(json.dumps(claims).encode())
        return (head + b"." + base64url(self.signer.sign(head))).decode()

    def token(self, user, **claims):
        now = int(time.time())
        return self.sign({"sub": user, "iss": self.url, "aud": self.audience, "iat": now, "exp": now + 86_400, **claims})

    def mint(self, user):
        """Two tokens of the user by turns: signing takes longer here than verifying there, and a refresh needs another token."""
        if user not in self.kept:
            self.kept[user] = [self.token(user, jti=f"{user}-{number}") for number in range(2)]
        self.kept[user].reverse()
        return self.kept[user][0]

    def logout(self, client, number, **named):
        """A logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4)."""
        now = int(time.time())
        claims = {"iss": self.url, "aud": client, "iat": now, "exp": now + 120, "jti": f"logout-{number}", "events": {LOGOUT: {}}, **named}
        return self.sign(claims, "logout+jwt")

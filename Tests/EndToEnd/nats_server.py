"""nats-server of Debian in operator mode, with an endpoint that gives its users bearer JWTs."""

import base64
import hashlib
import json
import os
import subprocess
import time
from collections import Counter
from pathlib import Path

import nkeys
from http_server import HTTPServer

SERVER = "/usr/sbin/nats-server"


class Key:
    """A key of NATS' own form."""

    def __init__(self, prefix):
        seed = nkeys.encode_seed(os.urandom(32), prefix)
        self.pair = nkeys.from_seed(bytearray(seed))
        self.public = self.pair.public_key.decode()

    def sign(self, subject, name, kind, claims, end=None):
        """A JWT of NATS' about `subject`, signed with this key."""

        def part(value):
            return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

        now = int(time.time())
        payload = {"iat": now, "iss": self.public, "sub": subject, "name": name}
        payload["nats"] = {"type": kind, "version": 2, **claims}
        if end:
            payload["exp"] = end
        digest = hashlib.new("sha512_256", json.dumps(payload).encode()).digest()
        payload["jti"] = base64.b32encode(digest).rstrip(b"=").decode()
        text = part({"typ": "JWT", "alg": "ed25519-nkey"}) + "." + part(payload)
        return text + "." + base64.urlsafe_b64encode(self.pair.sign(text.encode())).rstrip(b"=").decode()


class Nats:
    def __init__(self, folder):
        self.log = Counter()
        self.operator = Key(nkeys.PREFIX_BYTE_OPERATOR)
        self.account = Key(nkeys.PREFIX_BYTE_ACCOUNT)
        limits = {name: -1 for name in ("subs", "data", "payload", "conn", "leaf", "imports", "exports")}
        account = self.operator.sign(
            self.account.public, "app", "account", {"limits": {**limits, "wildcards": True}, "default_permissions": {"pub": {}, "sub": {}}}
        )
        self.file = Path(folder) / "nats.log"
        self.ports = Path(folder)
        config = Path(folder) / "nats.conf"
        config.write_text(f"""
            listen: "127.0.0.1:-1"
            websocket {{ listen: "127.0.0.1:-1", no_tls: true }}
            operator: "{self.operator.sign(self.operator.public, "house", "operator", {})}"
            resolver: MEMORY
            resolver_preload: {{ {self.account.public}: "{account}" }}
            debug: true
            log_file: "{self.file}"
            ports_file_dir: "{folder}"
        """)
        self.config = config

    def token(self, user, end):
        pair = Key(nkeys.PREFIX_BYTE_USER)
        everything = {"pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, "bearer_token": True}
        return self.account.sign(pair.public, user, "user", everything, end)

    def give(self, request):
        """A token, as the request wants it."""
        wish = json.loads(request.body)
        self.log["tokens"] += 1
        end = round(wish.get("expires_at") or time.time() + wish["life_s"])
        return json.dumps({"token": self.token(wish["user_id"], end)}).encode()

    def __enter__(self):
        self.process = subprocess.Popen([SERVER, "-c", str(self.config)])
        self.endpoint = HTTPServer(self.give, keeps=True)
        self.endpoint.__enter__()
        self.provider = self.endpoint.url
        deadline = time.monotonic() + 60
        while not (found := list(self.ports.glob("*.ports"))) or not found[0].read_text():
            assert time.monotonic() < deadline and self.process.poll() is None, "nats-server did not start"
            time.sleep(0.05)
        self.url = json.loads(found[0].read_text())["websocket"][0]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        self.endpoint.__exit__()

    def await_count(self, words, count):
        """Waits for so many lines with the words. The server tells a client first, and logs it then."""
        deadline = time.monotonic() + 60
        while (found := self.count(words)) < count:
            assert time.monotonic() < deadline, found
            time.sleep(0.02)
        assert found == count

    def count(self, words):
        """In how many lines of the server's log the words stand."""
        return sum(words in line for line in self.file.read_text().splitlines())

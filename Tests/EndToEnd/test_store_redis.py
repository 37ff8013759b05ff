"""The guarantees of `--store redis://HOST`, with Debian's own Redis server."""

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from clients import Client, Refused, api, control
from gateway import Gateway, halt, token
from ports import free_port
from test_store import hammered, opaque

PASSWORD = "a password of the end-to-end tests 0123456789"
PREFIX = "{postern}"


class Redis:
    """A Redis server on a free loopback port with its files in a folder; ends with the `with` block."""

    def __init__(self, folder, *flags, appendonly="yes", appendfsync="everysec"):
        self.folder, self.port = Path(folder), free_port()
        self.program = shutil.which("redis-server") or shutil.which("valkey-server")
        assert self.program, "there is no redis-server; install it: Deploy/install-packages tests"
        self.flags = [
            "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder), "--save", "",
            "--appendonly", appendonly, "--appendfsync", appendfsync, *flags,
        ]  # fmt: skip
        self.process = None

    def start(self):
        log = (self.folder / "redis.log").open("ab")
        self.process = subprocess.Popen([self.program, *self.flags], stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while True:
            try:
                answer = self.ask("PING")
                if b"PONG" in answer or b"NOAUTH" in answer:
                    return self
            except OSError:
                pass
            assert time.monotonic() < deadline and self.process.poll() is None, (self.folder / "redis.log").read_text()
            time.sleep(0.02)

    def ask(self, *words):
        """The beginning of the reply to one command."""
        command = b"*%d\r\n" % len(words)
        for word in words:
            word = word if isinstance(word, bytes) else word.encode()
            command += b"$%d\r\n%s\r\n" % (len(word), word)
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(command)
            return connection.recv(1 << 20)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def redis(tmp_path):
    with Redis(tmp_path) as server:
        yield server


@pytest.fixture
def durable(tmp_path):
    """A server that answers a commit when the disk has it. With `everysec` a slow disk makes it answer before."""
    with Redis(tmp_path, appendfsync="always") as server:
        yield server


def flags_of(redis):
    return ["--store", f"redis://127.0.0.1:{redis.port}"]


def start(flags):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_accepted_changes_are_there_after_the_gateway_is_killed(redis):
    revoked = token("ann", iat=time.time() - 5)
    with Gateway(*flags_of(redis)) as gateway:
        assert control(gateway, "POST", "/revocations", {"user_id": "ann"}).status == 200
    accepted = hammered(flags_of(redis))
    # The next process waits until the killed one's lease has ended.
    with Gateway(*flags_of(redis)) as gateway:
        for access in accepted[:20] + accepted[-80:]:
            with Client(gateway, token=access) as client:
                assert client.receive("connected")["user_id"].startswith("user")
        with pytest.raises(Refused, match="token_revoked"):
            Client(gateway, token=revoked).__enter__()


def test_a_killed_and_restarted_server_closes_no_connection_and_keeps_everything(durable):
    with Gateway(*flags_of(durable)) as gateway:
        access = opaque(gateway, "ann")
        with Client(gateway, token=access) as ann, Client(gateway, token=token("bob")) as bob:
            ann.receive("connected"), bob.receive("connected")
            durable.kill()
            refused = api(gateway, "POST", "/v1/tokens", {"user_id": "cat", "format": "opaque"})
            assert (refused.status, refused.error["number"]) == (503, 503004) and refused.headers["retry-after"]
            assert control(gateway, "GET", "/ready").status == 503
            gateway.logged("event=store_failed")
            durable.start()
            deadline = time.monotonic() + 60
            while control(gateway, "GET", "/ready").status != 200:
                assert time.monotonic() < deadline, gateway.log()
                time.sleep(0.1)
            assert len(control(gateway, "GET", "/sessions").json["sessions"]) == 2
            with Client(gateway, token=access) as again:
                assert again.receive("connected")["user_id"] == "ann"
            opaque(gateway, "cat")


def test_a_second_process_on_a_prefix_is_refused_and_one_on_another_is_not(redis):
    begun = time.monotonic()
    with Gateway(*flags_of(redis)) as gateway:
        usual = time.monotonic() - begun
        outcome = start(flags_of(redis))
        assert outcome.returncode == 1 and not outcome.stdout
        assert f"process {gateway.process.pid} on " in outcome.stderr and "--store-prefix" in outcome.stderr
        with Gateway(*flags_of(redis), "--store-prefix", "{other}") as other:
            opaque(other, "ann")
        opaque(gateway, "ann")
    # An orderly end gives the lease back at once.
    begun = time.monotonic()
    with Gateway(*flags_of(redis)):
        assert time.monotonic() - begun < 8 + 5 * usual


def test_a_process_without_its_lease_admits_no_client_and_commits_nothing(redis):
    with Gateway(*flags_of(redis)) as gateway:
        with Client(gateway, token=token("ann")) as ann:
            ann.receive("connected")
            redis.ask("HINCRBY", f"{PREFIX}:meta", "boot", "1")
            redis.ask("SET", f"{PREFIX}:lease", "2 another process")
            assert api(gateway, "POST", "/v1/tokens", {"user_id": "ann", "format": "opaque"}).status == 503
            gateway.logged("it accepts no more clients")
            with pytest.raises(Exception, match="503"):
                Client(gateway, token=token("bob")).__enter__()
            assert control(gateway, "GET", "/ready").status == 503
            assert control(gateway, "GET", "/health").status == 200
        assert redis.ask("GET", f"{PREFIX}:lease").endswith(b"another process\r\n")


def test_a_wrong_password_is_refused_and_no_password_is_shown(tmp_path):
    secret, wrong = tmp_path / "password", tmp_path / "wrong"
    secret.write_text(PASSWORD + "\n")
    wrong.write_text("wrong " + PASSWORD)
    with Redis(tmp_path, "--requirepass", PASSWORD) as redis:
        for more, words in (([], "wants a password"), (["--store-password-file", str(wrong)], "refuses the user")):
            outcome = start([*flags_of(redis), *more])
            assert outcome.returncode == 3 and words in outcome.stderr and PASSWORD not in outcome.stderr
        with Gateway(*flags_of(redis), "--store-password-file", str(secret)) as gateway:
            opaque(gateway, "ann")
            arguments = Path(f"/proc/{gateway.process.pid}/cmdline").read_text()
            environment = Path(f"/proc/{gateway.process.pid}/environ").read_text()
            assert PASSWORD not in arguments + environment + gateway.log()
    assert start(["--store", f"redis://user:{PASSWORD}@127.0.0.1:1"]).returncode == 2


def test_a_user_of_the_documented_access_list_is_enough(tmp_path):
    page = (Path(__file__).parents[2] / "Docs/redis.md").read_text()
    rules = next(line for line in page.splitlines() if line.strip().startswith("user postern ")).strip()
    rules = [rule.replace(">PASSWORD", f">{PASSWORD}") for rule in rules.split()[1:]]
    secret = tmp_path / "password"
    secret.write_text(PASSWORD)
    with Redis(tmp_path) as redis:
        assert redis.ask("ACL", "SETUSER", *rules) == b"+OK\r\n"
        assert redis.ask("ACL", "SETUSER", "default", "off") == b"+OK\r\n"
        flags = [*flags_of(redis), "--store-user", "postern", "--store-password-file", str(secret)]
        with Gateway(*flags) as gateway:
            access = opaque(gateway, "ann")
            with Client(gateway, token=access) as ann:
                ann.receive("connected")
                assert api(gateway, "POST", "/v1/calls/default/kept", {}, token("ann")).status == 201
            assert "NOPERM" not in gateway.log()


@pytest.mark.parametrize(
    "flags, words",
    [
        (["--appendonly", "no"], "set appendonly yes"),
        (["--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru"], "set maxmemory-policy noeviction"),
    ],
)
def test_a_server_that_loses_rows_is_refused(tmp_path, flags, words):
    with Redis(tmp_path, *flags) as redis:
        outcome = start(flags_of(redis))
        assert outcome.returncode == 3 and not outcome.stdout and words in outcome.stderr


def test_a_server_without_a_disk_is_accepted_where_that_is_asked_for(tmp_path):
    with Redis(tmp_path, appendonly="no") as redis:
        with Gateway(*flags_of(redis), "--store-allow-volatile") as gateway:
            opaque(gateway, "ann")


@pytest.mark.parametrize("garbage", [b"", b"\xff" * 40, b"\0" * 19, b"\0" * 7 + b"\1" + b"\0" * 11 + b"[" * 5_000])
def test_garbage_in_a_row_ends_no_process(redis, garbage):
    with Gateway(*flags_of(redis)) as gateway:
        access = opaque(gateway, "ann")
        keys = redis.ask("HKEYS", f"{PREFIX}:rows")
        path = next(line for line in keys.split(b"\r\n") if line.startswith(b"plain.token\0"))
        redis.ask("HSET", f"{PREFIX}:rows", path, garbage)
        with Client(gateway, token=access) as ann, pytest.raises(Exception):
            ann.receive("connected")
        gateway.logged("the row plain.token")
        assert opaque(gateway, "bob") and control(gateway, "GET", "/health").status == 200


def test_a_server_that_speaks_nonsense_ends_no_process(tmp_path):
    # Each connection gets another kind of nonsense.
    lies = [b"*2147483647\r\n", b"$-7\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"*1\r\n" * 50, b"\0" * 100, b"+OK\r\n" * 1000]
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(16)

        def lie():
            for number in range(1000):
                try:
                    connection, _ = listening.accept()
                    with connection:
                        connection.sendall(lies[number % len(lies)])
                        connection.recv(1)
                except OSError:
                    return

        threading.Thread(target=lie, daemon=True).start()
        for _ in lies:
            outcome = start(["--store", f"redis://127.0.0.1:{listening.getsockname()[1]}"])
            assert outcome.returncode in (1, 3) and "Redis at 127.0.0.1" in outcome.stderr


def test_a_server_off_loopback_needs_tls_or_consent():
    outcome = start(["--store", "redis://192.0.2.1"])
    assert outcome.returncode == 2 and "--store-allow-plain" in outcome.stderr


def certificate(folder, name="", tls_of_clients="no"):
    """Makes a self-signed certificate of localhost, and returns the flags with which a Redis server uses it."""
    command = [
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}key.pem", "-out", f"{name}cert.pem",
        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    files = {"cert": f"{name}cert.pem", "key": f"{name}key.pem", "ca-cert": f"{name}cert.pem"}
    flags = [word for flag, file in files.items() for word in (f"--tls-{flag}-file", str(folder / file))]
    return [*flags, "--tls-auth-clients", tls_of_clients]


@contextmanager
def redis_with_tls(folder, tls_of_clients="no"):
    """A Redis server with a plain and a TLS port; yields the URL of the latter."""
    port = free_port()
    with Redis(folder, "--tls-port", str(port), *certificate(folder, tls_of_clients=tls_of_clients)):
        yield f"rediss://localhost:{port}"


def test_tls_verifies_the_name_and_the_authority(tmp_path):
    with redis_with_tls(tmp_path) as url:
        assert "signed" in start(["--store", url]).stderr
        flags = ["--store", url, "--store-ca", str(tmp_path / "cert.pem")]
        with Gateway(*flags) as gateway:
            access = opaque(gateway, "ann")
            with Client(gateway, token=access) as ann:
                ann.receive("connected")
        flags[1] = url.replace("localhost", "127.0.0.1")
        assert "another name" in start(flags).stderr


def test_a_server_that_asks_for_a_certificate_gets_the_gateways_own(tmp_path):
    with redis_with_tls(tmp_path, tls_of_clients="yes") as url:
        certificate(tmp_path, "other-")
        flags = ["--store", url, "--store-ca", str(tmp_path / "cert.pem")]
        own = ["--store-certificate", str(tmp_path / "cert.pem"), "--store-key", str(tmp_path / "key.pem")]
        with Gateway(*flags, *own) as gateway:
            access = opaque(gateway, "ann")
            with Client(gateway, token=access) as ann:
                ann.receive("connected")
        others = [word.replace(str(tmp_path) + "/", str(tmp_path) + "/other-") for word in own]
        for refused in (flags, flags + others):
            outcome = start(refused)
            # OpenSSL may see the server's reset before its reason.
            told = {3: "the server wants a certificate of its clients", 1: "does it want a certificate of its clients?"}
            assert told.get(outcome.returncode, "?") in outcome.stderr, (outcome.returncode, outcome.stderr)
        outcome = start([*flags, *own[:2], "--store-key", others[3]])
        assert outcome.returncode == 3 and "is not the key of the certificate" in outcome.stderr


def test_a_commit_waits_for_as_many_replicas_as_are_asked_for(tmp_path):
    (tmp_path / "replica").mkdir()
    with Redis(tmp_path) as redis:
        alone = start([*flags_of(redis), "--store-replicas", "1"])
        assert alone.returncode == 3 and "it has 0 replicas" in alone.stderr, alone.stderr
        with Redis(tmp_path / "replica", "--replicaof", "127.0.0.1", str(redis.port)) as replica:
            deadline = time.monotonic() + 60
            while b"state=online" not in redis.ask("INFO", "replication"):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            with Gateway(*flags_of(redis), "--store-replicas", "1") as gateway:
                access = opaque(gateway, "ann")
                keys = [sorted(server.ask("KEYS", "*").split()) for server in (redis, replica)]
                assert keys[0] == keys[1] and len(keys[0]) > 1
                halt(replica.process)
                try:
                    refused = api(gateway, "POST", "/v1/tokens", {"user_id": "bob", "format": "opaque", "life_s": 600})
                finally:
                    replica.process.send_signal(signal.SIGCONT)
                assert refused.status == 503 and refused.json["error"]["name"] == "store_unavailable"
                with Client(gateway, token=access) as ann:
                    ann.receive("connected")

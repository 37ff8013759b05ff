"""`--store redis+sentinel://`: the gateway follows the primary that Sentinel names, with Debian's own servers."""

import socket
import socketserver
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

import stream
from clients import Client, Refused, api, control
from gateway import Gateway, halt, token
from ports import free_port
from sendbird import APPLICATION
from test_nodes_turns import client, heard, say
from test_order import platform
from test_store_nodes import eventually
from test_store_redis import PASSWORD, Redis, certificate, opaque, start

sys.path.insert(0, str(Path(__file__).parents[2] / "loadtest/peers"))
import redis_sentinel  # noqa: E402

PATIENCE = 120


@pytest.fixture
def cluster(tmp_path):
    with redis_sentinel.Cluster(tmp_path) as cluster:
        yield cluster


def node(url, name, *flags):
    return Gateway("--store", url, "--node-name", name, "--stream-api-key", stream.KEY, "--stream-sfu", "off",
                   "--sendbird-app-id", APPLICATION, *flags)  # fmt: skip


class Books:
    """Makes tokens, changes users and renews sessions on all gateways, and keeps what was acknowledged."""

    def __init__(self, gateways):
        self.accepted, self.last, self.renewed, self.refused, self.is_over = [], {}, [], 0, False
        self.faults = []
        pairs = [(work, *pair) for pair in enumerate(gateways) for work in (self.make, self.renew)]
        self.threads = [threading.Thread(target=self.run, args=pair) for pair in pairs]

    def run(self, work, number, gateway):
        try:
            work(number, gateway)
        except Exception as fault:
            self.faults.append(fault)

    def make(self, number, gateway):
        while not self.is_over:
            answer = api(gateway, "POST", "/v1/tokens", {"user_id": f"user{number}", "format": "opaque", "life_s": 600})
            if answer.status == 200:
                self.accepted.append(answer.json["token"])
                self.last[number] = self.accepted[-1]
            else:
                assert answer.status == 503, answer.body
                self.refused += 1

    def renew(self, number, gateway):
        user = f"user{number}"
        with Client(gateway, token=token(user)) as session:
            session.receive("connected")
            while not self.is_over:
                opaque, signed = self.last.get(number), token(user)
                answer = session.ask("refresh", token=opaque if opaque and len(self.renewed) % 2 else signed)
                if answer["type"] == "refreshed":
                    self.renewed.append(user)
                else:
                    assert answer["error"]["name"] == "store_unavailable", answer
                time.sleep(0.02)
            assert session.is_alive(), "the failover closed a session"

    def wait(self, count, patience=PATIENCE):
        """Waits until that many more tokens were accepted and sessions renewed."""
        marks = len(self.accepted) + count, len(self.renewed) + count
        eventually(lambda: self.faults or len(self.accepted) >= marks[0] and len(self.renewed) >= marks[1], patience)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join(PATIENCE)
        assert not any(thread.is_alive() for thread in self.threads) and not self.faults


def revoked(gateway):
    """Whether bob's tokens were revoked on every process."""
    answer = control(gateway, "POST", "/revocations", {"user_id": "bob"})
    return answer.status == 200 and "nodes_missing" not in answer.json


def known(gateway, access):
    """Whether the token logs in, once the store is there to say so."""

    def attempt():
        try:
            with Client(gateway, token=access) as again:
                message = again.receive()
                if message["type"] == "error":
                    return None if message["error"]["name"] == "store_unavailable" else ""
                return message["user_id"]
        except Refused as refusal:
            return "" if refusal.status != 503 else None
        except ConnectionClosed as end:
            return None if end.rcvd and end.rcvd.code == 1013 else ""

    deadline = time.monotonic() + PATIENCE
    while (user := attempt()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    return user != ""


def test_a_killed_primary_costs_no_acknowledged_commit_and_no_session(cluster):
    with ExitStack() as stack:
        first, second = (stack.enter_context(node(cluster.url, name, "--store-replicas", "1")) for name in "ab")
        stack.enter_context(client(first, "ann"))
        cat = stack.enter_context(client(second, "cat"))
        platform(first, "/v3/group_channels", {"channel_url": "talk", "user_ids": ["ann", "cat"]})
        assert say(first, "before")
        with Books([first, second]) as books:
            books.wait(30)
            before = cluster.primary()
            before.kill()
            now = cluster.await_failover(before)
            books.wait(30)
        assert books.refused, "the primary was away for a while"
        # Turns, the bus and its subscription have followed as well. What was announced before is missed, and that is logged.
        for gateway in (first, second):
            gateway.logged("messages of other processes may be missing", patience=PATIENCE)
        eventually(lambda: say(first, "after"), PATIENCE)
        assert heard(cat, "after")[-1][1] == "after"
        eventually(lambda: revoked(first), PATIENCE)
        assert not known(second, token("bob", iat=time.time() - 500))
        eventually(lambda: [one["state"] for one in control(first, "GET", "/nodes").json["nodes"]] == ["live", "live"])
        assert all(known(second, access) for access in books.accepted)
        # The old primary comes back as a replica of the new one.
        before.start()
        before.eventually(lambda: redis_sentinel.ask(before.port, "ROLE")[:3] == [b"slave", b"127.0.0.1", now.port],
                          "follows nobody", PATIENCE)  # fmt: skip
        opaque(first, "ann")


def test_a_failover_without_a_loss_of_the_primary_is_followed_too(cluster):
    # The old primary runs on for a moment, and the other replica with it: only a commit that all replicas have is safe.
    with node(cluster.url, "a", "--store-replicas", "2") as gateway:
        with Books([gateway]) as books:
            books.wait(10)
            for _ in range(2):
                cluster.fail_over()
                books.wait(10)
                cluster.await_whole()
        assert all(known(gateway, access) for access in books.accepted)


def test_a_gateway_starts_while_one_sentinel_hangs_and_another_is_away(cluster):
    halt(cluster.sentinels[0].process)
    cluster.sentinels[1].kill()
    with Gateway("--store", cluster.url) as gateway:
        opaque(gateway, "ann")


@contextmanager
def lone_sentinel(folder, primary, *lines, tls=False, flags=()):
    """A Sentinel that watches one primary; yields its port."""
    flags, port = list(flags), free_port()
    address = "localhost" if tls else "127.0.0.1"
    names = ["sentinel resolve-hostnames yes", "sentinel announce-hostnames yes"] if tls else []
    watch = [*names, f"sentinel monitor mymaster {address} {primary} 1", *lines]
    if tls:
        flags += ["--tls-port", str(port), "--tls-replication", "yes"]
    sentinel = redis_sentinel.Server(folder, "sentinel", *flags, sentinel="\n".join(watch))
    try:
        sentinel.start()
        yield port if tls else sentinel.port
    finally:
        sentinel.kill()


def ended(flags):
    """Starts a gateway that ends with an error. On a busy machine the error may be that nobody was heard in time."""
    for _ in range(20):
        outcome = start(flags)
        if "no Sentinel answers within" not in outcome.stderr:
            break
    return outcome


def test_tls_and_passwords_are_given_to_sentinel_and_to_the_primary(tmp_path):
    secret, own = tmp_path / "password", tmp_path / "sentinel-password"
    secret.write_text(PASSWORD)
    own.write_text("sentinel " + PASSWORD)
    port, files = free_port(), certificate(tmp_path)
    with Redis(tmp_path, "--tls-port", str(port), *files, "--requirepass", PASSWORD):
        lines = [
            f'sentinel auth-pass mymaster "{PASSWORD}"',
            f'user gate on ">sentinel {PASSWORD}" -@all +auth +sentinel|get-master-addr-by-name',
            "user default off",
        ]
        with lone_sentinel(tmp_path, port, *lines, tls=True, flags=files) as sentinel:
            store = ["--store", f"rediss+sentinel://localhost:{sentinel}/mymaster"]
            flags = [*store, "--store-ca", str(tmp_path / "cert.pem"), "--store-password-file", str(secret)]
            user = ["--store-sentinel-user", "gate"]
            with Gateway(*flags, *user, "--store-sentinel-password-file", str(own)) as gateway:
                access = opaque(gateway, "ann")
                with Client(gateway, token=access) as ann:
                    ann.receive("connected")
                assert PASSWORD not in Path(f"/proc/{gateway.process.pid}/cmdline").read_text() + gateway.log()
            for more, words in (
                ([], "give a --store-sentinel-password-file"),
                ([*user, "--store-sentinel-password-file", str(secret)], "see --store-sentinel-password-file"),
            ):
                outcome = ended([*flags, *more])
                assert outcome.returncode == 3 and words in outcome.stderr and PASSWORD not in outcome.stderr
            outcome = ended([*store, *user, "--store-sentinel-password-file", str(own)])
            assert "signed" in outcome.stderr and "Sentinel at" in outcome.stderr


def test_errors_at_the_start_say_what_to_do(tmp_path):
    with Redis(tmp_path) as redis, lone_sentinel(tmp_path, redis.port) as port:
        for url, status, words in (
            (f"redis+sentinel://127.0.0.1:{port}/other", 3, "knows no primary named 'other'; check the name in --store"),
            (f"redis+sentinel://127.0.0.1:{redis.port}/mymaster", 3, "it is no Sentinel"),
            (f"redis+sentinel://127.0.0.1:{free_port()}/mymaster", 1, "Sentinel at 127.0.0.1"),
        ):
            outcome = ended(["--store", url])
            assert (outcome.returncode, words in outcome.stderr) == (status, True), outcome.stderr
        with Gateway("--store", f"redis+sentinel://127.0.0.1:{port}/mymaster") as gateway:
            opaque(gateway, "ann")


def test_a_gateway_that_starts_before_its_sentinel_waits_for_it(tmp_path):
    turned_away = []

    class Door(socketserver.BaseRequestHandler):
        def handle(self):
            if len(turned_away) < 3:
                turned_away.append(self.client_address)
                return
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as sentinel:
                sentinel.sendall(self.request.recv(4_096))
                self.request.sendall(sentinel.recv(4_096))

    with Redis(tmp_path) as redis, lone_sentinel(tmp_path, redis.port) as port:
        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Door) as door:
            threading.Thread(target=door.serve_forever, daemon=True).start()
            with Gateway("--store", f"redis+sentinel://127.0.0.1:{door.server_address[1]}/mymaster") as gateway:
                opaque(gateway, "ann")
                assert len(turned_away) == 3
            door.shutdown()


HERE = "redis+sentinel://127.0.0.1"


@pytest.mark.parametrize(
    "flags, words",
    [
        ([HERE], "the primary's name"),
        ([f"{HERE}/"], "the primary's name"),
        ([f"{HERE}/mymaster/0"], "the primary's name"),
        ([f"{HERE},{HERE}/mymaster"], "the primary's name"),
        ([f"{HERE},127.0.0.1/mymaster"], "the primary's name"),
        ([HERE + "".join(f",h{n}" for n in range(16)) + "/mymaster"], "up to 16 hosts"),
        (["redis+sentinel://:secret@127.0.0.1/mymaster"], "without a password"),
        ([f"{HERE},192.0.2.1/mymaster"], "use rediss+sentinel://"),
        ([f"{HERE}/mymaster", "--store-sentinel-user", "ann"], "has no --store-sentinel-password-file"),
        (["redis://127.0.0.1", "--store-sentinel-user", "ann"], "are of a --store redis+sentinel://"),
    ],
)
def test_a_wrong_list_of_sentinels_is_refused(flags, words):
    outcome = start(["--store", *flags])
    assert outcome.returncode == 2 and words in outcome.stderr, outcome.stderr

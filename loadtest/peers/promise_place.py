"""Two gateway nodes on one Redis server, each behind a relay, with a supervisor, held clients, and books."""

import contextlib
import http.client
import json
import random
import secrets
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cluster_books
import held_clients
import redis_relay
import redis_sentinel
from cluster_books import ADMITTED, knock, log_in, post

HELD = 30  # Clients that each node holds.
LEAVING = 3  # Clients of node a besides, whose users are revoked in some rows.
AWAY = 5  # Seconds until the supervisor starts again what has ended.
HEARD = 10  # Seconds after which a node that an order's answer lacks has heard of it, or admits nobody.


def fetch(port, path, timeout=3):
    """The status and the text of an answer; (0, "") if none came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()


class Node:
    """A gateway that is started again when it has ended, always on the same ports."""

    def __init__(self, program, name, folder, relay, flags=(), environment=None):
        self.name, self.relay, self.environment = name, relay, environment
        self.port, self.control_port = redis_sentinel.free_port(), redis_sentinel.free_port()
        self.log_file = Path(folder, f"node-{name}.log")
        self.command = [
            program, "serve", "--node-name", name, "--store", f"redis://127.0.0.1:{relay.port}", "--loops", "1",
            "--port", str(self.port), "--control-port", str(self.control_port), "--secret-file", f"{folder}/secret",
            "--log-level", "info", *flags,
        ]  # fmt: skip
        if environment:
            # Swift's runtime looks for its arguments before the environment. libfaketime moves that, unless the program
            # before has done so.
            self.command = ["/usr/bin/env", *self.command]
        self.process, self.numbers = None, []

    def start(self):
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=log, env=self.environment)
        self.numbers.append(self.process.pid)

    def signal(self, number):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def is_ready(self):
        return fetch(self.control_port, "/ready")[0] == 200

    def metric(self, name):
        for line in fetch(self.control_port, "/metrics")[1].splitlines():
            if line.startswith((name + " ", name + "{")):
                return float(line.rsplit(" ", 1)[1])
        return None


class Place:
    """Everything that is started for one row; ends with the `with` block.

    `environments` are the variables of nodes that have some of their own, by their names.
    """

    def __init__(self, program, folder, redis_flags=(), serve_flags=(), environments=None):
        self.folder, self.stack, self.is_over = folder, contextlib.ExitStack(), threading.Event()
        self.begun, self.events = time.monotonic(), []
        self.secret = secrets.token_hex(32)
        Path(folder, "secret").write_text(self.secret)
        self.redis = redis_sentinel.Server(folder, "redis", *redis_flags)
        relays = [redis_relay.Relay(self.redis.port) for _ in "ab"]
        self.nodes = [
            Node(program, name, folder, relay, serve_flags, (environments or {}).get(name))
            for name, relay in zip("ab", relays)
        ]
        self.a, self.b = self.nodes
        self.held = held_clients.HeldClients()
        self.leaving = []
        self.looks, self.is_supervised = [], False

    def note(self, text):
        self.events.append({"at_s": round(time.monotonic() - self.begun, 2), "event": text})

    def mint(self, user, issued=None):
        return held_clients.mint(self.secret, user, issued)

    def __enter__(self):
        try:
            self.stack.callback(self.redis.kill)
            self.redis.start()
            for node in self.nodes:
                self.stack.enter_context(node.relay)
            self.stack.callback(self.end_nodes)
            for node in self.nodes:
                node.start()
            self.await_ready()
            self.stack.enter_context(self.held)
            for node in self.nodes:
                for number in range(HELD):
                    user = f"held-{node.name}-{number}"
                    self.held.connect(node.name, node.port, self.mint(user), user)
            for number in range(LEAVING):
                user = f"leaving-{number}"
                self.leaving.append(self.held.connect("leaving", self.a.port, self.mint(user), user))
            self.held.wait(lambda client: client.is_connected, "not all clients are connected")
            for client in self.leaving:
                client.show(self.mint(client.user), "early")
            self.held.wait(
                lambda client: client not in self.leaving or client.replies.get("early") == "refreshed",
                "a client that is not revoked cannot refresh",
            )
            self.is_supervised = True
            for work in [self.supervise, *(lambda node=node: self.look(node) for node in self.nodes)]:
                thread = threading.Thread(target=work)
                thread.start()
                self.stack.callback(thread.join)
            self.stack.callback(self.is_over.set)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Ends everything at once."""
        self.is_over.set()
        self.stack.close()

    def end_nodes(self):
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                node.process.kill()
                node.process.wait()
            # What libfaketime leaves of a killed process.
            for name in ("faketime_shm", "sem.faketime_sem"):
                for number in node.numbers if node.environment else ():
                    Path(f"/dev/shm/{name}_{number}").unlink(missing_ok=True)

    def supervise(self):
        away = {}
        while not self.is_over.wait(0.1):
            for node in self.nodes:
                if node.process.poll() is None:
                    continue
                if node not in away:
                    away[node] = time.monotonic()
                    self.note(f"node {node.name} has ended with status {node.process.returncode}")
                if time.monotonic() - away[node] >= AWAY:
                    del away[node]
                    node.start()
                    self.note(f"node {node.name} was started again")

    def look(self, node):
        """Notes twice a second whether the node is ready, and how it answers a client with a good token."""
        number = 0
        while not self.is_over.wait(0.5):
            number += 1
            begun = time.monotonic()
            status, outcome = knock(node.port, self.mint(f"look-{node.name}-{number}"), timeout=2)
            ready, _ = fetch(node.control_port, "/ready", timeout=2)
            look = {"at": begun, "until": time.monotonic(), "status": status, "outcome": outcome, "ready": ready}
            self.looks.append({"node": node.name, **look})

    def states(self):
        """What the looks at each node saw, whenever it changed."""
        changes = []
        for node in self.nodes:
            before = None
            for look in self.looks:
                state = {key: look[key] for key in ("node", "status", "outcome", "ready")}
                if look["node"] == node.name and state != before:
                    changes.append({"at_s": round(look["at"] - self.begun, 2), **state})
                    before = state
        return changes

    def open_sockets(self):
        """Opens connections to a that show no token yet; after 10 s a closes them. Returns their clients."""
        return [self.held.connect("waiting", self.a.port, None, f"waiting-{number}") for number in range(LEAVING)]

    def await_ready(self, patience=90):
        deadline = time.monotonic() + patience
        for node in self.nodes:
            while not node.is_ready():
                has_failed = not self.is_supervised and node.process.poll() is not None
                if time.monotonic() > deadline or has_failed:
                    raise RuntimeError(f"node {node.name} is not ready: {node.log_file.read_text()[-1500:]}")
                time.sleep(0.1)

    def restart_redis(self, after):
        self.note("kill -9 of Redis")
        self.redis.kill()
        time.sleep(after)
        self.redis.start()
        self.note("Redis was started again")

    def logged(self, node, words):
        return sum(words in line for line in node.log_file.read_text(errors="replace").splitlines())

    def body(self, node, path):
        """The JSON of the node's control API; {} if it does not answer."""
        status, text = fetch(node.control_port, path, timeout=5)
        return json.loads(text) if status == 200 else {}


class PromiseBooks(cluster_books.Books):
    """Makes opaque tokens at each node and revokes users at each, while the faults happen.

    A revoked user has a JWT, and an opaque token if there was one to be had.
    """

    def __init__(self, place):
        super().__init__(place.b.port, place.nodes)
        self.place, self.answers, self.orders, self.tries = place, [], [], 0
        self.stopped = None  # The node that is stopped, at which no login is worth its time.
        self.threads = [
            threading.Thread(target=work, args=(node,)) for node in place.nodes for work in (self.make, self.revoke)
        ]

    def create_at(self, node, user):
        begun = time.monotonic()
        body = {"user_id": user, "format": "opaque", "life_s": 7200}
        status, answer = post(node.port, "/v1/tokens", body)
        self.answers.append({"at": begun, "node": node.name, "status": status})
        if status == 200:
            return answer["token"]
        # Any other answer, or none: the token may have been stored or not.
        self.unknown += 1
        return None

    def make(self, node):
        while not self.is_over.wait(0.1):
            if token := self.create_at(node, "books"):
                self.accepted.append((token, time.monotonic()))
                if len(self.accepted) % 5 == 0:
                    self.check(node.port, self.accepted[-1])

    def revoke(self, node):
        number = 0
        while not self.is_over.wait(0.5):
            number += 1
            user = f"gone-{node.name}-{number}"
            tokens = [self.place.mint(user, time.time() - 5)]
            if opaque := self.create_at(node, user):
                self.made_to_revoke += 1
                tokens.append(opaque)
            status, answer = post(node.control_port, "/revocations", {"user_id": user})
            if status == 200:
                missing = set(answer.get("nodes_missing", ()))
                self.silent += bool(missing)
                order = {"at": time.monotonic(), "node": node.name, "missing": missing, "tokens": tokens}
                self.orders.append(order)
                self.revoked += [(token, order["at"]) for token in tokens]
                self.check_order(order)
            if self.orders:
                self.check_order(random.choice(self.orders))

    def check_order(self, order):
        """Tries the revoked tokens at every node that must refuse them by now."""
        for node in self.nodes:
            if node is self.stopped:
                continue
            if node.name not in order["missing"] or time.monotonic() - order["at"] > HEARD:
                for token in order["tokens"]:
                    self.check_revoked(node, (token, order["at"]), timeout=3)

    def check_revoked(self, node, entry, timeout=10):
        self.tries += 1
        outcome = log_in(node.port, entry[0], timeout)
        if outcome == ADMITTED:
            self.let_in.append((node.name, entry[0], round(time.monotonic() - entry[1], 2)))
        return outcome

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join(90)

    def warm_up(self, patience=60):
        """Waits until both nodes have acknowledged something."""
        deadline = time.monotonic() + patience
        while len(self.accepted) < 20 or {order["node"] for order in self.orders} != {"a", "b"}:
            if time.monotonic() > deadline:
                raise RuntimeError("the books get no answers")
            time.sleep(0.1)

    def settle_at_both(self):
        unanswered = 0
        for node in self.nodes:
            self.proxy = node.port
            unanswered += self.settle(patience=60)
        return unanswered

    def leave(self, clients):
        """Revokes the users of these clients of a, at b, and then has them show tokens there that are as old. Returns a
        function that says how many did, how many answers of b lacked a, and how many users a has let in by which message."""
        revoked, lacking = [], []

        def revoke(client):
            token = self.place.mint(client.user, time.time() - 5)
            status, answer = post(self.place.b.control_port, "/revocations", {"user_id": client.user})
            if status == 200 and not client.ended:
                client.show(token, "late")
                revoked.append(client)
                # A node that b has just declared dead is named by its slot.
                lacking.extend(answer.get("nodes_missing", ()))

        # At once, since the first answer waits 2 s for a.
        with ThreadPoolExecutor(len(clients)) as pool:
            list(pool.map(revoke, clients))

        def outcome():
            replies = [client.replies.get("late") for client in revoked]
            return len(revoked), len(lacking), replies.count("refreshed"), replies.count("connected")

        return outcome

    def strike(self, node, since, count=20):
        """Begins logins at a stopped node with the tokens that were revoked since that time. Returns a function that waits
        for them, and returns how many there were and how many were admitted."""
        orders = [order for order in self.orders if order["at"] > since][-count:]
        pool = ThreadPoolExecutor(count)
        logins = [pool.submit(log_in, node.port, order["tokens"][0], 30) for order in orders]

        def outcome():
            results = [login.result() for login in logins]
            pool.shutdown()
            return len(results), results.count(ADMITTED)

        return outcome


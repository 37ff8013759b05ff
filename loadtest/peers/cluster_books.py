"""What the clients of a cluster have been told, and whether it is true: a second count beside the storm's."""

import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from redis_sentinel import RedisError, ask

ADMITTED, REFUSED, AWAY = "admitted", "refused", "away"


def post(port, path, body, secret=None, timeout=10):
    """The status and the JSON of an answer; (0, None) if none came."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {secret}"} if secret else {})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")
    except (OSError, http.client.HTTPException, ValueError):
        return 0, None
    finally:
        connection.close()


def log_in(port, token, timeout=10):
    """Connects with the token, and says whether it was admitted, refused for good, or neither."""
    return knock(port, token, timeout)[1]


def knock(port, token, timeout=10):
    """The status of the answer to an upgrade with the token, 0 if none came, and its outcome as of `log_in`."""
    status = 0
    head = (
        "GET /v1/connect HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Bearer {token}\r\n\r\n"
    )
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=timeout) as link, link.makefile("rb") as stream:
            link.sendall(head.encode())
            status = int(stream.readline().split()[1])
            while stream.readline() not in (b"\r\n", b""):
                pass
            return status, outcome_of(status, stream)
    except (OSError, ValueError, IndexError, KeyError):
        return status, AWAY


def outcome_of(status, stream):
    """What the answer to an upgrade and the frames after it say of the token."""
    if status in (401, 403):
        return REFUSED
    while status == 101:
        first, size = stream.read(2)
        size = int.from_bytes(stream.read(2), "big") if size == 126 else size
        payload = stream.read(size)
        if first & 15 == 8:
            # A close: 4xxx says that the token is wrong, anything else that the gateway is not there.
            return REFUSED if int.from_bytes(payload[:2], "big") >= 4000 else AWAY
        if first & 15 == 1:
            message = json.loads(payload)
            if message["type"] == "connected":
                return ADMITTED
            if message["type"] == "error":
                return REFUSED if message["error"]["number"] // 1000 in (401, 403) else AWAY
    return AWAY


class Books:
    """Makes tokens through the proxy, revokes some of them, logs in with them, and keeps what was acknowledged."""

    def __init__(self, proxy, nodes, rate=20):
        self.proxy, self.nodes, self.pause = proxy, nodes, 1 / rate
        self.accepted, self.revoked, self.unknown, self.made_to_revoke = [], [], 0, 0
        self.lost, self.let_in, self.silent = [], [], 0
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=work) for work in (self.make, self.make, self.revoke)]

    def create(self, user):
        body = {"user_id": user, "format": "opaque", "life_s": 7200}
        status, answer = post(self.proxy, "/v1/tokens", body)
        if status == 200:
            return answer["token"]
        # Any other answer, or none: the token may have been stored or not.
        self.unknown += 1
        return None

    def make(self):
        while not self.is_over.wait(self.pause):
            if token := self.create("books"):
                self.accepted.append((token, time.time()))
                if len(self.accepted) % 5 == 0:
                    self.check(self.proxy, self.accepted[-1])

    def check(self, port, entry):
        if (outcome := log_in(port, entry[0])) == REFUSED and entry not in self.lost:
            self.lost.append(entry)
        return outcome

    def revoke(self):
        number = 0
        while not self.is_over.wait(1):
            number += 1
            user = f"gone-{number}"
            if not (token := self.create(user)):
                continue
            self.made_to_revoke += 1
            node = self.nodes[number % len(self.nodes)]
            status, answer = post(node.control_port, "/revocations", {"user_id": user})
            if status != 200:
                continue
            missing = set(answer.get("nodes_missing", ()))
            self.silent += bool(missing)
            self.revoked.append((token, time.time()))
            # At once, at every node that the answer does not lack.
            for other in self.nodes:
                if other.name not in missing:
                    self.check_revoked(other, self.revoked[-1])

    def check_revoked(self, node, entry):
        outcome = log_in(node.port, entry[0])
        if outcome == ADMITTED:
            self.let_in.append((node.name, *entry))
        return outcome

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join(60)

    def settle(self, patience=60):
        """Checks everything that was acknowledged once more, at the end. Returns how many answers could not be had."""
        deadline = time.monotonic() + patience

        def insist(attempt):
            while (outcome := attempt()) == AWAY and time.monotonic() < deadline:
                time.sleep(0.2)
            return outcome

        attempts = [lambda entry=entry: self.check(self.proxy, entry) for entry in self.accepted]
        for node in self.nodes:
            attempts += [lambda node=node, entry=entry: self.check_revoked(node, entry) for entry in self.revoked]
        with ThreadPoolExecutor(8) as pool:
            return sum(outcome == AWAY for outcome in pool.map(insist, attempts))

    def stored(self, port):
        """The number of opaque tokens that the Redis server itself has."""
        try:
            return ask(port, "ZLEXCOUNT", "{postern}:x:plain.token", "-", "+")
        except (OSError, RedisError):
            return None

    def agree(self, stored):
        """Whether Redis has as many tokens as were acknowledged, and at most those more whose answer was lost."""
        made = len(self.accepted) + self.made_to_revoke
        return stored is not None and made <= stored <= made + self.unknown

"""What a refresh costs a gateway with some flags, beside gateways with others, by turns: for the scripts that measure that.

A group is one gateway of each kind, with one loop. A round of a group is one wave at each: every client is made to expire, and answers
at once with a token. That is some 15 ms of work for each gateway, so that a machine that changes its speed does so for all of them, and
the order is another one every time. The processor time of a wave is the kernel's, in nanoseconds. Processes differ by where their memory
lies, so groups are started anew, and a kind that is there twice shows by how much the same differs from itself."""

import base64
import dataclasses
import hashlib
import hmac
import itertools
import json
import socket
import statistics
import struct
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

CLIENTS = 500
ROUNDS = 30
SCRIPT = sys.argv[0]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


class Tokens:
    """Tokens of the gateway's own secret."""

    def __init__(self, secret):
        self.secret, self.numbers = secret, itertools.count()

    def mint(self, user):
        claims = {"user_id": user, "exp": int(time.time()) + 86_400, "jti": str(next(self.numbers))}
        head = base64url(b'{"alg":"HS256","typ":"JWT"}') + b"." + base64url(json.dumps(claims).encode())
        return (head + b"." + base64url(hmac.new(self.secret, head, hashlib.sha256).digest())).decode()


class Client:
    """One plain client on a blocking socket, as far as a measurement needs it."""

    def __init__(self, address, token):
        self.socket = socket.create_connection(address, timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(
            f"GET /v1/connect HTTP/1.1\r\nHost: {address[0]}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nAuthorization: Bearer {token}\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.read()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101"):
            sys.exit(f"{SCRIPT}: not let in: {head[:200]!r}")
        self.expect("connected")

    def read(self):
        data = self.socket.recv(65_536)
        if not data:
            sys.exit(f"{SCRIPT}: the gateway has ended a connection")
        self.data += data

    def expect(self, kind):
        """Reads the next message, which has to be of that type."""
        while True:
            if len(self.data) >= 2:
                length, start = self.data[1] & 127, 2
                if length == 126 and len(self.data) >= 4:
                    length, start = struct.unpack("!H", self.data[2:4])[0], 4
                if length < 126 or start == 4:
                    if len(self.data) >= start + length:
                        message = json.loads(self.data[start:start + length])
                        self.data = self.data[start + length:]
                        if message["type"] != kind:
                            sys.exit(f"{SCRIPT}: {kind} was due, not {message}")
                        return
            self.read()

    def send(self, text):
        payload = text.encode()
        length = bytes([0x80 | len(payload)]) if len(payload) < 126 else bytes([0x80 | 126]) + struct.pack("!H", len(payload))
        self.socket.sendall(b"\x81" + length + bytes(4) + payload)


class Gateway:
    """A gateway with `count` plain clients."""

    def __init__(self, postern, folder, tokens, flags, count=CLIENTS, loops=1):
        command = [postern, "serve", "--host", "127.0.0.1", "--port", "0", "--control-port", "0", "--loops", str(loops),
                   "--drain-window", "0s", "--secret-file", folder / "secret", *flags]
        self.tokens = tokens
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        ready = self.process.stdout.readline()
        if not ready:
            sys.exit(f"{SCRIPT}: no gateway: {' '.join(map(str, command))}")
        ready = json.loads(ready)
        url = urlsplit(ready["url"])
        self.address, self.control_url = (url.hostname, url.port), ready["control_url"]
        self.expire = urllib.request.Request(self.control_url + "/sessions/expire", b"{}", {"Content-Type": "application/json"})
        self.clients = [Client(self.address, tokens.mint(f"u{number}")) for number in range(count)]

    def wave(self):
        """Microseconds of processor time for a refresh: of the whole process, as clock_getcpuclockid names its clock."""
        answers = [json.dumps({"type": "refresh", "token": self.tokens.mint(f"u{number}")}) for number in range(len(self.clients))]
        before = self.processor_ns
        urllib.request.urlopen(self.expire, timeout=30).read()
        for client, answer in zip(self.clients, answers):
            client.expect("refresh_required")
            client.send(answer)
        for client in self.clients:
            client.expect("refreshed")
        return (self.processor_ns - before) / 1_000 / len(self.clients)

    @property
    def processor_ns(self):
        return time.clock_gettime_ns(~self.process.pid << 3 | 2)

    @property
    def resident_bytes(self):
        """Without code and files."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("RssAnon:"))) * 1024

    def figures(self):
        """The values of all series by their names, without the common beginning."""
        with urllib.request.urlopen(self.control_url + "/metrics", timeout=30) as answer:
            pairs = (line.rpartition(" ") for line in answer.read().decode().splitlines() if line.startswith("postern_"))
        return {name.removeprefix("postern_"): float(value) for name, _, value in pairs}

    def figure(self, name):
        """The sum of all series whose names begin so."""
        return sum(value for series, value in self.figures().items() if series.startswith(name))

    def end(self):
        self.process.terminate()
        self.process.wait()


@dataclasses.dataclass(frozen=True)
class Kind:
    """A gateway among those that are compared, and the name of the one that it is compared with."""

    name: str
    flags: tuple
    tokens: object
    beside: str


def group(postern, folder, kinds, unmeasured):
    """Microseconds for a refresh by kind, of each round after the first `unmeasured`."""
    gateways = {}
    try:
        for kind in kinds:
            gateways[kind] = Gateway(postern, folder, kind.tokens, kind.flags)
        orders = list(itertools.permutations(kinds))
        spent = {kind.name: [] for kind in kinds}
        for number in range(-unmeasured, ROUNDS):
            for kind in orders[number * 7 % len(orders)]:
                microseconds = gateways[kind].wave()
                if number >= 0:
                    spent[kind.name].append(microseconds)
        return spent
    finally:
        for gateway in gateways.values():
            gateway.end()


def compare(postern, folder, kinds, groups, unmeasured):
    """Prints for each kind the median of its refreshes, and the median of the groups' ratios to the kind beside it, each itself the
    median of its rounds, and all of them."""
    results = [group(postern, folder, kinds, unmeasured) for _ in range(groups)]
    width = max(len(kind.name) for kind in kinds)
    for kind in kinds:
        told = f"{kind.name:{width}} {statistics.median(value for spent in results for value in spent[kind.name]):6.2f} us a refresh"
        if kind.name != kind.beside:
            ratios = [statistics.median(b / a for a, b in zip(spent[kind.beside], spent[kind.name])) for spent in results]
            told += f"   {statistics.median(ratios):.3f} of {kind.beside}:" + "".join(f" {ratio:.3f}" for ratio in ratios)
        print(told)

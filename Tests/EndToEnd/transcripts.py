"""A TCP relay that writes down what passes: heads of HTTP, messages of WebSockets, the first close frame. It shares no code with
the proxy. One on each side of a proxy shows whether it changes anything."""

import itertools
import time

from proxy_process import Proxy
from wiretap import Stream, Wiretap

# Fields of one connection, and what a proxy adds.
OWN = {
    "host", "via", "connection", "upgrade", "sec-websocket-key", "sec-websocket-extensions", "sec-websocket-accept", "keep-alive",
    "content-length", "transfer-encoding",
}


class TranscribedStream(Stream):
    def __init__(self, tap, side, other=None):
        super().__init__(tap, side, other)
        self.life = other.life if other else tap.begin()
        self.message = None

    def take_http(self):
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        line, *lines = self.buffer[:end].decode("latin-1").split("\r\n")
        fields = [(name.lower(), value.strip()) for name, value in (one.split(":", 1) for one in lines)]
        body = parted(self.buffer[end + 4 :], dict(fields))
        if body is None:
            return False
        body, self.buffer = body
        word = line if self.side == "client" else line.split(" ")[1]
        self.life[self.side].append((word, sorted(field for field in fields if field[0] not in OWN), body))
        # The answer decides; after a request for an upgrade the client waits for it.
        self.is_socket = word == "101" if self.side == "gateway" else "upgrade" in dict(fields)
        return True

    def take_frame(self):
        # A message in several frames may arrive in one.
        self.is_final = len(self.buffer) > 0 and self.buffer[0] & 0x80
        return super().take_frame()

    def take_message(self, opcode, payload):
        if opcode == 8:
            if not self.tap_closed():
                self.life[self.side].append(("close", int.from_bytes(payload[:2], "big") if payload else 1005, payload[2:].decode()))
        elif opcode < 8:
            kind, before = (opcode, b"") if opcode else self.message
            self.message = kind, before + payload
            if self.is_final:
                self.life[self.side].append(("text" if kind == 1 else "binary", self.message[1]))


def parted(data, fields):
    """The body at the beginning of `data`, and what follows it; None if it is not complete."""
    if fields.get("transfer-encoding") != "chunked":
        length = int(fields.get("content-length", 0))
        return (data[:length], data[length:]) if len(data) >= length else None
    body = b""
    while True:
        size, found, data = data.partition(b"\r\n")
        if not found or len(data) < int(size, 16) + 2:
            return None
        body, data = body + data[: int(size, 16)], data[int(size, 16) + 2 :]
        if int(size, 16) == 0:
            return body, data


class Transcript(Wiretap):
    """`lives` lists the connections by their opening, each with what either side sent."""

    stream = TranscribedStream

    def __init__(self, port):
        super().__init__(port)
        self.lives = []
        self.url, self.http_url = f"ws://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.port}"

    def begin(self):
        self.lives.append({"client": [], "gateway": []})
        return self.lives[-1]

    def sockets(self):
        """What was said on WebSockets. Two connections may open at once, so their order is not that of time."""
        return sorted(([list(life["client"]), list(life["gateway"])] for life in self.lives if is_socket(life)), key=repr)

    def requests(self):
        """Requests of plain HTTP and their answers, with their fields."""
        pairs = [pair for life in self.lives if not is_socket(life) for pair in itertools.zip_longest(life["client"], life["gateway"])]
        return sorted(pairs, key=repr)


def is_socket(life):
    return any(one[0] == "101" for one in life["gateway"])


class Between:
    """A proxy to the port `to` with a transcript on both sides. `url` is for clients."""

    def __init__(self, to, *flags):
        self.to, self.flags = to, flags

    def __enter__(self):
        self.far = Transcript(self.to).__enter__()
        self.proxy = Proxy(self.far.url, "--control-port", "0", *self.flags).__enter__()
        self.near = Transcript(self.proxy.port).__enter__()
        self.url, self.http_url, self.port = self.near.url, self.near.http_url, self.near.port
        return self

    def __exit__(self, *failure):
        self.near.__exit__()
        self.proxy.__exit__(*failure)
        self.far.__exit__()

    def check_same(self, *, clients_leave=False):
        """Fails unless both sides saw the same. A message may be on its way for a moment. If clients leave without a close frame, that
        of the server may come too late for them."""
        deadline = time.monotonic() + 60
        while not (self.is_same(clients_leave) and self.near.requests() == self.far.requests()):
            assert time.monotonic() < deadline, f"near {self.near.lives}\nfar {self.far.lives}"
            time.sleep(0.05)
        assert self.near.sockets() or self.near.requests()

    def is_same(self, clients_leave):
        near, far = self.near.sockets(), self.far.sockets()
        return len(near) == len(far) and all(agree(*pair, clients_leave) for pair in zip(near, far))


def agree(near, far, clients_leave=False):
    """Whether two transcripts of a connection are of the same one. What a side sends after the other's close need not arrive."""
    closes = [[[one for one in said if one[0] == "close"] for said in life] for life in (near, far)]
    words = [[[one for one in said if one[0] != "close"] for said in life] for life in (near, far)]
    by_client, by_gateway = closes[0][0], closes[1][1]
    (near_client, near_gateway), (far_client, far_gateway) = words
    return (
        (near_client == far_client or by_gateway and near_client[: len(far_client)] == far_client)
        and (near_gateway == far_gateway or by_client and far_gateway[: len(near_gateway)] == near_gateway)
        and (closes[0][0] == closes[1][0] or by_gateway)
        and (closes[0][1] == closes[1][1] or by_client or clients_leave and not closes[0][1]))

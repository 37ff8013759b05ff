"""Storms of servers that are no gateways, or bad ones: each storm ends, uses little memory, and says why in one sentence."""

import base64
import hashlib
import os
import socket
import struct
import threading
import time

import pytest

from gateway import SECRET
from ports import free_port
from storms import run

CLIENTS = 8


def answer(key):
    """The 101 to an upgrade request with that key."""
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    return b"HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"


class BadServer:
    """Reads each upgrade request, and then calls `act(connection, key)`."""

    def __init__(self, act):
        self.act = act
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.url = f"ws://127.0.0.1:{self.listening.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listening.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            try:
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = connection.recv(4096)
                    if not piece:
                        return
                    head += piece
                lines = [line for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:")]
                self.act(connection, lines[0].split(b":", 1)[1].strip())
            except OSError:
                pass


def for_ever(piece, opens=True):
    """Sends the same repeatedly, while the peer reads."""

    def act(connection, key):
        connection.sendall(answer(key) if opens else b"HTTP/1.1 101 x\r\n")
        while True:
            connection.sendall(piece)

    return act


def once(*pieces, opens=True):
    """Sends it, and waits a while."""

    def act(connection, key):
        connection.sendall((answer(key) if opens else b"") + b"".join(pieces))
        time.sleep(3)

    return act


def reset(connection, _):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def storm(url, tmp_path, timeout="30s"):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    flags = ["--mint", "--secret-file", str(secret), "--clients", str(CLIENTS), "--rate", "200", "--hold", "1s", "--timeout", timeout]
    report = run("--url", url, *flags, expected=(1,))
    assert report["result"]["connects"]["accepted"] == 0
    return report


@pytest.mark.parametrize(
    ("act", "reason", "words"),
    [
        (reset, "unreachable", "ended before"),
        (once(os.urandom(64) + b"\r\n\r\n", opens=False), "unreachable", "the answer is no HTTP/1.1 response"),
        (once(answer(b"another key"), opens=False), "unreachable", "Sec-WebSocket-Accept"),
        (for_ever(b"x: " + b"y" * 1000 + b"\r\n", opens=False), "unreachable", "the answer's head is too long"),
        (for_ever(b"HTTP/1.1 103 x\r\n\r\n" * 100, opens=False), "unreachable", ""),
        (once(b"HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\n\r\n", opens=False), "http_302", "no WebSocket is there"),
        (once(b"\x15\x03\x03\x00\x02\x02\x46", opens=False), "peer_wants_tls", "the server speaks TLS on this port"),
        (once(b"HTTP/1.1 400 Bad Request\r\n\r\nplain HTTP to an HTTPS port", opens=False), "http_400", "--url with wss://"),
        (once(b"\x82\x7f" + struct.pack(">Q", 1 << 62)), "message_too_big", None),
        (for_ever(b"\x00\x01b" * 2000), "protocol_error", None),
        (once(b"\x88\x04\x0f\xa1no"), "4001 login_timeout", None),
    ],
    ids=["reset", "garbage", "other-key", "endless-head", "endless-hints", "redirect", "tls", "tls-page", "huge", "fragments", "close"],
)
def test_it_ends_and_says_why(act, reason, words, tmp_path):
    with BadServer(act) as server:
        report = storm(server.url, tmp_path)
    assert report["result"]["connects"]["failed"] == {reason: CLIENTS}, report["result"]["connects"]
    sentences = [caveat for caveat in report["caveats"] if caveat.startswith("the gateway at 127.0.0.1:")]
    assert len(sentences) == (words is not None) and all(words in sentence for sentence in sentences), report["caveats"]


@pytest.mark.parametrize("piece", [b"\x81\x05hello" * 500, b"\x89\x7d" + b"p" * 125], ids=["messages", "pings"])
def test_a_flood_is_borne_and_takes_no_memory(piece, tmp_path):
    with BadServer(for_ever(piece)) as server:
        report = storm(server.url, tmp_path, timeout="3s")
    assert report["result"]["connects"]["failed"] == {"unfinished": CLIENTS}, report["result"]["connects"]


def test_nobody_listens(tmp_path):
    port = free_port()
    report = storm(f"ws://127.0.0.1:{port}", tmp_path)
    assert [caveat for caveat in report["caveats"] if "refused" in caveat] == [f"the gateway at 127.0.0.1:{port}: connect: Connection refused"]

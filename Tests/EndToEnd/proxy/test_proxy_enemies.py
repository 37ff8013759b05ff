"""Hostile servers behind `postern proxy` and hostile clients before it: every wait ends, and no request hides in another."""

import base64
import contextlib
import hashlib
import socket
import threading
import time

import pytest
from proxied import Proxy
from websockets.sync.client import connect

UPGRADE = b"GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"


class RawServer:
    """A TCP server; `answer(client, head)` serves each request. `heads` has the heads of all requests."""

    def __init__(self, answer):
        self.answer, self.heads = answer, []

    def __enter__(self):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.listening.accept()[0],), daemon=True).start()

    def serve(self, client):
        with client, contextlib.suppress(OSError):
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                byte = client.recv(1)
                if not byte:
                    return
                head += byte
            self.heads.append(head)
            self.answer(client, head)

    def __exit__(self, *_):
        self.listening.close()


def ask(proxy, request, patience=60):
    """All that the proxy answers until it ends the connection."""
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=patience) as client:
        client.sendall(request)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := client.recv(65_536):
                answer += piece
        return answer


def until_gone(client, _=b""):
    with contextlib.suppress(OSError):
        while client.recv(65_536):
            pass


def slowly(client, text):
    for place in range(len(text)):
        client.sendall(text[place : place + 1])
        time.sleep(0.005)


def test_a_server_that_never_answers_an_upgrade_is_told_from_one_that_does():
    with RawServer(until_gone) as server, Proxy(server.url, "--control-port", "0") as proxy:
        answer = ask(proxy, UPGRADE)
        assert answer.startswith(b"HTTP/1.1 504 ") and b"postern-proxy: upstream_timeout" in answer.lower(), answer
        assert proxy.await_line("upstream_failed")[0]["failure"] == "upstream_timeout"


def test_an_upgrade_that_is_answered_byte_by_byte_opens():
    def answer(client, head):
        key = next(line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key"))
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        slowly(client, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n\x81\x02hi")
        until_gone(client)

    with RawServer(answer) as server, Proxy(server.url) as proxy:
        with connect(f"{proxy.url}/socket", proxy=None, compression=None, open_timeout=60, close_timeout=1) as client:
            assert client.recv(timeout=60) == "hi"


@pytest.mark.parametrize("kind", ["upgrade", "request"])
def test_an_answer_whose_head_does_not_end_is_bounded(kind):
    def answer(client, _):
        client.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            client.sendall(b"X-Filler: " + b"y" * 1000 + b"\r\n")

    with RawServer(answer) as server, Proxy(server.url) as proxy:
        before = proxy.memory()
        answered = ask(proxy, UPGRADE if kind == "upgrade" else b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert answered.startswith(b"HTTP/1.1 502 "), answered[:200]
        assert proxy.memory() - before < 16 << 20


def test_a_request_body_without_end_takes_little_memory_and_ends_with_its_client():
    ended = threading.Event()

    def read(client, _):
        until_gone(client)
        ended.set()

    with RawServer(read) as server, Proxy(server.url) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
            client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            for number in range(2000):
                client.sendall(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
                if number == 200:
                    before = proxy.memory()
            assert proxy.memory() - before < 4 << 20
        assert ended.wait(60) and len(server.heads) == 1


HIDDEN = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
SMUGGLERS = {
    "two lengths": b"Content-Length: 0\r\nContent-Length: %d\r\n",
    "a list of lengths": b"Content-Length: 0, %d\r\n",
    "length and chunks": b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n",
    "chunks and length": b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n",
    "chunks that are not last": b"Content-Length: %d\r\nTransfer-Encoding: chunked, identity\r\n",
    "another coding": b"Content-Length: %d\r\nTransfer-Encoding: xchunked\r\n",
    "a blank before the colon": b"Content-Length: %d\r\nTransfer-Encoding : chunked\r\n",
    "a folded line": b"Content-Length: %d\r\nTransfer-Encoding:\r\n chunked\r\n",
    "a signed length": b"Content-Length: +%d\r\n",
    "a length in hexadecimal": b"Content-Length: 0x%d\r\n",
    "a vertical tab": b"Content-Length: %d\r\nTransfer-Encoding: \x0bchunked\r\n",
}


@pytest.mark.parametrize("name", SMUGGLERS)
def test_a_request_that_could_hide_another_is_refused_and_nothing_reaches_the_server(name):
    def answer(client, _):
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        until_gone(client)

    with RawServer(answer) as server, Proxy(server.url) as proxy:
        fields = SMUGGLERS[name] % len(HIDDEN)
        answered = ask(proxy, b"POST /seen HTTP/1.1\r\nHost: localhost\r\n" + fields + b"\r\n" + b"0\r\n\r\n" + HIDDEN)
        assert answered.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 501 ")), answered
        assert server.heads == [] and b"smuggled" not in answered


def test_a_bare_line_feed_ends_a_line_on_both_sides_of_the_proxy():
    """RFC 9112 section 2.2 allows that. The server gets lines that no reader takes otherwise."""

    def answer(client, _):
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        until_gone(client)

    with RawServer(answer) as server, Proxy(server.url) as proxy:
        answered = ask(proxy, b"POST /seen HTTP/1.1\r\nHost: localhost\r\nX: y\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(HIDDEN) + HIDDEN)
        assert answered.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 400 ")) and answered.count(b"HTTP/1.1 ") == 1, answered
        assert all(head.startswith(b"POST /seen ") and b"\n" not in head.replace(b"\r\n", b"") for head in server.heads), server.heads


ANSWERS = {
    "two lengths": b"Content-Length: 2\r\nContent-Length: 40\r\n\r\nok",
    "length and chunks": b"Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "more than its length": b"Content-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhidden",
    "a line in a field": b"X: a\rHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "a chunk of a negative length": b"Transfer-Encoding: chunked\r\n\r\n-2\r\nok\r\n0\r\n\r\n",
    "a chunk of a huge length": b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nok\r\n",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_could_hide_another_hides_none(name):
    """Two requests on one connection get their own answers, or the connection ends."""

    def answer(client, _):
        client.sendall(b"HTTP/1.1 200 OK\r\n" + ANSWERS[name])
        client.shutdown(socket.SHUT_WR)
        until_gone(client)

    with RawServer(answer) as server, Proxy(server.url) as proxy:
        request = b"GET /%s HTTP/1.1\r\nHost: localhost\r\nConnection: %s\r\n\r\n"
        answered = ask(proxy, request % (b"first", b"keep-alive") + request % (b"second", b"close"))
        assert b"hidden" not in answered and answered.count(b"HTTP/1.1 ") <= 2, answered
        assert answered.count(b"HTTP/1.1 2") <= len(server.heads) <= 2, (answered, server.heads)

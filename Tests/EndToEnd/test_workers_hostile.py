"""Workers that the test plays: wrong clocks, invalid answers, and refusals at the last moment."""

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from clients import control
from test_workers import SECRET, children, flags, refused, secret, until, worker  # noqa: F401


@contextlib.contextmanager
def played(answer):
    """A worker of the test: `answer` gets the handler, and writes to it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.body = b""
            answer(self)

        def do_POST(self):
            self.body = self.rfile.read(int(self.headers["content-length"]))
            answer(self)

        do_DELETE = do_GET

        def say(self, status, content):
            content = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def status(**changes):
    return {"version": "1.0.0", "nanoseconds": time.time_ns(), "parts": 0, "partsMax": 16} | changes


def test_a_clock_that_is_wrong_is_corrected_and_told(gateway, secret):
    heard = {}

    def answer(request):
        assert request.headers["authorization"] == f"Bearer {SECRET}"
        if request.path == "/worker":
            return request.say(200, status(nanoseconds=time.time_ns() + 3600 * 10**9))
        heard.update(json.loads(request.body))
        request.say(409, {"error": {"message": "that was all"}})

    with played(answer) as address:
        words = flags(gateway, address, secret=secret)
        said = refused(*words)
    assert "that was all" in said
    assert heard["part"]["clockError"] == pytest.approx(3600e9, abs=60e9)
    assert heard["words"][: len(words)] == ["--json", *words][: len(words)] and heard["part"]["processes"] == 1


@pytest.mark.parametrize(
    "answer, said",
    [
        (status(version="0.9"), "it is postern 0.9, and this is"), (status(nanoseconds=0), "more than a day"),
        (status(nanoseconds=(1 << 63) - 1), "more than a day"), (status(nanoseconds=-(1 << 63)), "more than a day"),
        (status(parts=-5), "another storm"), (status(partsMax=0), "--parts-max"), (b"{}", "no postern worker"),
        (b"[" * 10_000, "no postern worker"), (b"x" * 9_000_000, "above"), (status(nanoseconds=1 << 70), "no postern worker"),
    ],
)
def test_a_hostile_worker_is_a_sentence(gateway, secret, answer, said):
    with played(lambda request: request.say(200, answer)) as address:
        assert said in refused(*flags(gateway, address, secret=secret))


def test_a_worker_that_is_refused_at_the_last_moment_ends_the_storm_before_it_connects(gateway, secret):
    """Another storm has taken the worker since it was asked, so the parts of the other workers end."""

    def answer(request):
        request.say(200, status()) if request.path == "/worker" else request.say(409, {"error": {"message": "taken"}})

    with played(answer) as taken, worker(secret) as (address, process):
        before = control(gateway, "GET", "/metrics").body.decode()
        said = refused(*flags(gateway, address, taken, secret=secret))
        assert f"--worker {taken}: taken" in said
        until(lambda: not children(process))

        def opened(text):
            return [line for line in text.splitlines() if line.startswith("postern_connections_opened_total")]

        assert opened(before)
        assert opened(before) == opened(control(gateway, "GET", "/metrics").body.decode())


def test_an_endless_line_of_a_worker_ends_the_storm(gateway, secret):
    def answer(request):
        if request.path == "/worker":
            return request.say(200, status())
        request.send_response(200)
        request.send_header("transfer-encoding", "chunked")
        request.end_headers()
        with contextlib.suppress(OSError):
            while True:
                request.wfile.write(b"100000\r\n" + b"x" * (1 << 20) + b"\r\n")

    with played(answer) as address:
        assert "tells more in one line" in refused(*flags(gateway, address, secret=secret))

"""A small HTTP server of a test's own, on a free port of loopback or on that of an earlier one."""

import http.server
import itertools
import threading
import time
from typing import NamedTuple


class Request(NamedTuple):
    method: str
    path: str
    headers: dict
    body: bytes
    # The time of arrival, on the monotonic clock.
    at: float
    # The number of the connection. A port does not identify one: the system uses it again after a second.
    connection: int


class HTTPServer:
    """Answers what `answer(request)` returns: bytes, (status, bytes) or (status, bytes, content type).

    `requests` are those that have come. With `keeps` a connection takes one request after the other. `ahead` is how many
    seconds its clock is ahead of ours.
    """

    def __init__(self, answer, keeps=False, ahead=0, port=0):
        self.requests = requests = []
        numbers = itertools.count()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1" if keeps else "HTTP/1.0"

            def setup(self):
                super().setup()
                self.number = next(numbers)

            def date_time_string(self, timestamp=None):
                return super().date_time_string((timestamp or time.time()) + ahead)

            def reply(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.command, self.path, dict(self.headers), body, time.monotonic(), self.number)
                requests.append(request)
                said = answer(request)
                status, body, kind, *_ = (*said, "application/json") if isinstance(said, tuple) else (200, said, "application/json")
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = reply

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

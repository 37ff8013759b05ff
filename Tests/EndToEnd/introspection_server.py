"""An introspection endpoint (RFC 7662) on loopback, which answers as badly as a test wants."""

import base64
import http.server
import json
import threading
import time
from urllib.parse import parse_qs, unquote

CLIENT, SECRET = "the gateway", "a secret: of the client"


class Introspection:
    """Reports `tokens` as active until the `with` block ends. `answer`, if set, is called with the handler instead."""

    def __init__(self, **tokens):
        self.tokens = {name: {"sub": user} for name, user in tokens.items()}
        self.answer, self.requests, self.delay, self.under_way, self.most = None, [], 0, 0, 0
        self.lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with outer.lock:
                    outer.requests.append((parse_qs(body.decode()), dict(self.headers), time.monotonic()))
                    outer.under_way += 1
                    outer.most = max(outer.most, outer.under_way)
                time.sleep(outer.delay)
                # Before the answer, behind which the next request may be counted at once.
                with outer.lock:
                    outer.under_way -= 1
                try:
                    (outer.answer or outer.usual)(self, parse_qs(body.decode()))
                except OSError:
                    # The gateway has closed the connection.
                    self.close_connection = True

            def say(self, status, body=b"", **fields):
                self.send_response(status)
                for name, value in {"Content_Type": "application/json", **fields}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 256
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/introspect"

    def usual(self, handler, form):
        scheme, _, credentials = handler.headers.get("Authorization", "").partition(" ")
        name, _, secret = base64.b64decode(credentials).decode().partition(":")
        if scheme != "Basic" or (unquote(name), unquote(secret)) != (CLIENT, SECRET):
            return handler.say(401, b"{}", WWW_Authenticate="Basic")
        known = self.tokens.get(form["token"][0])
        handler.say(200, json.dumps({"active": True, **known} if known else {"active": False}).encode())

    @property
    def asked(self):
        return len(self.requests)

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

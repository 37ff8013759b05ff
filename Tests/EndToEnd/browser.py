"""A headless Chromium, a page on loopback for it to run, and what the page reports."""

import http.server
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit


def command(profile):
    """A headless Chromium that reaches loopback only, and keeps what it keeps in that folder."""
    chromium = shutil.which("chromium")
    assert chromium, "no chromium; Deploy/install-packages tests installs it"
    flags = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    flags += [f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking"]
    return flags + ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]


class PageServer:
    """Serves a page of this folder, and keeps its `load` event waiting until the page has reported."""

    def __init__(self, page="page.html"):
        html = Path(__file__).with_name(page).read_bytes()
        self.reported = reported = threading.Event()
        self.reports = reports = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path = urlsplit(self.path)
                if path.path == "/":
                    return self.answer("text/html; charset=utf-8", html)
                if path.path == "/reported.js":
                    reported.wait(60)
                self.answer("text/javascript", b"")

            def do_POST(self):
                reports.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.answer("text/plain", b"")
                reported.set()

            def answer(self, kind, body):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def visit(self, host, gateway, **parameters):
        """What the page says when a browser opens it under that host name, to talk to that gateway."""
        self.reported.clear()
        address = f"http://{host}:{self.port}/?{urlencode({'gateway': gateway.http_url, **parameters})}"
        with tempfile.TemporaryDirectory(prefix="chromium-") as profile:
            line = [*command(profile), "--dump-dom", address]
            browser = subprocess.run(line, capture_output=True, text=True, timeout=90)
        assert self.reports, f"the page reported nothing\n{browser.stdout}\n{browser.stderr[-3000:]}"
        return {name: values[0] for name, values in parse_qs(self.reports.pop()).items()}

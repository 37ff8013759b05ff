"""A headless Chromium, a page on loopback for it to run, and what the page reports."""

import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from http_server import HTTPServer


def command(profile):
    """A headless Chromium that reaches loopback only, and keeps its files in that folder."""
    chromium = shutil.which("chromium")
    assert chromium, "no chromium; Deploy/install-packages tests installs it"
    flags = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    flags += [f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking"]
    return flags + ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]


class PageServer(HTTPServer):
    """Serves a page of this folder, and keeps its `load` event waiting until the page has reported."""

    def __init__(self, page="page.html"):
        html = Path(__file__).with_name(page).read_bytes()
        self.reported = reported = threading.Event()
        self.reports = reports = []

        def answer(request):
            if request.method == "POST":
                reports.append(request.body.decode())
                reported.set()
                return 200, b"", "text/plain"
            path = urlsplit(request.path).path
            if path == "/":
                return 200, html, "text/html; charset=utf-8"
            if path == "/reported.js":
                reported.wait(60)
            return 200, b"", "text/javascript"

        super().__init__(answer)

    def visit(self, host, gateway, **parameters):
        """What the page reports when a browser opens it under that host name, and it talks to that gateway."""
        self.reported.clear()
        address = f"http://{host}:{self.port}/?{urlencode({'gateway': gateway.http_url, **parameters})}"
        with tempfile.TemporaryDirectory(prefix="chromium-") as profile:
            line = [*command(profile), "--dump-dom", address]
            browser = subprocess.run(line, capture_output=True, text=True, timeout=90)
        assert self.reports, f"the page reported nothing\n{browser.stdout}\n{browser.stderr[-3000:]}"
        return {name: values[0] for name, values in parse_qs(self.reports.pop()).items()}

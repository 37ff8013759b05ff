"""HAProxy in front of a gateway, as Debian packages it."""

import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from ports import free_port

BASE = """
global
    maxconn 200
defaults
    timeout connect 5s
    timeout client 30s
    timeout server 30s
    timeout tunnel 30s
"""


class HAProxy:
    """One proxy with a front on a free port of loopback. `how` goes behind the server's address, `settings` are lines of
    the front and of the back together."""

    def __init__(self, gateway, how="", settings="mode tcp"):
        self.port = free_port()
        self.url = gateway.url.rsplit(":", 1)[0] + f":{self.port}"
        self.http_url = gateway.http_url.rsplit(":", 1)[0] + f":{self.port}"
        lines = "".join(f"    {line.strip()}\n" for line in settings.splitlines())
        self.configuration = (
            f"{BASE}listen gateway\n    bind 127.0.0.1:{self.port}\n{lines}"
            f"    server gateway 127.0.0.1:{gateway.port} {how}\n")

    def __enter__(self):
        program = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
        assert program, "no haproxy; Deploy/install-packages tests installs it"
        self.folder = tempfile.TemporaryDirectory(prefix="postern-haproxy-")
        file = Path(self.folder.name, "haproxy.cfg")
        file.write_text(self.configuration)
        self.process = subprocess.Popen([program, "-db", "-q", "-f", str(file)])
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except (ConnectionRefusedError, TimeoutError):
                assert self.process.poll() is None, self.configuration
                assert time.monotonic() < deadline
                time.sleep(0.02)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.folder.cleanup()

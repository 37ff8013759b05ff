"""A headless Chromium with one page, driven by its DevTools protocol."""

import contextlib
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import requests
from websockets.sync.client import connect


@contextlib.contextmanager
def browser():
    chromium = shutil.which("chromium")
    assert chromium, "no chromium; Deploy/install-packages tests installs it"
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        command += [f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking"]
        command += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=500,700"]
        command += ["--remote-debugging-port=0", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            port = until(lambda: Path(profile, "DevToolsActivePort").read_text().split()[0])
            list_address = f"http://127.0.0.1:{port}/json/list"
            pages = until(
                lambda: [p for p in requests.get(list_address, timeout=10).json() if p["type"] == "page"]
            )
            with connect(pages[0]["webSocketDebuggerUrl"], max_size=None, proxy=None) as socket:
                yield Page(socket)
        finally:
            process.terminate()
            process.wait(timeout=20)


def until(attempt, patience=40):
    """What `attempt` gives as soon as it gives something."""
    deadline = time.monotonic() + patience
    while True:
        with contextlib.suppress(OSError, IndexError):
            if result := attempt():
                return result
        assert time.monotonic() < deadline, "the browser does not get there"
        time.sleep(0.05)


class Page:
    def __init__(self, socket):
        self.socket = socket
        self.ids = itertools.count(1)

    def call(self, method, **parameters):
        name = next(self.ids)
        self.socket.send(json.dumps({"id": name, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv(timeout=40))).get("id") != name:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def go(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def wait(self, condition):
        until(lambda: self.run(condition) is True)

    def type(self, field, text):
        self.run(f"document.querySelector({json.dumps(field)}).focus()")
        self.call("Input.insertText", text=text)

    def screenshot(self):
        import base64

        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

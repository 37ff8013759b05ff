"""A page in a headless Chromium, driven by the developer tools' protocol: its content, its requests, keys, screenshots."""

import base64
import contextlib
import itertools
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from websockets.sync.client import connect

from browser import command

PATIENCE = 60
# The browser's errors for a command that came while the page was being replaced by its next document.
BETWEEN_PAGES = ("navigated", "context was destroyed", "find default execution context", "find context")


class BetweenPages(Exception):
    """The page was being replaced by its next document."""


class Page:
    """One page; the browser ends with the `with` block.

    `requests` has the addresses of all it asked for, `complaints` what the browser logged as an error or a breach of the
    page's policy, and what the page's script threw.
    """

    def __init__(self, width=1280, height=900, dark=False):
        self.size = (width, height)
        self.dark = dark

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        line = [*command(self.profile), "--remote-debugging-port=0", "about:blank"]
        self.browser = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            port = self.port()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE) as answer:
                page = next(target for target in json.load(answer) if target["type"] == "page")
            # Messages of the browser are read when the test asks for something, however late that is.
            options = {"proxy": None, "max_size": None, "max_queue": None, "ping_interval": None}
            self.connection = connect(page["webSocketDebuggerUrl"], open_timeout=PATIENCE, **options)
            self.socket = self.connection.__enter__()
        except BaseException:
            self.end()
            raise
        self.numbers = itertools.count(1)
        self.requests, self.complaints, self.statuses = [], [], []
        for domain in ("Page", "Runtime", "Network", "Log", "Audits"):
            self.send(f"{domain}.enable")
        self.look(*self.size, dark=self.dark)
        return self

    def __exit__(self, *_):
        self.connection.__exit__(None, None, None)
        self.end()

    def end(self):
        self.browser.terminate()
        try:
            self.browser.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.browser.kill()
            self.browser.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def port(self):
        """The port of the developer tools, which the browser writes into its folder."""
        file, deadline = Path(self.profile, "DevToolsActivePort"), time.monotonic() + PATIENCE
        while True:
            lines = file.read_text().splitlines() if file.exists() else []
            if len(lines) >= 2:
                return int(lines[0])
            assert self.browser.poll() is None and time.monotonic() < deadline, "chromium did not start"
            time.sleep(0.05)

    def send(self, method, **parameters):
        """Sends a command to the browser. Events in between are recorded."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                if any(words in message.get("error", {}).get("message", "") for words in BETWEEN_PAGES):
                    raise BetweenPages(f"{method}: {message['error']}")
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self.note(message)

    def note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Network.responseReceived":
            self.statuses.append((parameters["response"]["url"], parameters["response"]["status"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(f"{parameters['entry']['source']}: {parameters['entry']['text']}")
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"])[:500])
        # A notice about cost is no error, e.g. the one for a test that reads document.cookie.
        elif method == "Audits.issueAdded" and parameters["issue"]["code"] != "PerformanceIssue":
            self.complaints.append(json.dumps(parameters["issue"])[:500])

    # What is shown

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def look(self, width, height=900, dark=False):
        """Shows the page in a window of that size, for a user who prefers light or dark."""
        self.size = (width, height)
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, address):
        self.send("Page.navigate", url=address)
        self.until("document.readyState === 'complete'")

    def evaluate(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def until(self, expression, patience=PATIENCE):
        """Waits until the expression is true on the page, and returns its value."""
        deadline = time.monotonic() + patience
        while True:
            with contextlib.suppress(BetweenPages):
                if value := self.evaluate(expression):
                    return value
            assert time.monotonic() < deadline, f"{expression} is not so; the page says: {self.text()[:2000]}"
            time.sleep(0.1)

    def text(self, selector="body"):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def looks_right_everywhere(self, folder, name):
        """At three widths, in light and in dark: nothing is wider than the window, and all text has enough contrast. The
        screenshots stay in the folder."""
        for width in (360, 800, 1400):
            for dark in (False, True):
                self.look(width, dark=dark)
                assert self.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), width
                ground, letters = self.evaluate(
                    "(() => { const s = getComputedStyle(document.body);"
                    " return [s.backgroundColor, s.color].map(c => c.match(/\\d+/g).map(Number)) })()"
                )
                assert (sum(ground) < sum(letters)) == dark and abs(sum(ground) - sum(letters)) > 400
                Path(folder, f"{name}-{width}-{dark}.png").write_bytes(self.picture())

    def number(self, name):
        """The number in the element with that id."""
        return int(self.text(f"#{name}").replace(",", ""))

    # What a person does

    def press(self, key, code=None, text=None, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            parameters = {"type": kind, "key": key, "code": code or key, "modifiers": modifiers}
            parameters["windowsVirtualKeyCode"] = {"Tab": 9, "Enter": 13, " ": 32}.get(key, 0)
            if text and kind == "keyDown":
                parameters["text"] = text
            self.send("Input.dispatchKeyEvent", **parameters)

    def tab(self, back=False):
        self.press("Tab", modifiers=8 if back else 0)

    def enter(self):
        self.press("Enter", text="\r")

    def type(self, text):
        self.send("Input.insertText", text=text)

    def click(self, expression):
        """Clicks in the middle of the element that the expression returns, wherever on the page it is. If the element has
        moved, nothing is clicked, and the function tries again."""
        for _ in range(50):
            x, y = self.evaluate(
                f"(it => {{ window.isClicked = false; it.addEventListener('click', () => window.isClicked = true, {{once: true}});"
                f" it.scrollIntoView({{block: 'center', inline: 'center'}}); const box = it.getBoundingClientRect();"
                f" return [box.x + box.width / 2, box.y + box.height / 2]; }})({expression})"
            )
            self.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
            is_pressed = self.evaluate(f"!!({expression})?.matches(':active')")
            # If the button is released elsewhere, there is no click.
            x, y = (x, y) if is_pressed else (0, 0)
            self.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)
            if is_pressed and self.evaluate("window.isClicked") is not False:
                return
        raise AssertionError(f"{expression} cannot be clicked on")

    def tab_to(self, expression, limit=40):
        """Presses Tab until the expression holds for the focused element `it`."""
        for _ in range(limit):
            self.tab()
            if self.evaluate(f"(it => {expression})(document.activeElement)"):
                return
        raise AssertionError(f"no key leads to where {expression}")

    def picture(self, height_max=10_000):
        """A PNG of the page, from its top down to this height."""
        width, _ = self.size
        height = int(self.evaluate("Math.ceil(document.documentElement.getBoundingClientRect().height)"))
        height = min(height, height_max)
        self.resize(width, height)
        shot = self.send("Page.captureScreenshot", format="png")
        self.resize(*self.size)
        return base64.b64decode(shot["data"])

"""`postern proxy` on a free port, and its routes."""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request


class Proxy:
    """A proxy to the target `to`, if that is given; ends with the `with` block."""

    def __init__(self, to, *flags):
        self.command = [os.environ["POSTERN"], "proxy", *(["--to", to] if to else []), "--port", "0", *flags]

    def __enter__(self):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        timer = threading.Timer(90, self.process.kill)
        timer.start()
        lines = [self.process.stdout.readline()]
        while lines[-1] and not lines[-1].startswith("limits"):
            lines.append(self.process.stdout.readline())
        timer.cancel()
        if not lines[0]:
            self.process.wait()
            raise RuntimeError(f"no proxy: {self.said()}")
        self.ready, self.limits = lines[0], lines[-1]
        control = [line for line in lines if line.startswith("control")]
        self.control_url = re.search(r"http://[^;]+", control[0])[0] if control else None
        self.url = re.search(r"wss?://\S+", self.ready)[0]
        self.http_url = self.url.replace("ws", "http", 1)
        self.port = int(self.url.rpartition(":")[2])
        return self

    def ctl(self, *arguments, status=0):
        """The output of `postern ctl`."""
        done = subprocess.run([os.environ["POSTERN"], "ctl", *arguments, "--url", self.control_url], capture_output=True, text=True, timeout=90)
        assert done.returncode == status, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def ask(self, method, path, body=None, **fields):
        """The status and the body of the control API's answer."""
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in fields.items()}}
        request = urllib.request.Request(self.control_url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            return error.code, json.loads(text) if text.startswith("{") else text

    def fail(self, **order):
        """Orders a fault; returns its number."""
        status, answer = self.ask("POST", "/faults", order)
        assert status == 201, answer
        return answer["number"]

    def mend(self):
        assert self.ask("DELETE", "/faults")[0] == 200

    def lines(self, *kinds, payloads=False):
        query = "?limit=1000" + (f"&kind={','.join(kinds)}" if kinds else "") + ("&payloads=true" if payloads else "")
        return self.ask("GET", "/journal" + query)[1]["lines"]

    def await_line(self, kind, count=1):
        status, answer = self.ask("POST", "/journal/await", {"kind": kind, "count": count, "within_ms": 60_000})
        assert status == 200 and answer["met"], answer
        return answer["lines"]

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def memory(self):
        """The resident bytes of the process."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.process.stdout.close()
        if kind is None:
            assert status == 0, self.said()
        self.errors.close()


class Route:
    """A route, created by `POST /spaces`; ends with the `with` block."""

    def __init__(self, proxy, upstream=None, **order):
        self.proxy = proxy
        status, self.made = proxy.ask("POST", "/spaces", {**order, **({"upstream": upstream} if upstream else {})})
        assert status == 201, self.made
        self.name, self.url, self.http_url = (self.made[name] for name in ("name", "url", "http_url"))

    def ask(self, method, path, body=None):
        return self.proxy.ask(method, f"/spaces/{self.name}{path}", body)

    def ctl(self, *arguments, status=0):
        return self.proxy.ctl(*arguments, "--space", self.name, status=status)

    def kinds(self):
        return [line["kind"] for line in self.ask("GET", "/journal?limit=1000")[1]["lines"]]

    def await_line(self, kind):
        status, answer = self.ask("POST", "/journal/await", {"kind": kind, "within_ms": 60_000})
        assert status == 200 and answer["met"], answer
        return answer["lines"][-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.proxy.ask("DELETE", f"/spaces/{self.name}")

"""A `postern serve` process, and tokens of PyJWT for it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from pathlib import Path

import jwt

SECRET = "a secret of the end-to-end tests, long enough for HS512: 0123456789abcdef"


def token(user="ann", life=3600, secret=SECRET, algorithm="HS256", **claims):
    """A token that PyJWT signs, of `life` seconds from now on (None: for ever). No two are the same."""
    now = time.time()
    claims = {"user_id": user, "iat": now, "jti": uuid.uuid4().hex, **claims}
    if life is not None:
        claims["exp"] = now + life
    return jwt.encode(claims, secret, algorithm=algorithm)


def call_token(*cids, life=3600, **claims):
    """A call token: what an anonymous user has."""
    return token("!anon", life, call_cids=list(cids), **claims)


def halt(process):
    """Stops a process, and returns when none of its threads runs any more. A signal takes a while on a busy machine."""
    process.send_signal(signal.SIGSTOP)
    deadline = time.monotonic() + 60
    while not all(state == "T" for state in states(process)):
        assert time.monotonic() < deadline, f"process {process.pid} does not stop"
        time.sleep(0.01)


def states(process):
    """The states of its threads, as proc(5) has them."""
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        # A thread may have ended in between. The name before the state may have any character.
        with contextlib.suppress(OSError):
            yield (task / "stat").read_text().rpartition(")")[2].split()[0]


class Gateway:
    """A gateway on free loopback ports; ends with the `with` block, and must have logged no token by then."""

    def __init__(self, *flags, expected_exit=0, loops=2, stdin=None, has_secret=True):
        self.stdin = stdin
        self.flags = flags
        self.loops = loops
        self.has_secret = has_secret
        self.expected_exit = expected_exit
        self.folder = tempfile.TemporaryDirectory(prefix="postern-")
        self.secret_file = Path(self.folder.name, "secret")
        self.secret_file.write_text(SECRET)
        self.log_file = Path(self.folder.name, "log")

    def __enter__(self):
        command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", "--loops", str(self.loops)]
        command += [*(self.has_secret * ["--secret-file", str(self.secret_file)]), *self.flags]
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(command, stdin=self.stdin, stdout=subprocess.PIPE, stderr=log)
        timer = threading.Timer(90, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if not line:
            self.process.wait()
            raise RuntimeError(f"no gateway: {' '.join(command)}\n{self.log()}")
        self.ready = json.loads(line)
        assert self.ready["event"] == "ready" and self.ready["pid"] == self.process.pid
        self.url, self.http_url, self.port = self.ready["url"], self.ready["http_url"], self.ready["port"]
        self.control_url = self.ready["control_url"]
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = "killed after 60 s"
        self.process.stdout.close()
        log = self.log()
        self.folder.cleanup()
        if kind is not None:
            print(log)
            return
        assert status == self.expected_exit, f"{status}\n{log}"
        assert SECRET not in log and not re.search(r"eyJ[\w-]+\.", log), "a secret or a token in the log"

    def log(self):
        return self.log_file.read_text(errors="replace")

    def logged(self, words, count=1, patience=60):
        """The lines of the log with these words, once there are `count` of them. A thread of its own writes the log, so a
        line may come a moment later than the answer or the message that it is about."""
        deadline = time.monotonic() + patience
        while len(lines := [line for line in self.log().splitlines() if words in line]) < count:
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.02)
        return lines

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident_bytes(self):
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE")

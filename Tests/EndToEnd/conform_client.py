"""A client of the plain dialect for `postern ctl conform`, and the faults that it may have: `python conform_client.py
[FAULT]`."""

import base64
import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
import urllib.error
import urllib.request

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

# Close codes after which no client may come back, whatever its token.
FINAL = {1000, 1002, 1003, 1007, 1008, 1009, 1010, *range(4500, 5000)}


class GaveUp(Exception):
    pass


class Client:
    tries = 2
    # How long the client waits for an answer that must come at once.
    patience = 3

    def __init__(self):
        self.url, self.token = os.environ["POSTERN_URL"], os.environ["POSTERN_TOKEN"]
        self.provider, self.user = os.environ["POSTERN_TOKEN_URL"], os.environ["POSTERN_USER"]
        self.refused = 0
        self.call = self.failure = None
        self.lock = threading.Lock()

    # Tokens

    def fetch(self):
        """Fetches a new token. Tries again after each failure, but not after a refusal."""
        tries = 0
        while True:
            request = urllib.request.Request(
                self.provider, json.dumps({"user_id": self.user}).encode(), {"Content-Type": "application/json"})
            try:
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                    return json.load(answer)["token"]
            except urllib.error.HTTPError as refusal:
                if refusal.code in (401, 403):
                    self.after_final(f"the provider says {refusal.code}")
                time.sleep(self.retry_after(refusal.headers.get("Retry-After", 0)))
            except (urllib.error.URLError, TimeoutError):
                pass
            self.pause(tries)
            tries += 1

    def renew(self):
        """The same, with single flight: a caller that comes during a request waits for its answer."""
        with self.lock:
            if self.call is None:
                self.call = Call(self.fetch)
            call = self.call
        try:
            self.token = call.result()
        finally:
            with self.lock:
                if self.call is call:
                    self.call = None
        return self.token

    def pause(self, tries):
        time.sleep(random.uniform(0.05, min(8, 0.4 * 2**tries)))

    # The connection

    def run(self):
        tries = 0
        while True:
            try:
                with self.connect() as socket:
                    socket.recv(timeout=self.patience)
                    tries = 0
                    self.refused = 0
                    code = self.listen(socket)
                if self.failure:
                    raise self.failure
            except (TimeoutError, OSError, ConnectionClosed):
                # The connection was refused, or broke.
                code = 1006
            except InvalidStatus as refusal:
                if refusal.response.status_code == 403:
                    self.after_final(403)
                if refusal.response.status_code in (429, 503):
                    time.sleep(self.retry_after(refusal.response.headers.get("Retry-After", 0)))
                    self.pause(tries)
                    tries += 1
                    continue
                self.refused += 1
                if self.refused > self.tries:
                    raise GaveUp("refused again and again") from None
                self.after_refusal()
                continue
            if code in FINAL:
                self.after_final(code)
            if code in (4000, 4004):
                self.renew()
            self.pause(tries)
            tries += 1

    def connect(self):
        return connect(
            self.url, additional_headers={"Authorization": f"Bearer {self.token}"}, proxy=None,
            open_timeout=self.patience, close_timeout=self.patience, ping_interval=self.patience,
            ping_timeout=self.patience)

    def retry_after(self, seconds):
        return float(seconds)

    def after_refusal(self):
        self.renew()

    def after_final(self, code):
        raise GaveUp(code)

    def listen(self, socket):
        refresh, tries = None, 0
        try:
            self.ask(socket)
            for text in socket:
                message = json.loads(text)
                # A second request while the answer is being made is the same request.
                if message["type"] == "refresh_required" and not self.is_under_way(refresh):
                    refresh, tries = self.start(self.refresh, socket), 0
                if message["type"] == "error" and message["error"]["number"] // 100_000 == 5:
                    refresh = self.start(self.present_again, socket, tries)
                    tries += 1
                elif message["type"] == "error" and tries < self.tries - 1:
                    refresh = self.start(self.refresh, socket)
                    tries += 1
        except ConnectionClosed:
            pass
        return socket.close_code

    def ask(self, socket):
        """Asks for another thing of its own, and learns later whether it has it. Nothing waits for that."""
        socket.send(json.dumps({"type": "join", "cid": "default:standup"}))

    def is_under_way(self, refresh):
        return refresh is not None and refresh.is_alive() and not refresh.is_given

    def start(self, work, *arguments):
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        thread.is_given = False
        thread.start()
        return thread

    def refresh(self, socket):
        try:
            self.present(socket, self.renew())
        except GaveUp as reason:
            self.failure = reason
            socket.close()

    def present_again(self, socket, tries):
        self.pause(tries)
        self.present(socket, self.token)

    def present(self, socket, token):
        # If time is moved, the next request may come before this thread has ended.
        threading.current_thread().is_given = True
        try:
            socket.send(json.dumps({"type": "refresh", "token": token}))
        except ConnectionClosed:
            pass


class Call(threading.Thread):
    """One call in flight."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work = work
        self.start()

    def run(self):
        self.answer = self.failure = None
        try:
            self.answer = self.work()
        except GaveUp as reason:
            self.failure = reason

    def result(self):
        self.join()
        if self.failure:
            raise self.failure
        return self.answer


class AsksTwice(Client):
    def refresh(self, socket):
        self.fetch()
        super().refresh(socket)


class AsksAtOnce(Client):
    """Has no single flight: each part that wants a token asks for one."""

    def renew(self):
        self.token = self.fetch()
        return self.token


class Loops(Client):
    """Repeats every refused request without end."""

    tries = float("inf")

    def after_refusal(self):
        time.sleep(0.05)

    def after_final(self, code):
        time.sleep(0.05)


class Hasty(Client):
    """Ignores Retry-After, and answers a repeated request twice."""

    def retry_after(self, seconds):
        return 0

    def is_under_way(self, refresh):
        return False


class Insists(Client):
    """Asks repeatedly for something that has no answer."""

    def ask(self, socket):
        def insist():
            try:
                while True:
                    super(Insists, self).ask(socket)
                    time.sleep(0.1)
            except ConnectionClosed:
                pass

        self.start(insist)


class BelievesItsClock(Client):
    """Treats a token as expired if its `exp` has passed by the client's own clock."""

    def renew(self):
        for _ in range(9):
            token = super().renew()
            payload = token.split(".")[1]
            if json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["exp"] > time.time():
                break
            time.sleep(0.1)
        return token


class Leaks(Client):
    """Abandons a silent connection once, without closing it."""

    kept = []

    @contextlib.contextmanager
    def connect(self):
        socket = connect(
            self.url, additional_headers={"Authorization": f"Bearer {self.token}"}, proxy=None, ping_interval=None)
        self.kept.append(socket)
        yield socket

    def listen(self, socket):
        if len(self.kept) > 1:
            return super().listen(socket)
        with contextlib.suppress(TimeoutError):
            while True:
                socket.recv(timeout=5)


class InStep(Client):
    """Has no jitter. Its waits are so long that the delays of a busy machine are a small share of them."""

    def pause(self, tries):
        time.sleep(1.2)


class AsksOnce(Client):
    """Stops after the first failure of its provider."""

    def pause(self, tries):
        if threading.current_thread() is not threading.main_thread():
            time.sleep(1000)
        super().pause(tries)


class Silent(Client):
    """Does not answer requests for a token."""

    def refresh(self, socket):
        pass


def somebody_else():
    """Logs in as another user and ends, like a client that has outlived its gateway and finds another one on the same port."""
    stranger = Client()
    stranger.user = "somebody-else"
    stranger.token = stranger.fetch()
    with connect(stranger.url, additional_headers={"Authorization": f"Bearer {stranger.token}"}, proxy=None) as socket:
        assert json.loads(socket.recv(timeout=30))["type"] == "connected"


def stubborn():
    """Ignores the request to end, and so do its child processes."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", f"trap '' TERM; sleep 1000; sleep 1000 # {sys.argv[-1]}")
    Client().run()


def chatty():
    def talk():
        while True:
            print("blah " * 1000, flush=True)

    threading.Thread(target=talk, daemon=True).start()
    Client().run()


KINDS = {
    "good": lambda: Client().run(), "asks-twice": lambda: AsksTwice().run(), "asks-at-once": lambda: AsksAtOnce().run(),
    "loops": lambda: Loops().run(), "in-step": lambda: InStep().run(),
    "insists": lambda: Insists().run(), "believes-its-clock": lambda: BelievesItsClock().run(),
    "leaks": lambda: Leaks().run(), "silent": lambda: Silent().run(),
    "hasty": lambda: Hasty().run(), "asks-once": lambda: AsksOnce().run(),
    "stubborn": stubborn, "chatty": chatty, "somebody-else": somebody_else,
}

if __name__ == "__main__":
    try:
        KINDS[sys.argv[1] if len(sys.argv) > 1 else "good"]()
    except GaveUp as reason:
        print(f"gave up: {reason}")

"""What a client does in one row of Docs/behaviours-of-vendors.md, step by step, and what it gets at each in a vendor's wire."""

import contextlib
import os
import shlex
import signal
import tempfile
import threading
import time

from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus
from websockets.sync.client import connect

from behaviours import Case
from clients import request
from gateway import SECRET, Gateway
from orders import until

PATIENCE = 60
# For how long nothing is to come where the table says so.
SILENCE = 0.4
# For how long it is waited for more where the table is made anew: in one row the second answer comes after four seconds.
LISTENING = 4.5


class Peer:
    """One connection of a vendor's client, or what came in place of it."""

    def __init__(self, walk, token, user):
        self.walk, self.wire = walk, walk.wire
        self.socket, self.over = None, None
        self.stack = contextlib.ExitStack()
        query = self.wire.query(token, user or "")
        try:
            self.socket = self.stack.enter_context(
                connect(
                    f"{walk.url}{self.wire.path}{'?' if query else ''}{query}", proxy=None, ping_interval=None,
                    open_timeout=walk.patience_for_upgrades, close_timeout=0.5, **self.wire.options(token, user)))
        except InvalidStatus as refusal:
            self.over = f"HTTP {refusal.response.status_code}"
            if after := refusal.response.headers.get("Retry-After"):
                self.over += f" after {after} s"
        except TimeoutError:
            self.over = "no answer"
        except (InvalidMessage, EOFError, ConnectionClosed):
            self.over = "cut off"
        else:
            message = None if token is None else self.wire.login(walk, token, user)
            if message is not None:
                self.say(message)

    def say(self, message):
        try:
            self.socket.send(message)
        except ConnectionClosed:
            pass

    def next(self, patience):
        """The next word; None if none comes."""
        if self.over is not None:
            word, self.over = self.over, ""
            return word or None
        try:
            return self.wire.word(self.socket.recv(timeout=patience))
        except TimeoutError:
            return None
        except ConnectionClosed as end:
            self.over = ""
            return f"close {end.rcvd.code}" if end.rcvd else "cut off"

    def end(self):
        threading.Thread(target=self.stack.close, daemon=True).start()


class Walk(Case):
    """One row in one wire: what the client does, and what it gets at each step."""

    def __init__(self, host, calls, wire, expected=None):
        self.wire, self.expected = wire, expected
        self.peers, self.steps, self.heard = [], [], []
        self.patience_for_upgrades = PATIENCE
        self.row = list(calls)
        super().__init__(host, calls)

    # Tokens

    def token(self, user="martin", life=3600, **members):
        order = {"user_id": user, "life_s": life, "scheme": self.wire.scheme, **members}
        answer = request(self.http_url, "POST", "/v1/tokens", order, document=None)
        assert answer.status == 200, answer.body
        return answer.json["token"]

    def own_token(self, user="martin", life=3600):
        return self.wire.own_token(self, user, life)

    # Steps

    def step(self, name, *words):
        """A step that has come to these words."""
        self.steps.append(name)
        self.heard.append(", ".join(words))

    def hears(self, name, *peers):
        """A step that comes to whatever the peers hear now: so many words as the table says; as come, where it is made anew."""
        words = []
        expected = None if self.expected is None else self.expected[len(self.steps)].split(", ")
        if expected is None:
            for peer in peers:
                words += iter(lambda: peer.next(LISTENING), None)
        elif expected == ["nothing"]:
            words += filter(None, [peer.next(SILENCE) for peer in peers])
        else:
            share = len(expected) // len(peers)
            words += [peer.next(PATIENCE) or "nothing" for peer in peers for _ in range(share)]
        self.step(name, *(words or ["nothing"]))

    def connects(self, token, user, closing=False):
        """A connection that has said who it is; the first message, and no connection any more, if `closing`."""
        peer = Peer(self, token, user)
        self.peers.append(peer)
        if closing:
            text = peer.socket.recv(timeout=PATIENCE)
            peer.socket.close()
            return text
        return peer

    def enters(self, token=None, user="martin", name="connects", life=3600):
        peer = self.connects(self.token(user, life) if token is None else token, user)
        self.hears(name, peer)
        return peer

    def waits(self, peer, name="waits"):
        self.hears(name, peer)

    def calls_and_hears(self, peer, count=1, name="waits"):
        self.call(count)
        self.waits(peer, name)

    def renews(self, peer, token=None, name="renews", life=3600):
        """Presents a new token: on its connection, or by a new one where the wire does that."""
        if not self.wire.renews_in_place:
            # Its dates are whole seconds, and what has ended takes in all that was issued in the same one.
            time.sleep(1.1 if token is None else 0)
            return self.enters(token, name=name, life=life)
        token = token or self.token(life=life)
        peer.say(self.wire.renewal(token))
        self.hears(name, peer)
        return peer

    def counts(self, kind, count):
        """A step that comes to the number of the journal's lines of that kind, once there are `count` of them."""
        until(lambda: self.count(kind) >= count)
        self.step("the journal", f"{self.count(kind)} {kind}")

    def pings(self, peer, name="pings"):
        peer.say(self.wire.ping())
        self.hears(name, peer)

    def asks(self, peer, name="commands"):
        peer.say(self.wire.command())
        self.hears(name, peer)

    def end(self):
        for peer in self.peers:
            peer.end()
        super().end()

    def outcome(self):
        return "; ".join(self.heard)


class Alone(Walk):
    """A walk with a gateway of its own, which the row starts by `serve`."""

    def __init__(self, host, calls, wire, expected=None):
        self.stack = contextlib.ExitStack()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.flags = [flag.replace("sqlite:store", f"sqlite:{folder}/store") for flag in shlex.split(calls[0])[1:]]
        self.flags += ["--drain-window", "500ms"]
        super().__init__(host, calls[1:], wire, expected)

    def make(self, call):
        self.host = self.stack.enter_context(Gateway(*self.flags))
        self.url, self.http_url, self.control_url = self.host.url, self.host.http_url, self.host.control_url
        self.made = {"secret": SECRET}

    def ctl(self, text, below=False):
        return super().ctl(text)

    def ends(self, name, peer):
        os.kill(self.host.process.pid, signal.SIGTERM)
        self.hears(name, peer)
        self.host.process.wait(60)

    def end(self):
        for peer in self.peers:
            peer.end()
        self.stack.close()

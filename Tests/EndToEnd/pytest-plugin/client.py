"""An SDK to be tested: keeps one connection, and asks its provider for a token when the gateway asks for one."""

import contextlib
import json
import threading

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


class SDK:
    def __init__(self, url, provider):
        self.provider = provider
        self.close_code = None
        self.connected = threading.Event()
        self.closed = threading.Event()
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(connect(f"{url}?access_token={provider()}", proxy=None, open_timeout=60))
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        assert self.connected.wait(60)

    def _read(self):
        try:
            for text in self.socket:
                message = json.loads(text)
                if message["type"] == "connected":
                    self.connected.set()
                if message["type"] == "refresh_required":
                    self.answer()
        except ConnectionClosed:
            pass
        self.close_code = self.socket.close_code
        self.closed.set()

    def answer(self):
        self.socket.send(json.dumps({"type": "refresh", "token": self.provider()}))

    def close(self):
        self.stack.close()


class TwiceAsking(SDK):
    """The SDK with a fault: it asks its provider twice for each refresh."""

    def answer(self):
        self.provider()
        super().answer()


class Silent(SDK):
    """The SDK with a fault: it does not answer."""

    def answer(self):
        pass

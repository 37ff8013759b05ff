"""One connection to a wire of JSON messages that a document describes. Every message is checked against it."""

import contextlib
import json

from websockets.sync.client import connect

PATIENCE = 60


class DocumentedSocket:
    """`document` describes the messages in both directions at `path`."""

    document = None
    path = None

    def __init__(self, gateway):
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(connect(gateway.url + self.path, open_timeout=PATIENCE, proxy=None))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def send(self, kind, **members):
        message = {"type": kind, **members}
        self.document.check(message, self.document.from_client)
        self.socket.send(json.dumps(message))

    def receive(self, kind=None, patience=PATIENCE):
        """The next message; it must be of `kind` if that is given."""
        text = self.socket.recv(timeout=patience)
        assert isinstance(text, str), "a binary frame"
        message = json.loads(text)
        self.document.check(message, self.document.from_gateway)
        assert kind is None or message["type"] == kind, f"{message} in place of {kind}"
        return message

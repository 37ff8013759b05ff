"""A client of the socket. Each message is four letters and a JSON object, as in the vendor's JavaScript SDK."""

import contextlib
import json
import uuid

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

PATIENCE = 60


class SocketClient:
    def __init__(self, gateway, user, token=None):
        query = f"ai=APP&p=JS&user_id={user}&expiring_session=1"
        if token is not None:
            query += f"&access_token={token}"
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(
            connect(f"{gateway.url}/?{query}", open_timeout=PATIENCE, close_timeout=PATIENCE, proxy=None))
        self.login = self.next("LOGI")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    @property
    def key(self):
        return {"Session-Key": self.login["key"]}

    def next(self, *names):
        """The next command with one of these names; others are skipped."""
        while True:
            message = self.socket.recv(timeout=PATIENCE)
            assert isinstance(message, str) and message.endswith("\n") and message.count("\n") == 1
            if message[:4] in names:
                return json.loads(message[4:]) | {"command": message[:4]}

    def ask(self, name, **members):
        """The answer to a command."""
        request = str(uuid.uuid4())
        self.socket.send(name + json.dumps(members | {"req_id": request}) + "\n")
        while True:
            answer = self.next(name, "EROR")
            if answer.get("req_id") == request:
                return answer

    def is_closed(self):
        """Whether the gateway closes the socket before the timeout."""
        try:
            while True:
                self.socket.recv(timeout=PATIENCE)
        except TimeoutError:
            return False
        except ConnectionClosed:
            return True

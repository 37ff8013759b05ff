"""uvicorn with an ASGI application, and the tokens that the applications check."""

import threading
import time
from collections import Counter

import jwt
import uvicorn

SECRET = "a secret of thirty-two bytes, or more"


def claims_of(token):
    """What a good token says; throws for any other."""
    return jwt.decode(token, SECRET, algorithms=["HS256"], options={"require": ["exp"], "verify_aud": False})


class Server:
    """An ASGI application on a port of its own, in a thread of its own."""

    def __init__(self, make):
        self.log = Counter()
        # What an application waits for yet when its test is over, a token's end say, is not waited for.
        config = uvicorn.Config(
            make(self.log), port=0, log_level="error", ws="websockets-sansio", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        deadline = time.monotonic() + 60
        while not self.server.started:
            assert time.monotonic() < deadline and self.thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        port = self.server.servers[0].sockets[0].getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}"
        return self

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join(30)

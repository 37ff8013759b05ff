"""A gateway with a Streem platform, its clients, and the documents that every exchange is checked against."""

import contextlib
import json

import documents
from builders import Key
from clients import PATIENCE, control, request
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

SOCKET = documents.SocketDocument("streem-asyncapi.yaml")
HTTP = documents.HTTPDocument("streem-openapi.yaml")


def make_key(gateway, **order):
    """An API key that the control port hands out."""
    answer = control(gateway, "POST", "/streem/api-keys", order)
    assert answer.status == 201, answer.body
    return Key(answer.json)


def api(gateway, method, path, body=None, token=None, key=None, **options):
    """Streem's HTTP side: `token` as Bearer, or an API key as Basic."""
    headers = options.pop("headers", {})
    if key is not None:
        import base64

        credentials = base64.b64encode(f"{key.id}:{key.secret}".encode()).decode()
        headers = headers | {"Authorization": f"Basic {credentials}"}
    return request(gateway.http_url, method, path, body, token, headers=headers, document=HTTP, **options)


class Client:
    """One connection; every message is held against the document."""

    def __init__(self, gateway):
        self.stack = contextlib.ExitStack()
        url = gateway.url + "/streem/v1/connect"
        self.socket = self.stack.enter_context(connect(url, open_timeout=PATIENCE, proxy=None))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def send(self, kind, **members):
        message = {"type": kind, **members}
        SOCKET.check(message, SOCKET.from_client)
        self.socket.send(json.dumps(message))

    def receive(self, kind=None):
        message = json.loads(self.socket.recv(timeout=PATIENCE))
        SOCKET.check(message, SOCKET.from_gateway)
        assert kind is None or message["type"] == kind, f"{message} in place of {kind}"
        return message

    def ask(self, kind, **members):
        self.send(kind, **members)
        return self.receive()

    def identify(self, token, **members):
        return self.ask("identify", token=token, **members)

    def until_closed(self):
        """Code and reason of the gateway's close frame, and the messages before it."""
        messages = []
        try:
            while True:
                messages.append(self.receive())
        except ConnectionClosed as end:
            assert end.rcvd is not None, "the connection ended without a close frame"
            return end.rcvd.code, end.rcvd.reason, messages

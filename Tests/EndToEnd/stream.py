"""Clients that behave like Stream's for other languages: how each authenticates, sends health checks, decides that the gateway
is gone, and reconnects."""

import contextlib
import json
import time
import urllib.parse
import uuid

import jwt
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from gateway import SECRET

PATIENCE = 60
KEY = "stream"


def mint(user="ann", life=None, secret=SECRET, **claims):
    """A user's token as servers mint it, in whole seconds."""
    if life is not None:
        claims["exp"] = int(time.time()) + life
    return jwt.encode({"user_id": user, **claims}, secret, algorithm="HS256")


class Socket:
    """One connection that sends frames and reads JSON texts."""

    def __init__(self, gateway, path, parameters=None, headers=None, key=KEY, **options):
        query = urllib.parse.urlencode({"api_key": key, **(parameters or {})})
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(
            connect(
                f"{gateway.url}{path}?{query}", additional_headers=headers or {}, open_timeout=PATIENCE, proxy=None,
                ping_interval=None, **options
            )
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def say(self, message, binary=False):
        text = message if isinstance(message, str) else json.dumps(message)
        self.socket.send(text.encode() if binary else text)

    def hear(self, kind=None, patience=PATIENCE):
        """The next message, which must be text, and of `kind` if that is given."""
        text = self.socket.recv(timeout=patience)
        assert isinstance(text, str), "the gateway never speaks in binary frames"
        message = json.loads(text)
        assert kind is None or message["type"] == kind, message
        return message

    def until_closed(self, patience=PATIENCE):
        """Code and reason of the close frame. Earlier messages are in `heard`."""
        self.heard = []
        try:
            while True:
                self.heard.append(self.hear(patience=patience))
        except ConnectionClosed as end:
            assert end.rcvd is not None, "no close frame"
            return end.rcvd.code, end.rcvd.reason


# How each SDK opens its socket, up to the receipt of connection.ok.


def swift(gateway, token, user="ann", **options):
    """Authenticates in a binary frame, with members in another order and an empty custom."""
    query = {"X-Stream-Client": "stream-video-swift-v1.51.0", "stream-auth-type": "jwt"}
    socket = Socket(gateway, "/video/connect", query, **options)
    socket.say({"user_details": {"custom": {}, "id": user, "name": user}, "token": token}, binary=True)
    return socket


def javascript(gateway, token, user="ann", **options):
    query = {"stream-auth-type": "jwt", "X-Stream-Client": "stream-video-plain_javascript-v1.58.0|client_bundle=browser"}
    socket = Socket(gateway, "/video/connect", query, **options)
    socket.say({"token": token, "user_details": {"id": user}, "products": ["video"]})
    return socket


def flutter(gateway, token, user="ann", **options):
    query = {"stream-auth-type": "jwt", "X-Stream-Client": "stream-video-flutter-v1.0.0"}
    socket = Socket(gateway, "/video/connect", query, **options)
    socket.say({"token": token, "user_details": {"id": user}})
    return socket


def android(gateway, token, user="ann", **options):
    """Sends in the headers of the upgrade, and in the message too, what others send in the query."""
    headers = {"Authorization": token, "stream-auth-type": "jwt", "X-Stream-Client": "stream-video-android-1.0"}
    socket = Socket(gateway, "/video/connect", headers=headers, **options)
    socket.say({"token": token, "user_details": {"id": user, "name": "", "image": "", "custom": {}}})
    return socket


def rust(gateway, token, user="ann", **options):
    socket = Socket(
        gateway, "/api/v2/connect", {"user_id": user, "stream-auth-type": "jwt"},
        {"X-Stream-Client": "stream-rust-0.2.0"}, **options
    )
    socket.say({"token": token, "user_details": {"id": user}, "products": ["video"]})
    return socket


def chat(gateway, token, user="ann", **options):
    """Sends no message: its query authenticates. The first message that it receives is a health.check."""
    what = {"user_id": user, "user_details": {"id": user, "color": "red"}, "client_request_id": str(uuid.uuid4())}
    query = {
        "json": json.dumps(what), "authorization": token, "stream-auth-type": "jwt",
        "X-Stream-Client": "stream-chat-javascript-client-browser-9.49.0",
    }
    return Socket(gateway, "/connect", query, **options)


SDKS = {"swift": swift, "javascript": javascript, "flutter": flutter, "android": android, "rust": rust, "chat": chat}


def keep_alive(sdk, user, first):
    """The SDK's health check, given the first message that it received."""
    if sdk in ("javascript", "chat"):
        return [{"type": "health.check", "client_id": f"{user}--{uuid.uuid4()}"}]
    if sdk == "flutter":
        return [{"type": "health.check", "client_id": first["connection_id"]}]
    if sdk == "android":
        return first
    return {"type": "health.check", "cid": "*"}

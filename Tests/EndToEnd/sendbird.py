"""Clients of a Sendbird application, each modelled on what is known of one of the vendor's own, and tokens of PyJWT."""

import contextlib
import hashlib
import json
import time
import urllib.parse

import jwt
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from clients import request
from gateway import SECRET

PATIENCE = 60
APPLICATION = "A1B2C3"


def session_token(user="ann", life=3600, secret=SECRET):
    """A session token: the vendor's three members, and the time of issue."""
    now = time.time()
    number = int.from_bytes(hashlib.sha256(user.encode()).digest()[:6], "big")
    claims = {"e": round(now + life, 3), "u": number, "v": 1, "i": int(now * 1000)}
    return jwt.encode(claims, secret, algorithm="HS256")


def subprotocol(**members):
    """Credentials as browser clients send them."""
    return urllib.parse.quote(json.dumps(members, separators=(",", ":")), safe="")


class SendbirdClient:
    """One connection. Reads one command of each message, as the strictest clients do."""

    def __init__(self, gateway, query, subprotocol=None, headers=None):
        query = query if isinstance(query, str) else urllib.parse.urlencode(query)
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(
            connect(
                f"{gateway.url}/?{query}", subprotocols=[subprotocol] if subprotocol else None,
                additional_headers=headers, open_timeout=PATIENCE, proxy=None,
            )
        )
        assert self.socket.subprotocol == subprotocol, "the subprotocol must come back as it was offered"
        if subprotocol is None:
            assert "Sec-WebSocket-Protocol" not in self.socket.response.headers

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def receive(self, name=None, patience=PATIENCE):
        """The payload of the next command, which must have this `name` if one is given."""
        message = self.socket.recv(timeout=patience)
        assert isinstance(message, str), "a binary message"
        assert message.endswith("\n") and message.count("\n") == 1, "not one command to a message"
        command, payload = message[:4], json.loads(message[4:])
        assert name is None or command == name, f"{message} in place of {name}"
        assert not (command == "EROR" and "req_id" not in payload), "an EROR nobody asked for"
        return payload if name else (command, payload)

    def say(self, command, **members):
        self.socket.send(f"{command}{json.dumps(members, separators=(',', ':'))}\n")

    def ping(self):
        self.say("PING", id=int(time.time() * 1000), active=1, req_id="")
        pong = self.receive("PONG")
        assert abs(pong["ts"] - time.time() * 1000) < 60_000 and pong["sts"] == pong["ts"]

    def vanish(self):
        """Loses the connection without a close frame."""
        self.socket.close_socket() if hasattr(self.socket, "close_socket") else self.socket.socket.close()

    def until_closed(self, patience=PATIENCE):
        """The commands until the gateway's close frame, and its code."""
        heard = []
        try:
            while True:
                heard.append(self.receive(patience=patience))
        except ConnectionClosed as end:
            assert end.rcvd is not None, "the connection ended without a close frame"
            return heard, end.rcvd.code


def refresh_over_http(gateway, token, user="ann", **headers):
    """POST /v3/users/{user}/session_key."""
    headers = {"App-Id": APPLICATION, "Access-Token": token, **headers}
    return request(
        gateway.http_url, "POST", f"/v3/users/{user}/session_key", {"expiring_session": True}, headers=headers,
        document=None,
    )

"""Clients of the plain dialect that connect once, stay, and note how they end."""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import selectors
import socket
import threading
import time
import uuid


def mint(secret, user, issued=None, life=7200):
    """A JWT of the user, signed with HS256."""
    now = time.time() if issued is None else issued
    claims = {"user_id": user, "iat": int(now), "exp": int(now) + life, "jti": uuid.uuid4().hex}
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in ({"alg": "HS256"}, claims)]
    signature = hmac.new(secret.encode(), b".".join(parts), hashlib.sha256).digest()
    return b".".join([*parts, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()


class Held:
    """One client. Its end has a time and the code of the close frame; None if the connection ended without one."""

    def __init__(self, node, user, link):
        self.node, self.user, self.link = node, user, link
        self.unread, self.is_connected, self.ended, self.code, self.pongs = b"", False, None, None, 0
        self.replies = {}  # The types of the answers to its own messages, by their ids.

    def send(self, operation, payload=b""):
        mask = os.urandom(4)
        body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
        with contextlib.suppress(OSError):
            self.link.send(bytes([0x80 | operation]) + size + mask + body)

    def take(self, data):
        self.unread += data
        while (frame := self.frame()) is not None:
            operation, payload = frame
            if operation == 8:
                self.code = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
                self.ended = self.ended or time.monotonic()
                self.send(8, payload[:2])
            elif operation == 9:
                self.send(10, payload[:125])
            elif operation == 10:
                self.pongs += 1
            elif operation == 1:
                message = json.loads(payload)
                self.is_connected = self.is_connected or message["type"] == "connected"
                if name := message.get("id"):
                    self.replies[name] = message["type"]

    def show(self, token, name):
        """Shows a token on the open connection, as a message with that id: the next one, or the first."""
        kind = "refresh" if self.is_connected else "connect"
        self.send(1, json.dumps({"type": kind, "id": name, "token": token}).encode())

    def frame(self):
        """The first whole frame of what was read; None if it has not all come."""
        head = self.unread[:10]
        if len(head) < 2:
            return None
        size, start = head[1] & 127, 2
        if size >= 126:
            start = 4 if size == 126 else 10
            if len(head) < start:
                return None
            size = int.from_bytes(head[2:start], "big")
        if len(self.unread) < start + size:
            return None
        payload, self.unread = self.unread[start : start + size], self.unread[start + size :]
        return head[0] & 15, payload


class HeldClients:
    """The clients of all nodes, read by one thread; ends with the `with` block."""

    def __init__(self):
        self.all, self.selector, self.is_over = [], selectors.DefaultSelector(), threading.Event()
        self.thread = threading.Thread(target=self.read)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        for client in self.all:
            client.link.close()
        self.selector.close()

    def connect(self, node, port, token, user):
        """Connects a client; without a token it opens the connection only. It is said to be of that node."""
        link = socket.create_connection(("127.0.0.1", port), timeout=30)
        head = (
            "GET /v1/connect HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            + (f"Authorization: Bearer {token}\r\n\r\n" if token else "\r\n")
        )
        try:
            link.sendall(head.encode())
            answer = b""
            while b"\r\n\r\n" not in answer:
                if not (data := link.recv(4096)):
                    raise OSError("the gateway ended the connection")
                answer += data
        except OSError as fault:
            link.close()
            raise RuntimeError(f"a client does not connect to node {node}: {fault}") from fault
        answer, _, rest = answer.partition(b"\r\n\r\n")
        client = Held(node, user, link)
        self.all.append(client)
        if b" 101 " not in answer.splitlines()[0]:
            raise RuntimeError(f"a client does not connect to node {node}: {answer.splitlines()[0].decode()}")
        link.setblocking(False)
        client.take(rest)
        self.selector.register(link, selectors.EVENT_READ, client)
        return client

    def read(self):
        while not self.is_over.is_set():
            if not self.selector.get_map():
                time.sleep(0.05)
                continue
            for key, _ in self.selector.select(0.2):
                client = key.data
                try:
                    data = client.link.recv(65_536)
                except BlockingIOError:
                    continue
                except OSError:
                    data = b""
                if data:
                    client.take(data)
                else:
                    client.ended = client.ended or time.monotonic()
                    self.selector.unregister(client.link)

    def of(self, node):
        return [client for client in self.all if client.node == node]

    def wait(self, condition, fault, patience=60):
        """Waits until the condition holds for every client."""
        deadline = time.monotonic() + patience
        while not all(condition(client) for client in self.all):
            if time.monotonic() > deadline:
                raise RuntimeError(fault)
            time.sleep(0.05)

    def deaf(self, patience=15):
        """The clients that are open and get no answer to a ping."""
        asked = [(client, client.pongs) for client in self.all if not client.ended]
        for client, _ in asked:
            client.send(9, b"still there?")
        deadline = time.monotonic() + patience
        while waiting := [client for client, pongs in asked if client.pongs == pongs and not client.ended]:
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        return waiting

"""Raw sockets, for bytes that no client library would send."""

import base64
import os
import socket
import struct
import urllib.parse

import gateway as gateways


class RawSocket:
    """A TCP connection to the gateway's port."""

    def __init__(self, gateway):
        host = urllib.parse.urlsplit(gateway.http_url).hostname
        self.socket = socket.create_connection((host, gateway.port), timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def upgrade(self, token=None, path="/v1/connect", **headers):
        """Sends an upgrade request and returns the head of the answer."""
        fields = {
            "Host": "localhost",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Version": "13",
        }
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        if token is not None:
            fields["Authorization"] = f"Bearer {token}"
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value is not None)]
        self.send("\r\n".join(lines + ["", ""]).encode())
        return self.read_head()

    def read_head(self):
        head = b""
        while b"\r\n\r\n" not in head:
            byte = self.socket.recv(1)
            if not byte:
                break
            head += byte
        return head.decode(errors="replace")

    def frame(self, opcode, payload=b"", fin=True, masked=True, reserved=0):
        first = (0x80 if fin else 0) | reserved << 4 | opcode
        length = len(payload)
        if length < 126:
            header = struct.pack("!BB", first, length | (0x80 if masked else 0))
        elif length < 65536:
            header = struct.pack("!BBH", first, 126 | (0x80 if masked else 0), length)
        else:
            header = struct.pack("!BBQ", first, 127 | (0x80 if masked else 0), length)
        mask = os.urandom(4) if masked else b""
        body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload)) if masked else payload
        self.send(header + mask + body)

    def read_exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def read_frame(self):
        first, second = self.read_exactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self.read_exactly(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self.read_exactly(8))
        return first & 0x0F, self.read_exactly(length)

    def until_closed(self):
        """The code of the gateway's close frame; None if the connection ended without one."""
        try:
            while True:
                opcode, payload = self.read_frame()
                if opcode == 8:
                    return struct.unpack("!H", payload[:2])[0] if payload else 1005
        except (EOFError, ConnectionError):
            return None

    def until_end(self):
        """Reads everything that still arrives."""
        data = b""
        try:
            while more := self.socket.recv(65536):
                data += more
        except ConnectionError:
            pass
        return data

    def abort(self):
        """Ends the connection with a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def connected(gateway, user="raw"):
    """A raw socket that has logged in."""
    client = RawSocket(gateway)
    head = client.upgrade(gateways.token(user))
    assert head.startswith("HTTP/1.1 101"), head
    opcode, payload = client.read_frame()
    assert opcode == 1 and b'"connected"' in payload
    return client

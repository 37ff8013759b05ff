"""A TCP relay in front of a gateway that counts what goes over the wire: HTTP requests and answers, WebSocket messages by
type, close frames by code. It shares no code with the storm, so that the storm's figures can be held against it."""

import collections
import json
import socket
import struct
import threading
import time

PASSED = 65536


class Stream:
    """One direction of a connection, taken apart as it flows: HTTP heads and bodies, and frames after a 101."""

    def __init__(self, tap, side, other=None):
        self.tap, self.side, self.other = tap, side, other
        self.buffer = b""
        self.is_socket = False
        self.is_first = True

    def feed(self, data):
        self.buffer += data
        while self.take_frame() if self.is_socket else self.take_http():
            pass

    def take_http(self):
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        fields = {k.strip().lower(): v.strip() for k, v in (line.split(":", 1) for line in lines[1:])}
        length = int(fields.get("content-length", 0))
        if len(self.buffer) < end + 4 + length:
            return False
        self.buffer = self.buffer[end + 4 + length :]
        words = lines[0].split(" ")
        if self.side == "client":
            self.tap.count("http", f"{words[0]} {words[1].split('?')[0]}")
            self.is_socket = "upgrade" in fields
        else:
            self.tap.count("status", int(words[1]))
            self.is_socket = words[1] == "101"
        return True

    def take_frame(self):
        if len(self.buffer) < 2:
            return False
        first, second = self.buffer[:2]
        length, at = second & 0x7F, 2
        if length == 126:
            if len(self.buffer) < 4:
                return False
            length, at = struct.unpack("!H", self.buffer[2:4])[0], 4
        elif length == 127:
            if len(self.buffer) < 10:
                return False
            length, at = struct.unpack("!Q", self.buffer[2:10])[0], 10
        mask = b""
        if second & 0x80:
            mask, at = self.buffer[at : at + 4], at + 4
        if len(self.buffer) < at + length:
            return False
        payload = self.buffer[at : at + length]
        self.buffer = self.buffer[at + length :]
        if mask:
            payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.take_message(first & 0x0F, payload)
        return True

    def take_message(self, opcode, payload):
        if opcode == 8:
            # The first close frame of a connection says who ended it; the other is the echo.
            if not self.tap_closed():
                self.tap.count(f"{self.side} closes", struct.unpack("!H", payload[:2])[0] if payload else 1005)
        elif opcode == 1:
            try:
                message = json.loads(payload)
                kind = message["type"]
                if kind == "error":
                    kind += f" {message['error']['name']}"
            except (ValueError, KeyError, TypeError):
                kind = "garbage"
            self.tap.count(self.side, kind)

    def tap_closed(self):
        closed = self.has_closed or (self.other is not None and self.other.has_closed)
        self.has_closed = True
        return closed

    has_closed = False


class Wiretap:
    """Relays a free loopback port to the gateway's. `counts[what][name]` is how often, `times[what, name]` is when."""

    stream = Stream

    def __init__(self, port):
        self.target = ("127.0.0.1", port)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.counts = collections.defaultdict(collections.Counter)
        self.times = collections.defaultdict(list)
        self.lock = threading.Lock()
        # How late its own threads were at most, in seconds.
        self.late = 0
        self.is_over = False
        self.relays = []

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        threading.Thread(target=self.beat, daemon=True).start()
        return self

    def beat(self):
        while not self.is_over:
            begun = time.monotonic()
            time.sleep(0.02)
            self.late = max(self.late, time.monotonic() - begun - 0.02)

    def __exit__(self, *_):
        # What has passed is counted when its connection has ended on both sides.
        deadline = time.monotonic() + 60
        for relay in self.relays:
            relay.join(max(0, deadline - time.monotonic()))
        self.is_over = True
        self.listener.close()

    def count(self, what, name):
        with self.lock:
            self.counts[what][name] += 1
            self.times[what, name].append(time.monotonic())

    def peak(self, what, name, seconds):
        """The most of these in any stretch of that length."""
        times, peak, first = sorted(self.times[what, name]), 0, 0
        for last, moment in enumerate(times):
            while moment - times[first] >= seconds:
                first += 1
            peak = max(peak, last - first + 1)
        return peak

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target, timeout=60)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            asking = self.stream(self, "client")
            answering = self.stream(self, "gateway", asking)
            asking.other = answering
            for ends in ((client, server, asking), (server, client, answering)):
                self.relays.append(threading.Thread(target=self.relay, args=ends, daemon=True))
                self.relays[-1].start()

    def relay(self, source, sink, stream):
        try:
            while data := source.recv(PASSED):
                stream.feed(data)
                sink.sendall(data)
        except OSError:
            pass
        for end, how in ((sink, socket.SHUT_WR), (source, socket.SHUT_RD)):
            try:
                end.shutdown(how)
            except OSError:
                pass

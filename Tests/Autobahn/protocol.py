"""The client that the cases of autobahntestsuite drive: their fuzzing protocol on asyncio.

It has the names and the rules of autobahn's WebSocketProtocol (0.10.9, with failByDrop off, as the fuzzing client of
the suite sets it), as far as the cases use them. Payloads are text of code points 0...255.
"""

import asyncio
import base64
import os
import struct


def masked(data, key, offset=0):
    count = len(data)
    if count == 0:
        return b""
    rotated = bytes(key[(offset + index) % 4] for index in range(4))
    stream = (rotated * (count // 4 + 1))[:count]
    return (int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")).to_bytes(count, "big")


class WebSocketProtocol(asyncio.Protocol):
    STATE_CLOSED, STATE_CONNECTING, STATE_CLOSING, STATE_OPEN = 0, 1, 2, 3
    MESSAGE_TYPE_TEXT, MESSAGE_TYPE_BINARY = 1, 2
    CLOSE_STATUS_CODE_NORMAL = 1000
    CLOSE_STATUS_CODE_GOING_AWAY = 1001
    CLOSE_STATUS_CODE_PROTOCOL_ERROR = 1002
    CLOSE_STATUS_CODE_INVALID_PAYLOAD = 1007
    # How long the server may take to answer a close frame, and to end the connection after that.
    TIMEOUT = 1

    def __init__(self, case, path, host):
        self.loop = asyncio.get_running_loop()
        self.finished = self.loop.create_future()
        self.path, self.host = path, host
        self.state = self.STATE_CONNECTING
        self.connectionWasOpen = False
        self.wasClean = False
        self.closedByMe = self.failedByMe = self.droppedByMe = False
        self.remoteCloseCode = self.localCloseCode = self.localCloseReason = None
        self.autoFragmentSize = 0
        self.createWirelog = False
        self.txFrameStats = {}
        self.trafficStats = None
        self.factory = type("Factory", (), {"isServer": False})
        self.buffer = b""
        self.message = None
        self.pendingWrites = []
        self.isWriting = False
        self.transport = None
        self.frameKey, self.frameOffset, self.nextOpcode = None, 0, 1
        self.runCase = case(self)

    # The connection

    def connection_made(self, transport):
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode("ascii")
        transport.write((
            f"GET {self.path} HTTP/1.1\r\nHost: {self.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode("ascii"))

    def connection_lost(self, error):
        self.state = self.STATE_CLOSED
        self.runCase.onConnectionLost(self.failedByMe)
        if not self.finished.done():
            self.finished.set_result(None)

    def data_received(self, data):
        self.buffer += data
        if self.state == self.STATE_CONNECTING:
            head, separator, rest = self.buffer.partition(b"\r\n\r\n")
            if not separator:
                return
            if b" 101 " not in head.split(b"\r\n")[0]:
                return self.transport.abort()
            self.buffer = rest
            self.state = self.STATE_OPEN
            self.connectionWasOpen = True
            self.runCase.onOpen()
        while self.state != self.STATE_CLOSED and self.readFrame():
            pass

    def readFrame(self):
        data = self.buffer
        if len(data) < 2:
            return False
        fin, opcode, length, start = data[0] >> 7, data[0] & 15, data[1] & 127, 2
        if data[0] & 0x70 or data[1] & 0x80:
            self.failConnection(self.CLOSE_STATUS_CODE_PROTOCOL_ERROR)
            return False
        if length == 126:
            if len(data) < 4:
                return False
            length, start = struct.unpack("!H", data[2:4])[0], 4
        elif length == 127:
            if len(data) < 10:
                return False
            length, start = struct.unpack("!Q", data[2:10])[0], 10
        if len(data) < start + length:
            return False
        self.buffer = data[start + length:]
        self.frameReceived(bool(fin), opcode, data[start:start + length])
        return True

    def frameReceived(self, fin, opcode, payload):
        if opcode in (1, 2):
            self.message = (opcode == 2, [payload])
        elif opcode == 0 and self.message:
            self.message[1].append(payload)
        elif opcode == 8:
            return self.closeReceived(payload)
        elif opcode == 9:
            self.sendFrame(10, payload.decode("latin-1"))
            return self.runCase.onPing(payload.decode("latin-1"))
        elif opcode == 10:
            return self.runCase.onPong(payload.decode("latin-1"))
        else:
            return self.failConnection(self.CLOSE_STATUS_CODE_PROTOCOL_ERROR)
        if fin:
            isBinary, parts = self.message
            self.message = None
            if self.state == self.STATE_OPEN:
                self.runCase.onMessage(b"".join(parts).decode("latin-1"), isBinary)

    def closeReceived(self, payload):
        self.remoteCloseCode = struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else None
        self.wasClean = True
        if self.state == self.STATE_OPEN:
            self.sendCloseFrame(self.CLOSE_STATUS_CODE_NORMAL, isReply=True)
        self.loop.call_later(self.TIMEOUT, self.serverDropTimeout)

    def serverDropTimeout(self):
        if self.state != self.STATE_CLOSED:
            self.wasClean = False
            self.dropConnection()

    def closeTimeout(self):
        if self.state != self.STATE_CLOSED and self.remoteCloseCode is None and not self.wasClean:
            self.dropConnection()

    def dropConnection(self):
        if self.state != self.STATE_CLOSED:
            self.droppedByMe = True
            self.state = self.STATE_CLOSED
            self.transport.abort()

    def failConnection(self, code=CLOSE_STATUS_CODE_GOING_AWAY):
        if self.state == self.STATE_CLOSED:
            return
        self.failedByMe = True
        if self.state == self.STATE_OPEN:
            self.sendCloseFrame(code)
        else:
            self.dropConnection()

    # What the cases call

    def sendClose(self, code=None, reason=None):
        self.sendCloseFrame(code, reason)

    def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
        if self.state != self.STATE_OPEN:
            return
        payload = "" if code is None else struct.pack("!H", code).decode("latin-1") + (reasonUtf8 or "")
        self.sendFrame(8, payload)
        self.state = self.STATE_CLOSING
        self.closedByMe = not isReply
        self.localCloseCode, self.localCloseReason = code, reasonUtf8
        if not isReply:
            self.loop.call_later(self.TIMEOUT, self.closeTimeout)

    def sendFrame(self, opcode, payload="", fin=True, rsv=0, mask=None, payload_len=None, chopsize=None, sync=False):
        data = payload.encode("latin-1") if isinstance(payload, str) else payload
        if payload_len is not None:
            data = (data * (payload_len // max(1, len(data)) + 1))[:payload_len] if data else b""
        self.txFrameStats[opcode] = self.txFrameStats.get(opcode, 0) + 1
        key = os.urandom(4) if mask is None else mask
        self.sendData(self.header(opcode, len(data), key, fin, rsv) + masked(data, key), sync, chopsize)

    def header(self, opcode, length, key, fin=True, rsv=0):
        first = (0x80 if fin else 0) | (rsv << 4) | opcode
        if length < 126:
            return struct.pack("!BB", first, 0x80 | length) + key
        if length < 65536:
            return struct.pack("!BBH", first, 0x80 | 126, length) + key
        return struct.pack("!BBQ", first, 0x80 | 127, length) + key

    def sendMessage(self, payload, isBinary=False, fragmentSize=None, sync=False):
        size = fragmentSize or self.autoFragmentSize
        opcode = 2 if isBinary else 1
        if not size or len(payload) <= size:
            return self.sendFrame(opcode, payload, sync=sync)
        for start in range(0, len(payload), size):
            self.sendFrame(opcode, payload[start:start + size], fin=start + size >= len(payload), sync=sync)
            opcode = 0

    def beginMessage(self, isBinary=False):
        self.nextOpcode = 2 if isBinary else 1

    def beginMessageFrame(self, length):
        self.frameKey, self.frameOffset = os.urandom(4), 0
        self.sendData(self.header(self.nextOpcode, length, self.frameKey, fin=False))
        self.nextOpcode = 0

    def sendMessageFrameData(self, payload, sync=False):
        data = payload.encode("latin-1")
        self.sendData(masked(data, self.frameKey, self.frameOffset), sync)
        self.frameOffset += len(data)

    def endMessage(self):
        self.sendFrame(0, "", fin=True)

    def sendData(self, data, sync=False, chopsize=None):
        if self.state == self.STATE_CLOSED or self.transport.is_closing():
            return
        pieces = [data] if not chopsize else [data[n:n + chopsize] for n in range(0, len(data), chopsize)]
        if sync or (not chopsize and not self.pendingWrites):
            for piece in pieces:
                self.transport.write(piece)
            return
        # Sends each piece in its own event-loop turn, so that it is a TCP segment of its own.
        self.pendingWrites.extend(pieces)
        if not self.isWriting:
            self.isWriting = True
            self.loop.call_soon(self.writePending, 0)

    def writePending(self, index):
        if index >= len(self.pendingWrites) or self.transport.is_closing():
            self.pendingWrites.clear()
            self.isWriting = False
            return
        self.transport.write(self.pendingWrites[index])
        self.loop.call_soon(self.writePending, index + 1)

    def continueLater(self, delay, fun, tag=None):
        self.loop.call_later(delay, lambda: fun() if self.state != self.STATE_CLOSED else None)

    def killAfter(self, delay):
        self.loop.call_later(delay, self.failConnection)

    def closeAfter(self, delay):
        self.loop.call_later(delay, self.sendClose)

    def enableWirelog(self, enable):
        self.createWirelog = enable

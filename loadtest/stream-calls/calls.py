"""Clients of Stream's in calls: each with a socket at the coordinator, a join over REST, and a socket of the SFU's.

`calls.py --url ws://… --secret-file FILE` plays them; `loadtest/calls` starts a gateway for it. What became of them is not
judged by what they think: a server asks for each call who is in it. Nothing but Python's standard library is needed.
"""

import argparse
import asyncio
import base64
import hashlib
import hmac
import json
import os
import struct
import sys
import time
import urllib.parse

KEY = "storm"
PATIENCE_S = 60


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


class Tokens:
    """Signs as an application's server does."""

    def __init__(self, secret):
        self.secret = secret
        self.server = self.mint({"server": True})

    def mint(self, claims):
        head = base64url(b'{"alg":"HS256","typ":"JWT"}') + b"." + base64url(json.dumps(claims).encode())
        return (head + b"." + base64url(hmac.new(self.secret, head, hashlib.sha256).digest())).decode()

    def user(self, user, ends_at=None):
        return self.mint({"user_id": user} | ({} if ends_at is None else {"exp": ends_at}))


class WebSocket(asyncio.Protocol):
    """The client's side of a WebSocket, as far as the gateway needs it. `on_text` is given the payload of each text."""

    def __init__(self, host, path, on_text, on_end):
        self.request = (
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode()
        self.on_text, self.on_end = on_text, on_end
        self.data = bytearray()
        self.is_open = False
        self.is_closing = False
        self.code = None
        self.opened = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data):
        self.data += data
        if not self.is_open:
            end = self.data.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self.data.startswith(b"HTTP/1.1 101"):
                self.opened.set_exception(ConnectionError(bytes(self.data[:200]).decode(errors="replace")))
                return self.transport.close()
            del self.data[:end + 4]
            self.is_open = True
            self.opened.set_result(None)
        place, size = 0, len(self.data)
        while size - place >= 2:
            length, start = self.data[place + 1] & 127, place + 2
            if length > 125:
                width = 2 if length == 126 else 8
                if size - start < width:
                    break
                length = int.from_bytes(self.data[start:start + width], "big")
                start += width
            if size - start < length:
                break
            self.frame(self.data[place] & 15, bytes(self.data[start:start + length]))
            place = start + length
        del self.data[:place]

    def frame(self, opcode, payload):
        if opcode == 1:
            self.on_text(payload)
        elif opcode == 9:
            self.send(payload, 10)
        elif opcode == 8:
            self.code = struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else 1005
            if not self.is_closing:
                self.close(self.code)
            self.transport.close()

    def send(self, payload, opcode=1):
        if self.is_closing and opcode != 8:
            return
        if isinstance(payload, str):
            payload = payload.encode()
        mask = os.urandom(4)
        length = len(payload)
        head = bytes([0x80 | opcode])
        head += bytes([0x80 | length]) if length < 126 else struct.pack("!BH", 0xFE, length)
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes((mask * (length // 4 + 1))[:length], "big"))
        self.transport.write(head + mask + masked.to_bytes(length, "big"))

    def close(self, code=1000):
        """Says so, and waits for the answer, as RFC 6455 section 7.1.1 has it: whoever hangs up on what he has not read yet resets the
        connection, and the gateway may find it lost before it has read the close."""
        if not self.is_closing and not self.transport.is_closing():
            self.is_closing = True
            self.send(struct.pack("!H", code if code != 1005 else 1000), 8)
            asyncio.get_running_loop().call_later(5, self.transport.close)

    def abort(self):
        """Ends without a word, as a network that is lost does."""
        self.transport.abort()

    def connection_lost(self, error):
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("ended before it was open"))
            self.opened.exception()
        self.on_end(self)


class REST:
    """Requests over a few kept connections."""

    def __init__(self, host, port, tokens, connections=32):
        self.host, self.port, self.tokens = host, port, tokens
        self.idle = asyncio.Queue()
        for _ in range(connections):
            self.idle.put_nowait(None)

    async def ask(self, method, path, body=None, token=None, query=()):
        target = f"{path}?{urllib.parse.urlencode({'api_key': KEY, **dict(query)})}"
        data = b"" if body is None else json.dumps(body).encode()
        request = (
            f"{method} {target} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: {token or self.tokens.server}\r\n"
            f"stream-auth-type: jwt\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n").encode()
        pair = await self.idle.get()
        try:
            # A connection that was kept for long may have been ended by the gateway.
            if pair is None or pair[0].at_eof() or pair[1].is_closing():
                pair = await asyncio.open_connection(self.host, self.port)
            reader, writer = pair
            writer.write(request + data)
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(int(line[15:]) for line in head.split("\r\n") if line.lower().startswith("content-length:"))
            text = await reader.readexactly(length)
        except BaseException:
            pair = None
            raise
        finally:
            self.idle.put_nowait(pair)
        status = int(head.split(" ")[1])
        if status >= 300:
            raise ConnectionError(f"{method} {path}: {status} {text[:300]!r}")
        return json.loads(text)


class Client:
    """One user: `u7` in `default:room-0`."""

    def __init__(self, number, storm):
        self.storm = storm
        self.user = f"u{number}"
        self.call = f"room-{number // storm.size}"
        self.returns = 0
        self.is_leaving = False
        self.lost = None
        self.media = None

    async def connect(self, token):
        """Opens the coordinator's socket. Returns the connection's name."""
        first = asyncio.get_running_loop().create_future()

        def hear(text):
            if not first.done():
                first.set_result(json.loads(text))

        def end(socket):
            if not first.done():
                first.set_exception(ConnectionError("the coordinator closed"))
                first.exception()
            elif socket is self.socket and not self.is_leaving:
                self.storm.spawn(self.come_back(socket.code))

        self.socket = await self.storm.dial("/video/connect", {"stream-auth-type": "jwt"}, hear, end)
        self.socket.send(json.dumps({"token": token, "user_details": {"id": self.user}, "products": ["video"]}))
        said = await asyncio.wait_for(first, PATIENCE_S)
        if said["type"] != "connection.ok":
            raise ConnectionError(f"{self.user}: {said}")
        self.id = said["connection_id"]

    async def join(self):
        """Joins over REST, then by the SFU's socket, until its JoinResponse has come."""
        query = {"connection_id": self.id, "user_id": self.user}
        path = f"/video/call/default/{self.call}/join"
        body = {"location": "FRA", "create": True}
        joined = await self.storm.rest.ask("POST", path, body, self.token, query)
        answer = asyncio.get_running_loop().create_future()

        def hear(text):
            self.storm.signals += 1
            # Clients do not heed what is said of others before the answer.
            if not answer.done():
                said = json.loads(text)
                if "joinResponse" in said or "error" in said:
                    answer.set_result(said)

        def end(socket):
            if not answer.done():
                answer.set_exception(ConnectionError("the SFU closed"))
                answer.exception()
            if not self.is_leaving:
                self.lose(f"the SFU's socket ended with {socket.code}")

        query = {"attempt": "0", "user_id": self.user, "user_session_id": self.user, "cid": f"default:{self.call}"}
        self.media = await self.storm.dial("/sfu/ws", query, hear, end)
        token = joined["credentials"]["token"]
        self.media.send(json.dumps({"joinRequest": {"token": token, "sessionId": self.user}}))
        said = await asyncio.wait_for(answer, PATIENCE_S)
        if "joinResponse" not in said:
            raise ConnectionError(f"{self.user}: {said}")

    def lose(self, why):
        """What came first says most."""
        self.lost = self.lost or why

    async def arrive(self, ends_at):
        self.token = self.storm.tokens.user(self.user, ends_at)
        try:
            await self.connect(self.token)
            await self.join()
        except Exception as error:
            self.lose(f"did not arrive: {error!r}")

    async def come_back(self, code):
        """With a new token and a request to watch the call again, as JavaScript does."""
        try:
            if code != 4001:
                raise ConnectionError(f"the coordinator's socket ended with {code}")
            await asyncio.sleep(0.25 + 2.25 * (hash((self.user, self.returns)) % 1000) / 1000)
            if self.is_leaving:
                return
            self.token = self.storm.tokens.user(self.user)
            await self.connect(self.token)
            watch = {"watch": True, "filter_conditions": {"cid": {"$in": [f"default:{self.call}"]}}}
            found = await self.storm.rest.ask("POST", "/video/calls", watch, self.token, {"connection_id": self.id})
            if len(found["calls"]) != 1:
                raise ConnectionError("the call was not found again")
            self.returns += 1
        except Exception as error:
            self.lose(f"did not come back: {error!r}")

    def keep_alive(self):
        if self.media and not self.media.transport.is_closing():
            self.media.send('{"healthCheckRequest":{}}')
        if not self.socket.transport.is_closing():
            self.socket.send('[{"type":"health.check"}]')

    def leave(self, how):
        self.is_leaving = True
        if how == "says":
            self.media.send(json.dumps({"leaveCallRequest": {"sessionId": self.user}}))
        elif how == "closes":
            self.media.close()
        else:
            self.media.abort()


class Storm:
    def __init__(self, arguments):
        address = urllib.parse.urlsplit(arguments.url)
        self.host, self.port = address.hostname, address.port
        self.size = arguments.call_size
        self.count = arguments.clients
        self.life = arguments.life
        self.leave_rate = arguments.leave_rate
        self.tokens = Tokens(open(arguments.secret_file, "rb").read().strip())
        self.tasks = set()
        self.signals = 0
        self.figures = {"clients": self.count, "call_size": self.size, "token_life_s": self.life}

    def spawn(self, work):
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def dial(self, path, query, on_text, on_end):
        target = f"{path}?{urllib.parse.urlencode({'api_key': KEY, **query})}"
        make = lambda: WebSocket(self.host, target, on_text, on_end)
        _, socket = await asyncio.get_running_loop().create_connection(make, self.host, self.port)
        await asyncio.wait_for(socket.opened, PATIENCE_S)
        return socket

    async def present(self):
        """Returns the participants of the calls, as a server is told: a set for each."""
        calls = -(-self.count // self.size)

        async def one(number):
            found = await self.rest.ask("GET", f"/video/call/default/room-{number}")
            session = found["call"].get("session") or {}
            return {person["user_session_id"] for person in session.get("participants", [])}

        return await asyncio.gather(*(one(number) for number in range(calls)))

    async def participants(self):
        return (await self.rest.ask("GET", "/video/active_calls_status"))["summary"]["participants"]

    def wanted(self, is_in):
        calls = -(-self.count // self.size)
        wanted = [set() for _ in range(calls)]
        for number in range(self.count):
            if is_in(number):
                wanted[number // self.size].add(f"u{number}")
        return wanted

    async def beat(self, clients):
        """A sign of life of everybody each 4 s."""
        while True:
            began = time.monotonic()
            for place in range(0, len(clients), 100):
                for client in clients[place:place + 100]:
                    client.keep_alive()
                await asyncio.sleep(0.02)
            await asyncio.sleep(max(0, 4 - (time.monotonic() - began)))

    def fail(self, what):
        print(f"calls: {what}", file=sys.stderr)
        self.failures += 1

    def mark(self, name, value):
        self.figures[name] = round(value, 3) if isinstance(value, float) else value
        print(f"{name:32} {self.figures[name]}", flush=True)

    async def leave(self, clients):
        """All of them leave, so many a second. Returns those who were in a call a second after they had said so, or had closed."""
        left_at, over = {}, set()

        async def go():
            began = time.monotonic()
            for number, client in enumerate(clients):
                await asyncio.sleep(max(0, began + number / self.leave_rate - time.monotonic()))
                way = ["says", "closes", "is lost"][number % 3]
                client.leave(way)
                if way != "is lost":
                    left_at[client.user] = time.monotonic()

        going = asyncio.ensure_future(go())
        last = False
        while not last:
            last = going.done()
            await asyncio.sleep(1)
            due = {user for user, at in left_at.items() if at <= time.monotonic() - 1}
            over |= due & set().union(*await self.present())
        await going
        return over

    async def run(self):
        self.failures = 0
        self.rest = REST(self.host, self.port, self.tokens)
        clients = [Client(number, self) for number in range(self.count)]

        # Half of the tokens end in one second, the others each in one of the twenty seconds around it.
        began = time.time()
        middle = int(began) + self.life
        gate = asyncio.Semaphore(64)

        async def arrive(number, client):
            async with gate:
                await client.arrive(middle if number % 2 == 0 else middle - 10 + number // 2 % 20)

        await asyncio.gather(*(arrive(number, client) for number, client in enumerate(clients)))
        self.mark("arrived_within_s", time.time() - began)
        beating = asyncio.ensure_future(self.beat([client for client in clients if not client.lost]))
        for client in [client for client in clients if client.lost][:5]:
            self.fail(f"{client.user} {client.lost}")
        if time.time() > middle - 10:
            self.fail("tokens ended before everybody was there: give them a longer --life")
        if await self.present() != self.wanted(lambda _: True):
            self.fail("who has arrived is not who is in the calls")
        self.mark("in_calls_before", await self.participants())

        while time.time() < middle + 10 and not all(client.returns for client in clients):
            await asyncio.sleep(0.5)
        deadline = time.time() + PATIENCE_S
        while not all(client.returns or client.lost for client in clients) and time.time() < deadline:
            await asyncio.sleep(0.1)
        self.mark("back_after_the_end_s", time.time() - middle)
        self.mark("returned", sum(client.returns for client in clients))
        lost = [client for client in clients if client.lost]
        self.mark("lost", len(lost))
        for client in lost[:5]:
            self.fail(f"{client.user} {client.lost}")
        if any(client.returns != 1 for client in clients):
            self.fail("not everybody came back once")
        if await self.present() != self.wanted(lambda _: True):
            self.fail("who is in the calls changed while tokens ended")
        self.mark("in_calls_while_tokens_ended", await self.participants())

        # All but the first of each call leave: a third says so, a third closes its socket, a third loses its network.
        stays = lambda number: number % self.size == 0
        over = await self.leave([client for number, client in enumerate(clients) if not stays(number)])
        self.mark("left_and_still_there_after_1_s", len(over))
        if over:
            self.fail(f"{len(over)} who have left were still in their calls a second later: {sorted(over)[:5]}")
        await asyncio.sleep(9)
        if await self.present() != self.wanted(stays):
            self.fail("ghosts: who has left, or whose network was lost, is in a call still")
        self.mark("in_calls_after", await self.participants())
        if any(client.lost for number, client in enumerate(clients) if stays(number)):
            self.fail("somebody who stayed was lost while others left")
        for number, client in enumerate(clients):
            client.is_leaving = True
            if stays(number):
                client.media.close()
            client.socket.close()
        beating.cancel()
        await asyncio.sleep(7)
        self.mark("ghosts", await self.participants())
        if self.figures["ghosts"]:
            self.fail("there are ghosts in the calls")
        self.mark("signals_heard", self.signals)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--secret-file", required=True)
    parser.add_argument("--clients", type=int, default=5000)
    parser.add_argument("--call-size", type=int, default=50)
    parser.add_argument("--life", type=int, default=90, help="seconds from the start until half of the tokens end")
    parser.add_argument("--leave-rate", type=float, default=500, help="how many leave in a second, at the end")
    parser.add_argument("--json", help="where to write the figures")
    arguments = parser.parse_args()
    storm = Storm(arguments)
    asyncio.run(storm.run())
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(storm.figures, file, indent=2)
    print("passed" if not storm.failures else f"failed: {storm.failures}")
    sys.exit(1 if storm.failures else 0)


if __name__ == "__main__":
    main()

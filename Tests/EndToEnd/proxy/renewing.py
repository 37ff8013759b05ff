"""An application's token endpoint, gateways of two wires, and clients of them: correct ones, and ones with a deliberate
fault."""

import asyncio
import base64
import contextlib
import json
import time
import urllib.error
import urllib.request

from proxied import Loop, web
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

OPTIONS = {"ping_interval": None, "compression": None, "proxy": None, "open_timeout": 60}


def token(user, number, life=600):
    """A token whose signature nothing checks here."""
    parts = [json.dumps({"alg": "HS256"}), json.dumps({"sub": user, "exp": int(time.time() + life) + 1, "n": number}), "signature of 32 bytes is here ok"]
    return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)


def user_of(token):
    return json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))["sub"]


class Provider(Loop):
    """`POST /auth/token` with {"user": …} answers {"token": …, "expires_in": …}. With "pairs" in the request, it answers two of the user
    when both have come."""

    def __init__(self):
        self.count, self.given, self.pairs = 0, [], {}

    async def mint(self, request):
        asked = await request.json()
        user = asked["user"]
        if "pairs" in asked:
            if first := self.pairs.pop(user, None):
                first.set()
            else:
                self.pairs[user] = both = asyncio.Event()
                await asyncio.wait_for(both.wait(), 60)
        self.count += 1
        self.given.append(token(user, self.count))
        return web.json_response({"token": self.given[-1], "expires_in": 600})

    def __enter__(self):
        super().__enter__()
        self.run(self.start())
        return self

    async def start(self):
        application = web.Application()
        application.router.add_post("/auth/token", self.mint)
        self.runner = web.AppRunner(application, shutdown_timeout=1)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/auth/token"

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.run(self.runner.cleanup())
        super().__exit__()


class Gateway(Loop):
    """A gateway whose connections live for `life` seconds and a grace without another token. `seen` lists the tokens that clients
    presented. Connections with a token that follows so many `renewals` of the user stay open."""

    def __init__(self, life, grace=1, renewals=None):
        self.life, self.grace, self.renewals, self.seen = life, grace, renewals, []

    def __enter__(self):
        super().__enter__()
        self.server = self.run(self.start())
        self.url = f"ws://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def start(self):
        return await serve(self.serve, "127.0.0.1", 0, ping_interval=None, compression=None)

    def __exit__(self, *_):
        self.server.close()
        super().__exit__()


class TimerGateway(Gateway):
    """Centrifugo's wire: the server tells the life of the token, and closes with 3005 when it has expired."""

    async def serve(self, socket):
        with contextlib.suppress(ConnectionClosed):
            while True:
                try:
                    message = json.loads(await asyncio.wait_for(socket.recv(), self.life + self.grace))
                except asyncio.TimeoutError:
                    return await socket.close(3005, "connection expired")
                kind = "connect" if "connect" in message else "refresh"
                self.seen.append(message[kind]["token"])
                await socket.send(json.dumps({"id": message["id"], kind: {"client": "c", "expires": True, "ttl": self.life}}))


class ReturningGateway(Gateway):
    """A home-made wire: the token is in the query, and 4401 asks for another. A token that was used before is refused at
    once."""

    async def serve(self, socket):
        shown = socket.request.path.partition("token=")[2]
        if shown not in self.seen:
            self.seen.append(shown)
            is_last = self.renewals is not None and sum(user_of(one) == user_of(shown) for one in self.seen) > self.renewals
            with contextlib.suppress(asyncio.TimeoutError):
                return await asyncio.wait_for(socket.wait_closed(), None if is_last else self.life)
        with contextlib.suppress(ConnectionClosed):
            await socket.close(4401, "token expired")


async def fetched(url, user, **more):
    """A token of the application's endpoint."""

    def ask():
        request = urllib.request.Request(url, json.dumps({"user": user, **more}).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())["token"]

    return await asyncio.to_thread(ask)


async def renewed(url, user, fault):
    """Fetches the next token: with one call, or as a faulty client does."""
    if fault == "twice":
        await fetched(url, user)
    if fault == "at once":
        return (await asyncio.gather(fetched(url, user, pairs=True), fetched(url, user, pairs=True)))[1]
    return await fetched(url, user)


async def timer_client(socket_url, token_url, user, fault, renewals):
    """A client that renews on its timer, `renewals` times, and then stays for a moment."""
    held = await fetched(token_url, user)
    async with connect(f"{socket_url}/connection/websocket", **OPTIONS) as socket:
        await socket.send(json.dumps({"id": 1, "connect": {"token": held}}))
        told = json.loads(await socket.recv())["connect"]["ttl"]
        for number in range(renewals):
            if fault == "ignores" and number == 1:
                with contextlib.suppress(ConnectionClosed):
                    await socket.recv()
                return told
            await asyncio.sleep(0.6 * told)
            if fault != "old":
                held = await renewed(token_url, user, fault)
            await socket.send(json.dumps({"id": number + 2, "refresh": {"token": held}}))
            await socket.recv()
        await asyncio.sleep(0.1)
        return told


async def returning_client(socket_url, token_url, user, fault, renewals):
    """A client that comes back with another token after 4401, `renewals` times, and then leaves."""
    held = await fetched(token_url, user)
    for number in range(renewals + 1):
        with contextlib.suppress(ConnectionClosed):
            async with connect(f"{socket_url}/ws/feed/?token={held}", **OPTIONS) as socket:
                if number == renewals and fault != "old":
                    await asyncio.sleep(0.05)
                    return
                await socket.recv()
        if fault == "ignores" and number == 1:
            return
        if fault != "old":
            held = await renewed(token_url, user, fault)


__all__ = ["Provider", "ReturningGateway", "TimerGateway", "returning_client", "timer_client", "token", "urllib"]

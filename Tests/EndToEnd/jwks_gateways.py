"""Small gateways that fetch their keys, none of them Postern's: one fetches for every unknown `kid`, one forgets its keys on an
answer that has none, one does it right, and two are worse. They speak the messages of Postern's own wire, by its
documentation."""

import asyncio
import contextlib
import json
import threading
import time
import urllib.error
import urllib.request

import jwt
from websockets.asyncio.server import serve

LEAD = 4
TIMEOUT = 60


class Refused(Exception):
    """The gateway says that a token is not good."""


class Eager:
    """Fetches the keys for each token whose `kid` it does not know, and refuses the token if that brings no key."""

    def __init__(self, url):
        self.url, self.keys = url, {}
        # The status of each answer to a request for the keys: the gateway's own books.
        self.fetches = []

    def fetch_now(self):
        try:
            with urllib.request.urlopen(self.url, timeout=20) as answer:
                body, status, wait = answer.read(), answer.status, None
        except urllib.error.HTTPError as refusal:
            body, status, wait = b"", refusal.code, refusal.headers["Retry-After"]
        self.fetches.append(status)
        keys = {key["kid"]: jwt.PyJWK(key) for key in json.loads(body)["keys"]} if status == 200 else None
        return keys, float(wait or 0)

    async def fetch(self):
        return await asyncio.to_thread(self.fetch_now)

    async def key(self, kid):
        if kid not in self.keys:
            keys, _ = await self.fetch()
            if keys is not None:
                self.keys = keys
        return self.keys.get(kid)

    async def judge(self, token, issuer):
        try:
            key = await self.key(jwt.get_unverified_header(token).get("kid"))
            if key is None:
                raise Refused
            return jwt.decode(token, key, algorithms=["ES256"], issuer=issuer, leeway=20)
        except jwt.PyJWTError:
            raise Refused from None


class Careful(Eager):
    """One request at a time and at most one each `PAUSE` seconds, never before `Retry-After`. A token with an unknown `kid`
    waits for the next one, and known keys stay good while it fails."""

    PAUSE = 4

    def __init__(self, url):
        super().__init__(url)
        self.turn, self.next, self.read_at = asyncio.Lock(), 0, 0

    async def key(self, kid):
        came = time.monotonic()
        # Another token's request that began later than this one came has its answer for both.
        while kid not in self.keys and self.read_at < came:
            async with self.turn:
                if kid in self.keys or self.read_at >= came:
                    break
                await asyncio.sleep(max(0, self.next - time.monotonic()))
                began = time.monotonic()
                keys, wait = await self.fetch()
                self.next = time.monotonic() + max(wait, self.PAUSE)
                self.learn(keys, began)
        return self.keys.get(kid)

    def learn(self, keys, began):
        if keys is not None:
            self.keys, self.read_at = keys, began


class Forgetful(Careful):
    """The same, but often, and without its keys once an answer has none."""

    PAUSE = 0.2

    async def key(self, kid):
        if kid not in self.keys and time.monotonic() >= self.next:
            self.next = time.monotonic() + self.PAUSE
            keys, _ = await self.fetch()
            self.keys = keys or {}
        return self.keys.get(kid)


class Stubborn(Eager):
    """Reads the keys once."""

    async def key(self, kid):
        return await super().key(kid) if not self.keys else self.keys.get(kid)


class Trusting(Eager):
    """Takes every token without a look at its signature."""

    async def judge(self, token, issuer):
        return jwt.decode(token, options={"verify_signature": False})


class Serving:
    """Runs a gateway of that kind on a free port until the `with` block ends."""

    def __init__(self, kind, issuer):
        self.kind, self.issuer = kind, issuer
        self.loop, self.is_up = asyncio.new_event_loop(), threading.Event()
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self.run(),), daemon=True)

    async def run(self):
        self.keys, self.over = self.kind(self.issuer + "/jwks.json"), asyncio.Event()
        async with serve(self.talk, "127.0.0.1", 0, compression=None, ping_interval=None, close_timeout=1) as server:
            self.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            self.is_up.set()
            await self.over.wait()

    async def talk(self, socket):
        with contextlib.suppress(Exception):
            first = json.loads(await socket.recv())
            claims = await self.accept(socket, first["token"], {"type": "connected"})
            while claims:
                silence = max(0, claims["exp"] - LEAD - time.time())
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(socket.wait_closed(), silence)
                    return
                await socket.send(json.dumps({"type": "refresh_required", "timeout_ms": TIMEOUT * 1000}))
                answer = json.loads(await asyncio.wait_for(socket.recv(), TIMEOUT))
                claims = await self.accept(socket, answer["token"], {"type": "refreshed"})

    async def accept(self, socket, token, words):
        try:
            claims = await self.keys.judge(token, self.issuer)
        except Refused:
            await socket.send(json.dumps({"type": "error", "error": {"number": 401006, "name": "key_unknown"}}))
            await socket.close(4001)
            return None
        await socket.send(json.dumps(words))
        return claims

    def __enter__(self):
        self.thread.start()
        assert self.is_up.wait(60)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.over.set)
        self.thread.join(60)

"""Clients of described wires for `postern ctl conform`: `wire_client.py LIBRARY [FAULT]`.

The libraries are unmodified; what is the application's, the calls of the token endpoint and the waits of a client without
reconnects of its own, is here. A FAULT makes the application wrong on purpose."""

import asyncio
import json
import os
import random
import sys
import urllib.error
import urllib.request

import centrifuge
import socketio
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus


class Refused(Exception):
    pass


def asked():
    # Where Postern plays the gateway it says who the user is; a real application knows that itself.
    user = os.environ.get("POSTERN_USER", "ann")
    order = {"user": user, "user_id": user, "scheme": os.environ.get("POSTERN_TOKEN_SCHEME", "plain")}
    request = urllib.request.Request(
        os.environ["POSTERN_TOKEN_URL"], json.dumps(order).encode(), {"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
        return json.load(answer)["token"]


class Application:
    """The application: its token, and how it gets another."""

    def __init__(self, fault):
        self.fault = fault
        self.token = os.environ.get("POSTERN_TOKEN")
        self.is_used = self.token is None
        self.under_way = 0

    async def fetched(self):
        self.under_way += 1
        try:
            return await self.tried_until_fetched()
        finally:
            self.under_way -= 1

    async def tried_until_fetched(self):
        for failures in range(1_000):
            try:
                return await asyncio.to_thread(asked)
            except urllib.error.HTTPError as refusal:
                if refusal.code in (401, 403):
                    raise Refused from None
                await asyncio.sleep(float(refusal.headers.get("Retry-After", 0)))
            except OSError:
                pass
            await pause(failures)

    async def another(self):
        if self.fault == "old" and self.token:
            return self.token
        if self.fault == "twice":
            await self.fetched()
        # Wrong only if it is asked again while it asks, as when the connection is lost meanwhile.
        if self.fault == "at-once" or (self.fault == "at-once-again" and self.under_way):
            return (await asyncio.gather(self.fetched(), self.fetched()))[1]
        return await self.fetched()

    async def next(self):
        """The token for the next connection: the first one, and then another each time."""
        if self.is_used:
            self.token = await self.another()
        self.is_used = True
        return self.token


async def pause(failures):
    # Much of it is chance, beside the second that some libraries take to end a connection.
    await asyncio.sleep(random.uniform(0.1, 1) * min(6, 1.5 * 2 ** min(failures, 8)))


async def with_centrifuge(application):
    async def token(*_):
        if application.fault == "silent":
            await asyncio.Event().wait()
        try:
            return await application.another()
        except Refused:
            raise centrifuge.UnauthorizedError from None

    first = application.token or await application.fetched()
    client = centrifuge.Client(os.environ["POSTERN_URL"], token=first, get_token=token)
    await client.connect()
    await asyncio.Event().wait()


async def with_socketio(application):
    url, _, path = os.environ["POSTERN_URL"].partition("/socket.io")
    failures = 0
    while True:
        client = socketio.AsyncClient(reconnection=False)
        try:
            auth = {"token": await application.next()}
            await client.connect(url, auth=auth, transports=["websocket"], socketio_path="socket.io" + path)
            await client.wait()
            failures = 0
        except Refused:
            return
        except Exception as error:
            print(type(error).__name__, error, flush=True)
            await client.disconnect()
        if application.fault == "stays-away":
            await asyncio.Event().wait()
        await pause(failures)
        failures += 1


async def with_websockets(application):
    """A home-made client of close-4401: the token is in the query, and 4401 asks for another."""
    failures, needs_another = 0, False
    token = await application.next()
    while True:
        try:
            if needs_another:
                token, needs_another = await application.next(), False
            async with connect(f"{os.environ['POSTERN_URL']}?token={token}", proxy=None, ping_interval=3, ping_timeout=3, open_timeout=4) as socket:
                opened = asyncio.get_running_loop().time()
                try:
                    while True:
                        await socket.recv()
                except ConnectionClosed as end:
                    code = end.rcvd.code if end.rcvd else 1006
                failures = 0 if asyncio.get_running_loop().time() - opened > 1 else failures
                needs_another = code == 4401
                if code in (4403, 1008) and application.fault != "loops":
                    return
        except Refused:
            return
        except InvalidStatus as refusal:
            needs_another = refusal.response.status_code == 401
        except (OSError, TimeoutError):
            pass
        await pause(failures)
        failures += 1


LIBRARIES = {"centrifuge": with_centrifuge, "socketio": with_socketio, "websockets": with_websockets}
asyncio.run(LIBRARIES[sys.argv[1]](Application(sys.argv[2] if len(sys.argv) > 2 else "")))

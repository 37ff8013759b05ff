"""Correct clients, and clients that each do one thing wrong, for wires of three kinds: `corpus_client.py WIRE KIND`.

Wires: `asking` (the plain dialect, whose gateway asks for another token), `timer` (the same, to a client that also renews by a timer
of its own) and `returning` (Stream's, whose gateway closes when a token ends, so that clients come back with another)."""

import asyncio
import base64
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

FINAL = {1000, 1002, 1003, 1007, 1008, 1009, 1010, *range(4500, 5000)}


class GaveUp(Exception):
    pass


class Client:
    """A correct client: one provider call at a time, one new token for each refusal, and random waits."""

    begins_at_provider = False
    first_wait, longest_wait = 0.3, 4
    timeouts = dict(open_timeout=4, close_timeout=4, ping_interval=3, ping_timeout=3)
    welcome_within = 4
    # Whether it waits as long as it is told.
    heeds = True

    def __init__(self, wire):
        self.wire = wire
        self.user = os.environ["POSTERN_USER"]
        self.token = None if self.begins_at_provider else os.environ["POSTERN_TOKEN"]
        self.call = None
        self.refused = 0

    # Tokens

    def post(self):
        order = {"user_id": self.user, "scheme": os.environ["POSTERN_TOKEN_SCHEME"]}
        request = urllib.request.Request(
            os.environ["POSTERN_TOKEN_URL"], json.dumps(order).encode(), {"Content-Type": "application/json"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
            return json.load(answer)["token"]

    async def fetch(self):
        failures = 0
        while True:
            try:
                return await asyncio.to_thread(self.post)
            except urllib.error.HTTPError as refusal:
                if refusal.code in (401, 403):
                    raise GaveUp("the provider refuses") from None
                if self.heeds:
                    await asyncio.sleep(float(refusal.headers.get("Retry-After", 0)))
            except (OSError, TimeoutError):
                pass
            await self.pause(failures)
            failures += 1

    async def renew(self):
        if self.call is None:
            self.call = asyncio.ensure_future(self.fetch())
            self.call.add_done_callback(lambda _: setattr(self, "call", None))
        self.token = await asyncio.shield(self.call)

    async def pause(self, failures):
        await asyncio.sleep(random.uniform(0.1, 1) * min(self.longest_wait, self.first_wait * 2**failures))

    # The connection

    async def run(self):
        if self.token is None:
            await self.renew()
        failures = 0
        while True:
            needs_token, final = False, False
            try:
                code, needs_token = await self.live()
                failures = 0 if self.was_in else failures
                final = code in FINAL and not needs_token
            except InvalidStatus as refusal:
                status = refusal.response.status_code
                final, needs_token = status == 403, status == 401
                if self.heeds:
                    await asyncio.sleep(float(refusal.response.headers.get("Retry-After", 0)))
            except (OSError, TimeoutError, ConnectionClosed):
                pass
            if final:
                await self.after_final()
            if needs_token:
                self.refused += 1
                if self.refused > 2:
                    await self.after_refusals()
                await self.before_return()
            await self.pause(failures)
            failures += 1

    async def before_return(self):
        await self.renew()

    async def after_final(self):
        raise GaveUp("for good")

    async def after_refusals(self):
        raise GaveUp("refused again and again")

    async def live(self):
        self.was_in = False
        headers = {"Authorization": f"Bearer {self.token}"} if self.wire != "returning" else {}
        # Stream's wire has the application in the URL.
        url = os.environ["POSTERN_URL"]
        if self.wire == "returning":
            url += ("&" if "?" in url else "?") + "api_key=" + os.environ["POSTERN_API_KEY"]
        async with connect(url, additional_headers=headers, proxy=None, **self.timeouts) as socket:
            if self.wire == "returning":
                return await self.live_returning(socket)
            return await self.live_asking(socket)

    async def live_asking(self, socket):
        await asyncio.wait_for(socket.recv(), self.welcome_within)
        self.was_in, self.refused = True, 0
        refresh, again = None, 0
        if self.wire == "timer":
            timer = asyncio.ensure_future(self.keep_time(socket))
        else:
            timer = None
        try:
            async for text in self.listened(socket):
                message = json.loads(text)
                if not self.is_known(message):
                    return 1002, False
                if message["type"] == "refresh_required" and (refresh is None or refresh.done() or again < 0):
                    again = 0
                    refresh = asyncio.ensure_future(self.refresh(socket))
                elif message["type"] == "error" and message["error"]["number"] // 100_000 == 4 and again < 1:
                    again += 1
                    refresh = asyncio.ensure_future(self.refresh(socket))
                elif message["type"] == "error" and message["error"]["number"] // 100_000 == 5:
                    refresh = asyncio.ensure_future(self.present_later(socket))
        except ConnectionClosed:
            pass
        finally:
            if timer:
                timer.cancel()
        return socket.close_code, socket.close_code in (4000, 4004)

    async def listened(self, socket):
        async for text in socket:
            yield text

    def is_known(self, message):
        return True

    async def keep_time(self, socket):
        """Renews a minute before its token expires."""
        while True:
            payload = self.token.split(".")[1]
            end = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["exp"]
            await asyncio.sleep(max(60, end - time.time() - 60))
            await self.refresh(socket)

    async def refresh(self, socket):
        try:
            await self.renew()
            await self.present(socket)
        except (ConnectionClosed, GaveUp):
            pass

    async def present(self, socket):
        await socket.send(json.dumps({"type": "refresh", "token": self.token}))

    async def present_later(self, socket):
        """The gateway cannot verify the token at the moment."""
        await self.pause(2)
        try:
            await self.present(socket)
        except ConnectionClosed:
            pass

    async def live_returning(self, socket):
        await socket.send(json.dumps({"token": self.token, "user_details": {"id": self.user}}))
        error = None
        try:
            async with asyncio.timeout(self.welcome_within):
                # Other messages do not confirm the login.
                while (first := json.loads(await socket.recv())).get("type") != "connection.ok":
                    error = first.get("error") or error
            self.was_in, self.refused = True, 0
            beat = asyncio.ensure_future(self.beat(socket, first))
            try:
                async for text in self.listened(socket):
                    error = json.loads(text).get("error") or error
            finally:
                beat.cancel()
        except ConnectionClosed:
            pass
        return socket.close_code, (error or {}).get("code") in (5, 40, 41, 42, 43)

    async def beat(self, socket, first):
        while True:
            await asyncio.sleep(20)
            await socket.send(json.dumps([{"type": "health.check", "client_id": first.get("connection_id", "")}]))


class AtProvider(Client):
    """Correct; it fetches its first token from its provider."""

    begins_at_provider = True


class Patient(Client):
    """Correct; it waits longer, with much jitter."""

    first_wait, longest_wait = 0.8, 6


class Prompt(Client):
    """Correct; it reconnects at once, and waits only if that fails."""

    async def pause(self, failures):
        if failures:
            await super().pause(failures)


class StaleOnce(Client):
    """Correct: by its documentation it tries the old token once more before it asks for another."""

    async def before_return(self):
        if not self.was_in:
            await self.renew()


class AsksTwice(Client):
    async def renew(self):
        await self.fetch()
        await super().renew()


class AsksAhead(Client):
    """Has its next token ready before the gateway asks for it."""

    ahead = store = None

    async def live(self):
        self.ahead = await self.fetch()
        return await super().live()

    async def renew(self):
        self.token, self.ahead = self.ahead or await self.fetch(), None

    async def present(self, socket):
        await super().present(socket)
        self.store = asyncio.ensure_future(self.stock())

    async def stock(self):
        self.ahead = await self.fetch()


class KeepsToken(Client):
    """Tries the old token repeatedly."""

    async def before_return(self):
        pass

    async def after_refusals(self):
        pass


class Loops(Client):
    """Reconnects after every close code."""

    async def after_final(self):
        pass

    async def after_refusals(self):
        pass


class InStep(Client):
    """Always waits for the same time. It is so long that the delays of a busy machine are a small share of it."""

    async def pause(self, failures):
        await asyncio.sleep(1.2)


class Growing(Client):
    """Waits longer each time, without jitter."""

    waits = 0

    async def pause(self, failures):
        self.waits += 1
        await asyncio.sleep(min(6, 0.1 * 1.5**self.waits))


class Hammers(Client):
    """Hardly waits, and never gives up."""

    async def after_refusals(self):
        pass

    async def pause(self, failures):
        await asyncio.sleep(0.05)


class Silent(Client):
    """Does not answer requests, and does not reconnect."""

    async def refresh(self, socket):
        pass

    async def before_return(self):
        raise GaveUp("no token")


class ManyAtOnce(Client):
    """Has no single flight: it asks four times at once."""

    async def renew(self):
        self.token = (await asyncio.gather(*(self.fetch() for _ in range(4))))[-1]


class StaysAway(Client):
    """Ends when its connection does."""

    async def live(self):
        try:
            await super().live()
        finally:
            sys.exit("no longer connected")


class Deaf(Client):
    """Notices nothing unless it is told."""

    timeouts = dict(open_timeout=None, close_timeout=3_600, ping_interval=None)
    welcome_within = None


class Hasty(Client):
    """Reconnects sooner than it is told."""

    heeds = False


class Leaks(Client):
    """Leaves its last connection open when it makes another. It does so whenever a connection is silent for two seconds."""

    left = []

    async def listened(self, socket):
        while True:
            try:
                yield await asyncio.wait_for(socket.recv(), 2)
            except TimeoutError:
                self.left.append(asyncio.ensure_future(self.live()))
                await asyncio.sleep(3_600)


class Strict(Client):
    """Treats an unknown message as the end of the connection."""

    def is_known(self, message):
        return message["type"] in ("connected", "refresh_required", "refreshed", "error", "closing", "pong")


KINDS = {
    "good": Client, "at-provider": AtProvider, "patient": Patient, "prompt": Prompt, "stale-once": StaleOnce, "asks-twice": AsksTwice,
    "asks-ahead": AsksAhead, "keeps-token": KeepsToken, "loops": Loops, "in-step": InStep, "growing": Growing,
    "hammers": Hammers, "silent": Silent, "many-at-once": ManyAtOnce, "stays-away": StaysAway, "deaf": Deaf,
    "hasty": Hasty, "leaks": Leaks, "strict": Strict,
}

if __name__ == "__main__":
    try:
        asyncio.run(KINDS[sys.argv[2]](sys.argv[1]).run())
    except GaveUp as reason:
        print(f"gave up: {reason}")
        time.sleep(3600)

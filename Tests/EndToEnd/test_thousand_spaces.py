"""A thousand gateways in one process, each with a client. Half of them are moved by three days, and the others notice
nothing."""

import asyncio
import http.client
import json
import time
import urllib.parse

import jwt
from websockets.asyncio.client import connect

from gateway import Gateway

COUNT = 1_000
DAYS = 3


class Control:
    """The control port, on one kept connection."""

    def __init__(self, gateway):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(gateway.control_url).netloc, timeout=60)

    def ask(self, method, path, body=None):
        """The answer, and how long it took."""
        began = time.perf_counter()
        payload = None if body is None else json.dumps(body)
        self.connection.request(method, path, payload, {"Content-Type": "application/json"} if payload else {})
        answer = self.connection.getresponse()
        content = json.loads(answer.read())
        assert answer.status < 300, content
        return content, time.perf_counter() - began


class Martin:
    """The client of one space: answers each request for a token with a new one that it mints itself."""

    def __init__(self, space):
        self.space = space
        self.types = []
        self.tokens = 0

    async def live(self, connected):
        now = self.space["wall"]
        url = f"{self.space['urls']['plain']}?access_token={self.token(now)}"
        async with connect(url, proxy=None, ping_interval=None, open_timeout=60) as socket:
            async for text in socket:
                message = json.loads(text)
                self.types.append(message["type"])
                if message["type"] == "connected":
                    connected.release()
                if message["type"] == "refresh_required":
                    now += 86_400
                    await socket.send(json.dumps({"type": "refresh", "token": self.token(now)}))

    def token(self, now):
        self.tokens += 1
        claims = {"user_id": "martin", "exp": now + 86_400, "jti": str(self.tokens)}
        return jwt.encode(claims, self.space["secret"], algorithm="HS256")


def test_half_of_a_thousand_spaces_are_moved_by_three_days():
    with Gateway("--spaces", loops=1) as gateway:
        control = Control(gateway)
        before = gateway.resident_bytes()
        made = [control.ask("POST", "/spaces", {}) for _ in range(COUNT)]
        bytes_each = (gateway.resident_bytes() - before) / COUNT
        spaces = [space for space, _ in made]
        for space in spaces:
            space["wall"] = control.ask("GET", f"/spaces/{space['name']}/clock")[0]["wall"]
        took = sorted(seconds for _, seconds in made)
        moved = asyncio.run(move(control, spaces))
        print(
            f"{COUNT} spaces: made in {took[COUNT // 2] * 1e3:.2f} ms (p50), {took[COUNT * 99 // 100] * 1e3:.2f} ms (p99), "
            f"{bytes_each / 1000:.0f} KB each; {COUNT // 2} moved by {DAYS} days in {moved:.1f} s"
        )
        # All vendors with their initial state, and an empty journal.
        assert bytes_each < 200_000
        for space in spaces:
            control.ask("DELETE", f"/spaces/{space['name']}")


async def move(control, spaces):
    martins, connected = [Martin(space) for space in spaces], asyncio.Semaphore(0)
    tasks = []
    for start in range(0, COUNT, 100):
        tasks += [asyncio.create_task(martin.live(connected)) for martin in martins[start : start + 100]]
        for _ in range(100):
            await asyncio.wait_for(connected.acquire(), 60)
    began = time.perf_counter()
    for space in spaces[::2]:
        order = {"by_s": DAYS * 86_400 + 1, "patience_ms": 60_000}
        answer, _ = await asyncio.to_thread(control.ask, "POST", f"/spaces/{space['name']}/clock/advance", order)
        assert answer["answered"], answer
    took = time.perf_counter() - began
    limit = time.monotonic() + 60
    for martin in martins[::2]:
        # The last answer is in flight.
        while len(martin.types) < 1 + 2 * DAYS and time.monotonic() < limit:
            await asyncio.sleep(0.01)
        assert martin.types == ["connected"] + ["refresh_required", "refreshed"] * DAYS
    for martin in martins[1::2]:
        assert martin.types == ["connected"], "somebody else's time was moved"
        clock, _ = await asyncio.to_thread(control.ask, "GET", f"/spaces/{martin.space['name']}/clock")
        assert clock["moved_s"] == 0
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return took

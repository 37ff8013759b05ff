"""A gateway that knows one API key and plays no SFU, and Stream's own clients for it."""

import asyncio
import contextlib

import pytest
from getstream import AsyncStream, Stream
from getstream.video.rtc.coordinator.ws import StreamAPIWS

from gateway import SECRET, Gateway

KEY = "end-to-end"
PATIENCE = 30


@pytest.fixture(scope="session")
def gateway():
    # A user who joins over REST is in the call at once.
    with Gateway("--stream-api-key", KEY, "--stream-sfu", "off") as gateway:
        yield gateway


@pytest.fixture
def stream(gateway):
    """The client of a server."""
    return server(gateway)


def server(gateway, secret=SECRET, key=KEY, **options):
    return Stream(api_key=key, api_secret=secret, base_url=gateway.http_url, **options)


class Listener:
    """Stream's WebSocket client with all events that it received."""

    def __init__(self, gateway, user="ann", token=None, secret=SECRET, key=KEY, details=None, path="/api/v2/connect", **options):
        self.client = AsyncStream(api_key=key, api_secret=secret, base_url=gateway.http_url)
        call = self.client.video.call("default", "standup")
        details = {"id": user} if details is None else details
        self.socket = StreamAPIWS(call, details, uri=gateway.url + path, user_token=token, **options)
        self.events = []
        # The client reports new listeners to itself in the same way.
        self.socket.on_wildcard("*", lambda kind, event, *_: kind == "new_listener" or self.events.append(event))

    async def connect(self):
        return await self.socket.connect()

    async def until(self, kind, count=1, patience=PATIENCE):
        """The events of that type, once there are `count`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while len(found := [event for event in self.events if event["type"] == kind]) < count:
                    await asyncio.sleep(0.02)
        assert len(found) >= count, f"no {count} {kind}: {self.events}"
        return found

    async def until_given_up(self, patience=PATIENCE):
        async with asyncio.timeout(patience):
            while self.socket.connected or self.socket._reconnect_in_progress:
                await asyncio.sleep(0.02)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.socket.disconnect()
        await self.client.aclose()

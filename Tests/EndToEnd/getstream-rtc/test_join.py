"""Stream's SDK for participants joins by the coordinator, and then dials an SFU at another address, where nothing listens."""

import asyncio
import json
import socket
import threading
import urllib.request

import jwt
import pytest
from getstream_rtc import Client
from getstream_rtc.errors import ApiError, RtcError

from gateway import SECRET, Gateway

KEY = "end-to-end"


class SFU:
    """A port at the SFU's address that counts connections, and sends nothing."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.requests = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                self.requests.append(connection.recv(4096).decode(errors="replace"))

    def close(self):
        self.socket.close()


@pytest.fixture
def sfu():
    sfu = SFU()
    yield sfu
    sfu.close()


def get(gateway, call):
    token = jwt.encode({"server": True}, SECRET)
    request = urllib.request.Request(
        f"{gateway.http_url}/api/v2/video/call/{call}?api_key={KEY}",
        headers={"Authorization": token, "stream-auth-type": "jwt"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


async def join(gateway, call, user="ann", create=True, **who):
    """Joins, and returns the failure; without an SFU the join must fail."""
    who = who or {"api_secret": SECRET}
    client = Client(KEY, **who, base_url=gateway.http_url, ws_url=f"{gateway.url}/api/v2/connect")
    # Kept in a variable: a call that is freed leaves.
    participant = client.call("default", call)
    with pytest.raises(RtcError) as failure:
        await asyncio.wait_for(participant.join(user, create=create), 60)
    return failure.value


def until(gateway, call, holds):
    """Waits until `holds` is true for the call, and returns the call."""
    for _ in range(1200):
        found = get(gateway, call)["call"]
        if holds(found):
            return found
        threading.Event().wait(0.05)
    raise AssertionError(found)


def test_it_reaches_the_endpoint_that_the_coordinator_names(sfu):
    host = f"127.0.0.1:{sfu.port}"
    flags = ["--stream-sfu-url", f"http://{host}/twirp", "--stream-sfu-socket", f"ws://{host}/ws"]
    with Gateway("--stream-api-key", KEY, *flags) as gateway:
        asyncio.run(join(gateway, "standup"))
        assert any(request.startswith("GET /ws") for request in sfu.requests), sfu.requests
        # It left when its connection ended.
        call = until(gateway, "default/standup", lambda call: call["session"].get("ended_at"))
        assert call["created_by"]["id"] == "ann" and isinstance(call["created_at"], int)
        assert call["session"]["participants"] == [] and call["current_session_id"] == ""
        assert call["session"]["ended_at"] >= call["session"]["started_at"]


def test_without_the_gateways_own_sfu_nothing_listens_at_the_sfus_address():
    with Gateway("--stream-api-key", KEY, "--stream-sfu", "off") as gateway:
        failure = asyncio.run(join(gateway, "standup"))
        assert not isinstance(failure, ApiError) and "refused" in str(failure), failure
        assert get(gateway, "default/standup")["call"]["session"]["started_at"]


def test_it_hears_why_it_may_not_join():
    with Gateway("--stream-api-key", KEY) as gateway:
        failure = asyncio.run(join(gateway, "nowhere", create=False))
        assert isinstance(failure, ApiError) and (failure.code, failure.status_code) == (16, 404), failure
        token = jwt.encode({"user_id": "bob", "exp": 4102444800, "call_cids": ["default:other"]}, SECRET)
        failure = asyncio.run(join(gateway, "standup", user="bob", token=token))
        assert isinstance(failure, ApiError) and (failure.code, failure.status_code) == (17, 403), failure

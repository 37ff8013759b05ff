"""The SDK's own ConnectionManager takes part in calls through the gateway's own SFU."""

import asyncio
import contextlib
import functools
import time
import uuid

import pytest
from conftest import KEY, server
from getstream import AsyncStream
from getstream.models import CallRequest
from getstream.video.rtc import connection_manager
from getstream.video.rtc.connection_manager import ConnectionManager
from getstream.video.rtc.connection_utils import ConnectionState
from getstream.video.rtc.coordinator.ws import StreamAPIWS
from getstream.video.rtc.pb.stream.video.sfu.event import events_pb2
from getstream.video.rtc.pb.stream.video.sfu.models import models_pb2
from getstream.video.rtc.pb.stream.video.sfu.signal_rpc import signal_pb2
from getstream.video.rtc.signaling import SignalingError, WebSocketClient

from gateway import SECRET, Gateway

PATIENCE = 60


@pytest.fixture(scope="module")
def gateway():
    with Gateway("--stream-api-key", KEY, "--stream-sfu-return", "2s") as gateway:
        yield gateway


@pytest.fixture
def name():
    return f"meeting-{uuid.uuid4().hex[:8]}"


def present(gateway, name):
    """The names of the users in the call."""
    call = server(gateway).video.call("default", name).get().data.call
    people = call.session.participants if call.session else []
    return sorted(person.user.id for person in people)


async def until(holds):
    async with asyncio.timeout(PATIENCE):
        while not await asyncio.to_thread(holds):
            await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def taking_part(gateway, name, user):
    """A ConnectionManager that has joined, with the SFU's messages."""
    client = AsyncStream(api_key=KEY, api_secret=SECRET, base_url=gateway.http_url)
    manager = ConnectionManager(client.video.call("default", name), user_id=user, create=True)
    manager.told = []
    manager.on_wildcard("*", lambda kind, *event: manager.told.append((kind, *event)))
    await asyncio.wait_for(manager.connect(), PATIENCE)
    try:
        yield manager
    finally:
        await manager.leave()
        await client.aclose()


@pytest.fixture(autouse=True)
def coordinator(gateway, monkeypatch):
    """The address of the coordinator's socket, which the ConnectionManager has no parameter for."""
    here = functools.partial(StreamAPIWS, uri=f"{gateway.url}/api/v2/connect")
    monkeypatch.setattr(connection_manager, "StreamAPIWS", here)


def moves(manager, kind):
    return [event.participant.user_id for name, event, *_ in manager.told if name == kind]


def test_two_join_see_each_other_and_leave(gateway, name):
    async def meet():
        async with taking_part(gateway, name, "ann") as ann:
            assert ann.connection_state == ConnectionState.JOINED and present(gateway, name) == ["ann"]
            async with taking_part(gateway, name, "bob") as bob:
                known = {person.user_id for person in bob.participants_state.get_participants()}
                assert known == {"ann", "bob"}
                await until(lambda: moves(ann, "participant_joined") == ["bob"])
                assert present(gateway, name) == ["ann", "bob"]
            await until(lambda: moves(ann, "participant_left") == ["bob"])
            assert present(gateway, name) == ["ann"]
        await until(lambda: present(gateway, name) == [])

    asyncio.run(meet())


def test_it_stays_with_its_own_signs_of_life(gateway, name):
    async def stay():
        async with taking_part(gateway, name, "ann") as ann:
            await until(lambda: any(kind == "health_check_response" for kind, *_ in ann.told))
            [count] = [event.participant_count for kind, event, *_ in ann.told if kind == "health_check_response"][:1]
            assert count.total == 1
            assert time.time() - ann.ws_client.last_health_check_time < 10

    asyncio.run(stay())


def test_its_remote_procedures_are_answered(gateway, name):
    async def ask():
        async with taking_part(gateway, name, "ann") as ann:
            request = signal_pb2.UpdateSubscriptionsRequest(session_id=ann.session_id)
            answer = await ann.twirp_signaling_client.UpdateSubscriptions(
                ctx=ann.twirp_context, request=request, server_path_prefix=""
            )
            assert not answer.HasField("error")

    asyncio.run(ask())


def test_a_wrong_token_is_refused_with_an_error_that_the_sdk_knows(gateway, name):
    async def refused():
        server(gateway).video.call("default", name).get_or_create(data=CallRequest(created_by_id="ann"))
        join = events_pb2.JoinRequest(token="a.b.c", session_id=str(uuid.uuid4()))
        client = WebSocketClient(f"{gateway.url}/sfu/ws", join, asyncio.get_running_loop())
        with pytest.raises(SignalingError) as failure:
            await asyncio.wait_for(client.connect(), PATIENCE)
        assert failure.value.error.code == models_pb2.ERROR_CODE_UNAUTHENTICATED and failure.value.error.should_retry
        assert present(gateway, name) == []

    asyncio.run(refused())

"""Calls by Stream's SDK with its own WebSocket client: one client watches, and receives what others do."""

import asyncio
import uuid

import pytest
from conftest import Listener
from getstream.models import CallRequest, MemberRequest
from getstream.video.rtc.connection_utils import join_call_coordinator_request, watch_call


@pytest.fixture
def name():
    return f"standup-{uuid.uuid4().hex[:8]}"


async def watching(listener, name):
    """The SDK's own request to watch, with the id of its connection."""
    opened = await listener.connect()
    call = listener.client.video.call("default", name)
    await watch_call(call, opened["me"]["id"], opened["connection_id"])
    return call


def test_who_watches_hears_what_others_do(gateway, stream, name):
    stream.video.call("default", name).get_or_create(data=CallRequest(created_by_id="ann"))

    async def hear():
        async with Listener(gateway, "ann") as ann, Listener(gateway, "bob") as bob, Listener(gateway, "eve") as eve:
            await watching(ann, name)
            await eve.connect()
            await bob.connect()
            call = bob.client.video.call("default", name)
            joined = await join_call_coordinator_request(call, "bob", location="FRA", create=True)
            assert joined.data.credentials.server.edge_name == "postern" and joined.data.stats_options
            await call.send_call_event(user_id="bob", custom={"wave": "hello"})
            [event] = await ann.until("custom")
            assert event["custom"] == {"wave": "hello"} and event["user"]["id"] == "bob"
            assert event["call_cid"] == f"default:{name}" and isinstance(event["created_at"], int)
            [started] = await ann.until("call.session_started")
            [person] = await ann.until("call.session_participant_joined")
            assert person["participant"]["user"]["id"] == "bob" and person["session_id"] == started["session_id"]
            await bob.socket.disconnect()
            [left] = await ann.until("call.session_participant_left")
            assert left["participant"]["user_session_id"] == person["participant"]["user_session_id"]
            [ended] = await ann.until("call.session_ended")
            assert ended["session_id"] == started["session_id"] and ended["call"]["current_session_id"] == ""
            assert [event["type"] for event in eve.events if event["type"].startswith(("call.", "custom"))] == []

    asyncio.run(hear())


def test_a_ring_reaches_members_who_watch_nothing(gateway, stream, name):
    async def hear():
        async with Listener(gateway, "ann") as ann, Listener(gateway, "bob") as bob:
            await ann.connect()
            await bob.connect()
            members = [MemberRequest(user_id="ann"), MemberRequest(user_id="bob")]
            call = ann.client.video.call("default", name)
            await call.get_or_create(ring=True, data=CallRequest(created_by_id="ann", members=members))
            [ring] = await bob.until("call.ring")
            assert ring["user"]["id"] == "ann" and len(ring["members"]) == 2
            assert [event for event in ann.events if event["type"] == "call.ring"] == []
            await call.end()
            [missed] = await bob.until("call.missed")
            assert [member["user_id"] for member in missed["members"]] == ["bob"]

    asyncio.run(hear())


def test_a_connection_that_came_back_watches_by_its_new_name(gateway, stream, name):
    call = stream.video.call("default", name)
    call.get_or_create(data=CallRequest(created_by_id="ann"))

    async def hear():
        async with Listener(gateway, "ann") as first:
            await watching(first, name)
        async with Listener(gateway, "ann") as again:
            await watching(again, name)
            call.send_call_event(user_id="bob", custom={"n": 1})
            await again.until("custom")
        assert not [event for event in first.events if event["type"] == "custom"]

    asyncio.run(hear())

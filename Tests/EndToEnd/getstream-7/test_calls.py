"""Calls by Stream's server SDK: every date is a number of nanoseconds there, or its models fail."""

import contextlib
from datetime import datetime, timedelta, timezone
from typing import Any, Dict

import pytest
from getstream.exceptions import StreamApiException
from getstream.models import (
    AudioSettingsRequest,
    CallRequest,
    CallSettingsRequest,
    LimitsSettingsRequest,
    MemberRequest,
    SortParamRequest,
    UserRequest,
)


@contextlib.contextmanager
def refused(status, code):
    with pytest.raises(StreamApiException) as info:
        yield info
    assert (info.value.http_response.status_code, info.value.api_error.code) == (status, code)


def test_get_or_create_and_get(call):
    starts_at = datetime(2030, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    members = [MemberRequest(user_id="bob", role="admin"), MemberRequest(user_id="eve", custom={"seat": 3})]
    settings = CallSettingsRequest(
        audio=AudioSettingsRequest(default_device="speaker", mic_default_on=False),
        limits=LimitsSettingsRequest(max_duration_seconds=300, max_participants=4),
    )
    before = datetime.now(timezone.utc) - timedelta(seconds=1)
    response = call.get_or_create(
        data=CallRequest(
            created_by_id="ann", custom={"topic": "tea"}, starts_at=starts_at, members=members, settings_override=settings
        )
    )
    assert response.status_code() == 201
    data = response.data
    assert data.created and data.call.cid == f"default:{call.id}" and data.duration.endswith("ms")
    assert data.call.created_by.id == "ann" and data.call.custom == {"topic": "tea"} and not data.call.backstage
    assert data.call.starts_at == starts_at and before <= data.call.created_at <= datetime.now(timezone.utc)
    assert data.call.settings.audio.default_device == "speaker" and not data.call.settings.audio.mic_default_on
    assert data.call.settings.limits.max_duration_seconds == 300 and data.call.settings.video.enabled
    assert [(member.user_id, member.role) for member in data.members] == [("bob", "admin"), ("eve", None)]
    assert "end-call" in data.own_capabilities
    assert not call.get_or_create(data=CallRequest(created_by_id="ann")).data.created
    got = call.get(members_limit=1)
    assert got.status_code() == 200 and len(got.data.members) == 1 and got.data.call.starts_at == starts_at


def test_update_and_members(call):
    call.get_or_create(data=CallRequest(created_by_id="ann"))
    settings = CallSettingsRequest(limits=LimitsSettingsRequest(max_participants=2))
    updated = call.update(custom={"topic": "coffee"}, settings_override=settings)
    assert updated.status_code() == 200 and updated.data.call.custom == {"topic": "coffee"}
    assert updated.data.call.settings.limits.max_participants == 2
    assert updated.data.call.updated_at > updated.data.call.created_at
    response = call.update_call_members(update_members=[MemberRequest(user_id="bob"), MemberRequest(user_id="eve")])
    assert [member.user.id for member in response.data.members] == ["bob", "eve"]
    assert [member.user_id for member in call.update_call_members(remove_members=["bob"]).data.members] == ["eve"]


def test_a_user_joins_and_is_in_the_session(as_user, call):
    call.get_or_create(data=CallRequest(created_by_id="ann", members=[MemberRequest(user_id="ann")]))
    # This library has no join of its own, so its participants join by another one.
    path = f"/api/v2/video/call/default/{call.id}/join"
    joined = as_user("ann").video.post(path, Dict[str, Any], json={"location": "FRA", "create": True}).data
    assert joined["credentials"]["server"]["ws_endpoint"].startswith("ws://127.0.0.1")
    session = call.get().data.call.session
    assert session.id == joined["call"]["current_session_id"]
    assert [(person.user.id, person.role) for person in session.participants] == [("ann", "user")]
    assert session.participants_count_by_role == {"user": 1} and session.started_at >= call.get().data.call.created_at


def test_moderation(call):
    call.get_or_create(data=CallRequest(created_by_id="ann", members=[MemberRequest(user_id="bob")]))
    assert call.block_user("bob").data.duration
    assert call.get().data.call.blocked_user_ids == ["bob"]
    call.unblock_user("bob")
    assert call.get().data.call.blocked_user_ids == []
    call.mute_users(muted_by_id="ann", user_ids=["bob"], audio=True)
    call.update_user_permissions(user_id="bob", grant_permissions=["mute-users"], revoke_permissions=["send-audio"])
    call.kick_user(user_id="bob", kicked_by_id="ann")
    call.send_call_event(user_id="ann", custom={"wave": "hello"})
    assert call.ring(members_ids=["bob"]).data.members_ids == ["bob"]


def test_live(stream):
    call = stream.video.call("livestream", "show")
    assert call.get_or_create(data=CallRequest(created_by_id="ann")).data.call.backstage
    assert not call.go_live().data.call.backstage
    assert call.stop_live().data.call.backstage


def test_end_and_delete(call):
    call.get_or_create(data=CallRequest(created_by_id="ann"))
    assert call.end().data.duration
    ended = call.get().data.call
    assert ended.ended_at is not None and ended.current_session_id == ""
    assert call.delete().data.call.cid == ended.cid
    with refused(404, 16):
        call.get()


def test_query(stream, call):
    call.get_or_create(data=CallRequest(created_by_id="zoe", custom={"room": call.id}))
    other = stream.video.call("default", f"{call.id}-b")
    other.get_or_create(data=CallRequest(created_by_id="zoe", custom={"room": call.id}))
    conditions = {"custom.room": call.id, "created_by_user_id": {"$in": ["zoe"]}}
    order = [SortParamRequest(field="cid", direction=1)]
    page = stream.video.query_calls(filter_conditions=conditions, sort=order, limit=1).data
    assert [state.call.id for state in page.calls] == [call.id] and page.next and not page.prev
    page = stream.video.query_calls(filter_conditions=conditions, sort=order, limit=1, next=page.next).data
    assert [state.call.id for state in page.calls] == [other.id] and not page.next and page.prev
    call.update_call_members(update_members=[MemberRequest(user_id="eve")])
    found = stream.video.query_call_members(id=call.id, type="default", filter_conditions={"user_id": "eve"}).data
    assert [member.user_id for member in found.members] == ["eve"]


def test_devices_and_edges(stream):
    stream.upsert_users(UserRequest(id="ann"))
    stream.create_device(id="phone", push_provider="firebase", user_id="ann", voip_token=False)
    devices = stream.list_devices(user_id="ann").data.devices
    assert [(device.id, device.user_id) for device in devices] == [("phone", "ann")]
    assert isinstance(devices[0].created_at, datetime)
    stream.delete_device(id="phone", user_id="ann")
    assert stream.list_devices(user_id="ann").data.devices == []
    assert stream.video.get_edges().data.edges == []


def test_a_user_may_what_users_may(stream, as_user, call):
    call.get_or_create(data=CallRequest(created_by_id="ann"))
    bob = as_user("bob").video.call("default", call.id)
    own = bob.get().data.own_capabilities
    assert "end-call" in own and "block-users" not in own
    with refused(403, 17):
        bob.block_user("eve")
    token = stream.create_call_token("bob", call_cids=["default:other"], expiration=600)
    with refused(403, 17):
        stream.clone_for_token(token).video.call("default", call.id).get()


@pytest.mark.parametrize("id", ["a b", "a/b", "ä", "x" * 300])
def test_odd_ids_are_refused(stream, id):
    with refused(400, 4):
        stream.video.call("default", id).get_or_create(data=CallRequest(created_by_id="ann"))


def test_wrong_members_are_named(call):
    members = [MemberRequest(user_id=f"user{number}") for number in range(101)]
    with refused(400, 4) as info:
        call.get_or_create(data=CallRequest(created_by_id="ann", members=members))
    assert info.value.api_error.exception_fields.keys() == {"data.members"}

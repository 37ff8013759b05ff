"""What a server sets up, as the models of Stream's server SDK read it."""

import json
import urllib.request

import pytest
from getstream.exceptions import StreamApiException
from getstream.models import (
    AudioSettingsRequest,
    CallRequest,
    CallSettingsRequest,
    EventNotificationSettingsRequest,
    NotificationSettingsRequest,
    PushProviderRequest,
    UserRequest,
)

# What a model must have and an answer does not, the library only warns of.
pytestmark = pytest.mark.filterwarnings("error:Missing value of non-optional")


def test_a_call_type_is_made_used_changed_and_deleted(stream, as_user):
    settings = CallSettingsRequest(audio=AudioSettingsRequest(default_device="speaker", mic_default_on=False))
    made = stream.video.create_call_type("workshop", settings=settings).data
    assert made.name == "workshop" and not made.settings.audio.mic_default_on and made.created_at.tzinfo
    call = stream.video.call("workshop", "one")
    state = call.get_or_create(data=CallRequest(created_by_id="ann")).data.call
    assert not state.settings.audio.mic_default_on and state.settings.video.enabled
    ring = NotificationSettingsRequest(enabled=True, call_ring=EventNotificationSettingsRequest(enabled=False))
    grants = {"user": ["join-call", "read-call", "send-audio"]}
    changed = stream.video.update_call_type("workshop", grants=grants, notification_settings=ring).data
    assert changed.grants["user"] == grants["user"] and not changed.notification_settings.call_ring.enabled
    assert as_user("bob").video.call("workshop", "one").get().data.own_capabilities == grants["user"]
    assert {"default", "livestream", "workshop"} <= set(stream.video.list_call_types().data.call_types)
    assert stream.video.get_call_type("workshop").data.updated_at >= made.updated_at
    assert stream.video.delete_call_type("workshop").data.duration
    with pytest.raises(StreamApiException) as info:
        stream.video.get_call_type("workshop")
    assert info.value.api_error.code == 16


def test_roles_and_permissions(stream):
    assert stream.create_role("captain").data.role.custom
    roles = {role.name: role for role in stream.list_roles().data.roles}
    assert roles["captain"].custom and not roles["call_member"].custom and "video:default" in roles["user"].scopes
    stream.delete_role("captain")
    permissions = stream.list_permissions().data.permissions
    assert {"end-call", "end-call-owner"} <= {permission.id for permission in permissions}
    assert stream.get_permission("end-call").data.permission.action == "EndCall"


def test_push_providers_and_limits(stream):
    wish = PushProviderRequest(name="mine", type="firebase", firebase_credentials="SECRET", description="phones")
    kept = stream.upsert_push_provider(wish).data.push_provider
    assert kept.name == "mine" and kept.description == "phones" and kept.firebase_credentials is None
    assert [provider.name for provider in stream.list_push_providers().data.push_providers] == ["mine"]
    stream.delete_push_provider("firebase", "mine")
    assert stream.list_push_providers().data.push_providers == []
    assert stream.get_rate_limits(server_side=True).data.server_side == {}


def test_no_telephone_leads_here(stream):
    numbers = {"sip_caller_number": "+14155550123", "sip_trunk_number": "+14155550199"}
    assert stream.video.resolve_sip_auth(**numbers).data.auth_result == "no_trunk_found"
    with pytest.raises(StreamApiException) as info:
        stream.video.resolve_sip_inbound(**numbers)
    assert info.value.api_error.code == 16


def test_active_calls_and_exports(stream):
    status = stream.video.get_active_calls_status().data
    assert status.start_time < status.end_time and status.summary.active_publishers == 0
    stream.upsert_users(UserRequest(id="ann", name="Ann"))
    assert stream.export_user("ann").data.user.name == "Ann"
    task = stream.get_task(stream.export_users(["ann"]).data.task_id).data
    assert task.status == "completed"
    with urllib.request.urlopen(task.result["url"], timeout=10) as answer:
        assert [user["id"] for user in json.load(answer)["users"]] == ["ann"]

"""What a server sets up, as the models of Stream's server SDK read it."""

import json
import urllib.request

import pytest
from getstream.exceptions import StreamApiException
from getstream.models import (
    AudioSettingsRequest,
    CallRequest,
    CallSettingsRequest,
    ClientEvent,
    EventNotificationSettingsRequest,
    MemberRequest,
    NotificationSettingsRequest,
    PushPreferenceInput,
    PushProviderRequest,
    QueryUsersPayload,
    S3Request,
    SIPCallerConfigsRequest,
    SIPDirectRoutingRuleCallConfigsRequest,
    UserRequest,
)

# If an answer lacks a member that a model requires, the library only warns.
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


def test_the_application_and_its_users_are_read_whole(stream, call):
    app = stream.get_app().data.app
    assert app.file_upload_config.size_limit == 0 and not app.push_notifications.apn.enabled
    stream.upsert_users(UserRequest(id="ann"), UserRequest(id="zed"))
    members = [MemberRequest(user_id="zed")]
    call.get_or_create(data=CallRequest(created_by_id="ann", members=members))
    assert call.get().data.members[0].user_id == "zed" and call.update(custom={"a": 1}).data.call.custom == {"a": 1}
    found = stream.video.query_call_members(call.id, call.call_type).data.members
    assert [member.user_id for member in found] == ["zed"]
    assert stream.deactivate_users(["zed"], created_by_id="ann").data.task_id
    assert stream.reactivate_users(["zed"], created_by_id="ann").data.task_id
    assert stream.delete_users(["zed"]).data.task_id
    assert stream.restore_users(["zed"]).data.duration
    assert stream.moderation.ban(target_user_id="zed", banned_by_id="ann", reason="spam", timeout=30).data.duration
    zed = {"filter_conditions": {"id": "zed"}}
    assert stream.query_users(QueryUsersPayload(**zed)).data.users[0].banned
    assert stream.moderation.unban(target_user_id="zed").data.duration
    assert not stream.query_users(QueryUsersPayload(**zed)).data.users[0].banned
    assert stream.video.report_client_call_event([ClientEvent()]).data.duration
    assert call.end().data.duration and call.delete(hard=True).data.call.id == call.id


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
    with urllib.request.urlopen(task.result["url"], timeout=60) as answer:
        assert [user["id"] for user in json.load(answer)["users"]] == ["ann"]


def test_a_permission_of_its_own_gives_what_its_action_does(stream, as_user, call):
    call.get_or_create(data=CallRequest(created_by_id="ann"))
    stream.create_permission(action="MuteUsers", id="hush", name="Hush", condition={})
    stream.video.create_call_type("choir", grants={"user": ["join-call", "read-call", "create-call", "hush"]})
    as_user("bob").video.call("choir", "one").get_or_create()
    assert "mute-users" in as_user("bob").video.call("choir", "one").get().data.own_capabilities
    stream.update_permission("hush", action="EndCall", name="Hush", condition={}, owner=True)
    assert "end-call" in as_user("bob").video.call("choir", "one").get().data.own_capabilities
    assert stream.get_permission("hush").data.permission.custom
    assert "hush" in {permission.id for permission in stream.list_permissions().data.permissions}
    stream.delete_permission("hush")
    assert "end-call" not in as_user("bob").video.call("choir", "one").get().data.own_capabilities
    stream.video.delete_call_type("choir")
    assert "user" in {role.name for role in stream.search_roles("us").data.roles}


def test_push_templates_and_preferences(stream):
    stream.upsert_users(UserRequest(id="ann"))
    stream.upsert_push_provider(PushProviderRequest(name="mine", type="apn"))
    wish = {"event_type": "call.ring", "push_provider_type": "apn", "push_provider_name": "mine"}
    assert stream.upsert_push_template(**wish, template="{}").data.template.enable_push
    assert [one.event_type for one in stream.get_push_templates("apn").data.templates] == ["call.ring"]
    wanted = [PushPreferenceInput(user_id="ann", call_level="none"), PushPreferenceInput(user_id="ann", channel_cid="a:b")]
    kept = stream.update_push_notification_preferences(wanted).data
    assert kept.user_preferences["ann"].call_level == "none" and "a:b" in kept.user_channel_preferences["ann"]
    assert stream.check_push(user_id="ann", skip_devices=True).data.general_errors


def test_storages_trunks_and_rules(stream):
    stream.create_external_storage("b", "mine", "s3", aws_s3=S3Request(s3_region="eu", s3_secret="SECRET"))
    assert stream.list_external_storage().data.external_storages["mine"].bucket == "b"
    assert stream.update_external_storage("mine", "c", "gcs", path="calls/").data.path == "calls/"
    assert stream.check_external_storage("mine").data.file_url
    stream.delete_external_storage("mine")
    trunk = stream.video.create_sip_trunk("desk", ["+1555"], allowed_ips=["192.0.2.1"]).data.sip_trunk
    numbers = {"sip_caller_number": "+2", "sip_trunk_number": "+1555"}
    assert stream.video.resolve_sip_auth(**numbers).data.password == trunk.password
    assert stream.video.resolve_sip_auth(**numbers, source_ip="192.0.2.1").data.auth_result == "accept"
    assert stream.video.update_sip_trunk(trunk.id, "desk", ["+3"]).data.sip_trunk.numbers == ["+3"]
    direct = SIPDirectRoutingRuleCallConfigsRequest(call_type="default", call_id="one")
    wish = {"trunk_ids": [trunk.id], "caller_configs": SIPCallerConfigsRequest(id="u"), "direct_routing_configs": direct}
    rule = stream.video.create_sip_inbound_routing_rule("in", **wish).data
    assert rule.caller_configs.custom_data == {} and rule.direct_routing_configs.call_id == "one"
    changed = stream.video.update_sip_inbound_routing_rule(rule.id, "out", **wish).data.sip_inbound_routing_rule
    assert changed.name == "out"
    listed = stream.video.list_sip_inbound_routing_rule().data.sip_inbound_routing_rules
    assert [one.id for one in listed] == [rule.id]
    stream.video.delete_sip_inbound_routing_rule(rule.id)
    assert stream.video.delete_sip_trunk(trunk.id).data.duration
    assert stream.video.list_sip_trunks().data.sip_trunks == []
    assert stream.video.get_daily_digest(date="2026-08-31").data.call_sessions == []

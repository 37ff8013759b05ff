"""Settings of users, and what an application stores about channels, by the vendor's Python SDK for servers."""

import pytest
from sendbird_platform_sdk.api.group_channel_api import GroupChannelApi
from sendbird_platform_sdk.api.message_api import MessageApi
from sendbird_platform_sdk.api.metadata_api import MetadataApi
from sendbird_platform_sdk.api.moderation_api import ModerationApi
from sendbird_platform_sdk.api.user_api import UserApi
from sendbird_platform_sdk.models import (
    AddARegistrationOrDeviceTokenRequest,
    AddExtraDataToAMessageRequest,
    BlockAUserRequest,
    ChooseAPushNotificationContentTemplateRequest,
    CreateAChannelMetadataRequest,
    CreateAGroupChannelRequest,
    CreateAUserRequest,
    HideAChannelRequest,
    ResetChatHistoryRequest,
    SendAMessageRequest,
    SendbirdPushTriggerOption,
    SendbirdSortedMetaarray,
    SendbirdSortedMetaarrayInner,
    SendbirdUser,
    UpdateAChannelMetadataRequest,
    UpdateChannelInvitationPreferenceRequest,
    UpdateCountPreferenceOfAChannelRequest,
    UpdateExtraDataInAMessageRequest,
    UpdatePushPreferencesForAChannelRequest,
    UpdatePushPreferencesRequest,
)


@pytest.fixture
def users(client):
    return UserApi(client)


@pytest.fixture
def people(users, api_token, fresh):
    """Two users who exist."""
    names = [fresh(), fresh()]
    for name in names:
        users.create_a_user(
            api_token=api_token,
            create_a_user_request=CreateAUserRequest(nickname=name, profile_url="", user_id=name))
    return names


@pytest.fixture
def url(client, api_token, people):
    """A group channel of theirs."""
    request = CreateAGroupChannelRequest([SendbirdUser(user_id=name) for name in people], user_ids=people)
    return GroupChannelApi(client).create_a_group_channel(
        api_token=api_token, create_a_group_channel_request=request).channel_url


def test_devices_are_registered_listed_and_taken_away(users, api_token, people):
    ann, bob = people
    made = users.add_a_registration_or_device_token(
        ann, "gcm", api_token=api_token,
        add_a_registration_or_device_token_request=AddARegistrationOrDeviceTokenRequest(gcm_reg_token=f"t-{ann}"))
    assert made.token == f"t-{ann}" and made.type == "GCM" and made.user.user_id == ann
    listed = users.list_registration_or_device_tokens(ann, "gcm", api_token=api_token)
    assert listed.tokens == [f"t-{ann}"] and listed.type == "GCM" and listed.user.user_id == ann
    owners = users.view_who_owns_a_registration_or_device_token("gcm", f"t-{ann}", api_token=api_token)
    assert [owner.user_id for owner in owners.value] == [ann]
    gone = users.remove_a_registration_or_device_token(ann, "gcm", f"t-{ann}", api_token=api_token)
    assert gone.token == f"t-{ann}"
    for name in people:
        users.add_a_registration_or_device_token(
            name, "apns", api_token=api_token,
            add_a_registration_or_device_token_request=AddARegistrationOrDeviceTokenRequest(
                apns_device_token=f"a-{name}"))
    assert users.remove_all_registration_or_device_token(ann, api_token=api_token).token == [f"a-{ann}"]
    lost = users.remove_a_registration_or_device_token_from_an_owner("apns", f"a-{bob}", api_token=api_token)
    assert [owner.user_id for owner in lost.value] == [bob]
    assert users.list_registration_or_device_tokens(bob, "apns", api_token=api_token).tokens == []


def test_push_preferences_are_kept_and_reset(users, api_token, people, url):
    ann = people[0]
    changed = users.update_push_preferences(
        ann, api_token=api_token,
        update_push_preferences_request=UpdatePushPreferencesRequest(
            do_not_disturb=True, start_hour=22, start_min=0, end_hour=7, end_min=30, timezone="Europe/Berlin",
            push_trigger_option=SendbirdPushTriggerOption("mention_only")))
    found = users.view_push_preferences(ann, api_token=api_token)
    assert found.to_dict() == changed.to_dict()
    assert (found.do_not_disturb, found.end_min, found.timezone) == (True, 30, "Europe/Berlin")
    users.reset_push_preferences(ann, api_token=api_token)
    assert users.view_push_preferences(ann, api_token=api_token).do_not_disturb is False
    named = users.choose_a_push_notification_content_template(
        ann, api_token=api_token,
        choose_a_push_notification_content_template_request=ChooseAPushNotificationContentTemplateRequest(
            name="alternative"))
    assert named.name == "alternative"
    # There is no message yet, and the SDK rejects the vendor's own value for that.
    usual = users.view_push_preferences_for_a_channel(ann, url, api_token=api_token)
    assert usual.enable is True and "push_trigger_option" not in usual
    back = users.update_push_preferences_for_a_channel(
        ann, url, api_token=api_token,
        update_push_preferences_for_a_channel_request=UpdatePushPreferencesForAChannelRequest(
            push_trigger_option="default"))
    assert back.enable is True
    one = users.update_push_preferences_for_a_channel(
        ann, url, api_token=api_token,
        update_push_preferences_for_a_channel_request=UpdatePushPreferencesForAChannelRequest(
            push_trigger_option="all", push_sound="bell"))
    assert one.push_sound == "bell" and one.enable is True
    assert users.view_push_preferences_for_a_channel(ann, url, api_token=api_token).push_sound == "bell"
    counted = users.update_count_preference_of_a_channel(
        ann, url, api_token=api_token,
        update_count_preference_of_a_channel_request=UpdateCountPreferenceOfAChannelRequest(
            count_preference="unread_message_count_only"))
    assert counted.count_preference == "unread_message_count_only"
    kept = users.view_count_preference_of_a_channel(ann, url, api_token=api_token)
    assert kept.count_preference == "unread_message_count_only"


def test_who_wants_to_be_asked_is_invited_only(client, users, api_token, people):
    ann, bob = people
    users.update_channel_invitation_preference(
        bob, api_token=api_token,
        update_channel_invitation_preference_request=UpdateChannelInvitationPreferenceRequest(auto_accept=False))
    assert users.get_channel_invitation_preference(bob, api_token=api_token).auto_accept is False
    groups = GroupChannelApi(client)
    made = groups.create_a_group_channel(
        api_token=api_token,
        create_a_group_channel_request=CreateAGroupChannelRequest(
            [SendbirdUser(user_id=bob)], user_ids=[ann, bob], inviter_id=ann))
    found = groups.check_if_member(made.channel_url, bob, api_token=api_token)
    assert found.is_member is True and found.state == "invited"


def test_metadata_of_a_channel(client, api_token, url):
    metadata = MetadataApi(client)
    made = metadata.create_a_channel_metadata(
        "group_channels", url, api_token=api_token,
        create_a_channel_metadata_request=CreateAChannelMetadataRequest(metadata={"a": "1"}, include_ts=True))
    assert made.metadata == {"a": "1"}
    changed = metadata.update_a_channel_metadata(
        "group_channels", url, api_token=api_token,
        update_a_channel_metadata_request=UpdateAChannelMetadataRequest(metadata={"b": "2"}, upsert=True))
    assert changed == {"a": "1", "b": "2"}
    found = metadata.view_a_channel_metadata_when_retrieving_all_items_of_a_channel_metadata(
        "group_channels", url, api_token=api_token)
    assert found == {"a": "1", "b": "2"}
    metadata.delete_a_channel_metadata_when_deleting_all_items_of_a_channel_metadata(
        "group_channels", url, api_token=api_token)
    found = metadata.view_a_channel_metadata_when_retrieving_all_items_of_a_channel_metadata(
        "group_channels", url, api_token=api_token)
    assert found == {}


def test_a_channel_is_hidden_and_its_history_reset(client, users, api_token, people, url):
    groups, ann = GroupChannelApi(client), people[0]
    mine = lambda: [
        channel.channel_url
        for channel in users.list_my_group_channels(ann, api_token=api_token, show_empty=True).channels]
    assert mine() == [url]
    groups.hide_a_channel(
        url, api_token=api_token,
        hide_a_channel_request=HideAChannelRequest(user_id=ann, allow_auto_unhide=False))
    assert mine() == []
    groups.unhide_a_channel(url, ann, api_token=api_token)
    assert mine() == [url]
    reset = groups.reset_chat_history(
        url, api_token=api_token, reset_chat_history_request=ResetChatHistoryRequest(user_id=ann))
    assert reset.ts_message_offset > 0


def test_users_block_each_other(client, api_token, people):
    moderation, (ann, bob) = ModerationApi(client), people
    moderation.block_a_user(ann, api_token=api_token, block_a_user_request=BlockAUserRequest(target_id=bob))
    blocked = moderation.list_blocked_users(ann, api_token=api_token)
    assert [user.user_id for user in blocked.users] == [bob]
    moderation.unblock_a_user(ann, bob, api_token=api_token)
    assert moderation.list_blocked_users(ann, api_token=api_token).users == []


def test_data_are_attached_to_a_message_and_taken_away(client, api_token, people, url):
    messages = MessageApi(client)
    sent = messages.send_a_message(
        "group_channels", url, api_token=api_token,
        send_a_message_request=SendAMessageRequest(message_type="MESG", user_id=people[0], message="hi"))
    place = ("group_channels", url, int(sent.message_id))
    array = lambda *values: SendbirdSortedMetaarray([SendbirdSortedMetaarrayInner(key="k", value=list(values))])
    added = messages.add_extra_data_to_a_message(
        *place, api_token=api_token,
        add_extra_data_to_a_message_request=AddExtraDataToAMessageRequest(sorted_metaarray=array("a")))
    pairs = lambda answer: [(entry.key, entry.value) for entry in answer.sorted_metaarray.value]
    assert pairs(added) == [("k", ["a"])]
    changed = messages.update_extra_data_in_a_message(
        *place, api_token=api_token,
        update_extra_data_in_a_message_request=UpdateExtraDataInAMessageRequest(
            sorted_metaarray=array("b"), mode="add", upsert=True))
    assert pairs(changed) == [("k", ["a", "b"])]
    messages.remove_extra_data_from_a_message(*place, api_token=api_token, keys="k")
    assert pairs(messages.get_a_message(*place, api_token=api_token)) == []

"""Other calls of an application's server about channels and users, by the vendor's Python SDK, which parses every answer."""

import pytest
from sendbird_platform_sdk.api.group_channel_api import GroupChannelApi
from sendbird_platform_sdk.api.message_api import MessageApi
from sendbird_platform_sdk.api.moderation_api import ModerationApi
from sendbird_platform_sdk.api.open_channel_api import OpenChannelApi
from sendbird_platform_sdk.api.user_api import UserApi
from sendbird_platform_sdk.models import (
    AcceptAnInvitationRequest,
    CreateAGroupChannelRequest,
    CreateAnOpenChannelRequest,
    CreateAUserRequest,
    CreateUserMetadataRequest,
    FreezeAGroupChannelRequest,
    FreezeAnOpenChannelRequest,
    InviteAsMembersRequest,
    LeaveMyGroupChannelsRequest,
    MarkAllMessagesAsReadRequest,
    RegisterOperatorsToAGroupChannelRequest,
    SendAMessageRequest,
    SendbirdUser,
    StartTypingIndicatorsRequest,
    UpdateAMessageRequest,
    UpdateChannelInvitationPreferenceRequest,
)
from socket_client import SocketClient


@pytest.fixture
def users(client):
    return UserApi(client)


@pytest.fixture
def people(users, api_token, fresh):
    names = [fresh(), fresh(), fresh()]
    for name in names:
        users.create_a_user(
            api_token=api_token, create_a_user_request=CreateAUserRequest(nickname=name, profile_url="", user_id=name))
    return names


@pytest.fixture
def url(client, api_token, people):
    request = CreateAGroupChannelRequest([SendbirdUser(user_id=name) for name in people[:2]], user_ids=people[:2])
    return GroupChannelApi(client).create_a_group_channel(
        api_token=api_token, create_a_group_channel_request=request).channel_url


def test_operators_come_and_go_in_both_kinds(client, api_token, people, url):
    ann, bob, _ = people
    groups, opens = GroupChannelApi(client), OpenChannelApi(client)
    hall = opens.create_an_open_channel(
        api_token=api_token, create_an_open_channel_request=CreateAnOpenChannelRequest(name="Hall")).channel_url
    wish = RegisterOperatorsToAGroupChannelRequest([ann, bob])
    groups.register_operators_to_a_group_channel(
        url, api_token=api_token, register_operators_to_a_group_channel_request=wish)
    opens.register_operators(hall, api_token=api_token, register_operators_to_a_group_channel_request=wish)
    assert {one.user_id for one in groups.list_operators(url, api_token=api_token).operators} == {ann, bob}
    assert {one.user_id for one in opens.list_channel_operators(hall, api_token=api_token).operators} == {ann, bob}
    groups.cancel_the_registration_of_operators(url, bob, api_token=api_token)
    opens.unregister_operators(hall, ann, api_token=api_token, delete_all=True)
    assert [one.user_id for one in groups.list_operators(url, api_token=api_token).operators] == [ann]
    assert opens.list_channel_operators(hall, api_token=api_token).operators == []
    moderation = ModerationApi(client)
    assert moderation.freeze_a_group_channel(
        url, api_token=api_token, freeze_a_group_channel_request=FreezeAGroupChannelRequest(True)).freeze
    assert moderation.freeze_an_open_channel(
        hall, api_token=api_token, freeze_an_open_channel_request=FreezeAnOpenChannelRequest(True)).freeze
    listed = groups.list_channels(api_token, show_member=True, limit=100, show_empty=True)
    assert url in {channel.channel_url for channel in listed.channels}


def test_an_invitation_waits_for_a_user_who_wants_to_be_asked(client, users, api_token, people, url):
    eve = people[2]
    users.update_channel_invitation_preference(
        eve, api_token=api_token,
        update_channel_invitation_preference_request=UpdateChannelInvitationPreferenceRequest(auto_accept=False))
    groups = GroupChannelApi(client)
    groups.invite_as_members(
        url, api_token=api_token, invite_as_members_request=InviteAsMembersRequest(user_ids=[eve]))
    assert groups.check_if_member(url, eve, api_token=api_token).state == "invited"
    accepted = groups.accept_an_invitation(
        url, api_token=api_token, accept_an_invitation_request=AcceptAnInvitationRequest(eve))
    assert accepted.member_count == 3
    assert groups.check_if_member(url, eve, api_token=api_token).state == "joined"


def test_messages_are_changed_counted_and_read(client, gateway, users, api_token, people, url):
    ann, bob, _ = people
    messages, groups = MessageApi(client), GroupChannelApi(client)
    with SocketClient(gateway, bob) as listener:
        said = messages.send_a_message(
            "group_channels", url, api_token=api_token,
            send_a_message_request=SendAMessageRequest(message_type="MESG", user_id=ann, message="hello"))
        changed = messages.update_a_message(
            "group_channels", url, said.message_id, api_token=api_token,
            update_a_message_request=UpdateAMessageRequest("MESG", message="hi", data="{}"))
        assert changed.message == "hi" and changed.updated_at > 0
        assert listener.next("MEDI")["message"] == "hi"
        typing = StartTypingIndicatorsRequest([ann])
        groups.start_typing_indicators(url, api_token=api_token, start_typing_indicators_request=typing)
        assert listener.next("SYEV")["cat"] == 10900
        groups.stop_typing_indicators(url, api_token=api_token, start_typing_indicators_request=typing)
        assert listener.next("SYEV")["cat"] == 10901
    assert users.view_number_of_unread_messages(bob, api_token=api_token).unread_count == 1
    assert users.view_number_of_channels_with_unread_messages(bob, api_token=api_token).unread_count == 1
    users.mark_all_messages_as_read(
        bob, api_token=api_token,
        mark_all_messages_as_read_request=MarkAllMessagesAsReadRequest(channel_urls=[url]))
    assert users.view_number_of_unread_messages(bob, api_token=api_token).unread_count == 0


def test_a_user_leaves_everything_and_is_left_without_metadata(client, users, api_token, people, url):
    ann = people[0]
    users.create_user_metadata(
        ann, api_token=api_token,
        create_user_metadata_request=CreateUserMetadataRequest(metadata={"color": "red"}))
    users.delete_user_all_metadata(ann, api_token=api_token)
    assert not users.view_a_user(ann, api_token=api_token).metadata
    users.leave_my_group_channels(
        ann, api_token=api_token, leave_my_group_channels_request=LeaveMyGroupChannelsRequest(custom_type=""))
    assert GroupChannelApi(client).check_if_member(url, ann, api_token=api_token).is_member is False

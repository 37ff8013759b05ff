"""Channels and messages: the vendor's Python SDK for servers makes them, clients of the socket receive them."""

import json

import pytest
from sendbird_platform_sdk import ApiException
from sendbird_platform_sdk.api.group_channel_api import GroupChannelApi
from sendbird_platform_sdk.api.message_api import MessageApi
from sendbird_platform_sdk.api.open_channel_api import OpenChannelApi
from sendbird_platform_sdk.api.user_api import UserApi
from sendbird_platform_sdk.models import (
    CreateAGroupChannelRequest,
    CreateAnOpenChannelRequest,
    CreateAUserRequest,
    InviteAsMembersRequest,
    JoinAChannelRequest,
    LeaveAChannelRequest,
    MarkChannelMessagesAsReadRequest,
    SendAMessageRequest,
    SendbirdUser,
    UpdateAGroupChannelRequest,
    UpdateAnOpenChannelRequest,
)
from socket_client import SocketClient


@pytest.fixture
def groups(client):
    return GroupChannelApi(client)


@pytest.fixture
def opens(client):
    return OpenChannelApi(client)


@pytest.fixture
def messages(client):
    return MessageApi(client)


@pytest.fixture
def people(client, api_token, fresh):
    """Three users who exist."""
    names = [fresh() for _ in range(3)]
    for name in names:
        UserApi(client).create_a_user(
            api_token=api_token,
            create_a_user_request=CreateAUserRequest(nickname=name.upper(), profile_url="", user_id=name))
    return names


@pytest.fixture
def group(groups, api_token, people):
    def group(*members, **wishes):
        request = CreateAGroupChannelRequest(
            [SendbirdUser(user_id=name) for name in members], user_ids=list(members), **wishes)
        return groups.create_a_group_channel(api_token=api_token, create_a_group_channel_request=request)

    return group


def code_of(error):
    return error.value.status, json.loads(error.value.body)["code"]


def test_a_group_channel_lives(groups, group, api_token, people):
    ann, bob, eve = people
    made = group(ann, bob, name="Lunch", custom_type="food", data="{}", operator_ids=[ann])
    assert made.channel_url.startswith("sendbird_group_channel_") and made.name == "Lunch"
    assert made.member_count == 2 and made.joined_member_count == 2 and made.last_message is None
    assert {member.user_id: member.role for member in made.members} == {ann: "operator", bob: ""}
    url = made.channel_url
    found = groups.get_a_group_channel(url, api_token=api_token, show_member=True)
    assert found.custom_type == "food" and {member.nickname for member in found.members} == {ann.upper(), bob.upper()}
    groups.invite_as_members(
        url, api_token=api_token, invite_as_members_request=InviteAsMembersRequest(user_ids=[eve], inviter_id=ann))
    assert groups.check_if_member(url, eve, api_token=api_token).is_member is True
    groups.leave_a_channel(url, api_token=api_token, leave_a_channel_request=LeaveAChannelRequest(user_ids=[bob]))
    listed = groups.list_members(url, api_token=api_token)
    assert [member.user_id for member in listed.members] == [ann, eve]
    joined = groups.join_a_channel(url, api_token=api_token, join_a_channel_request=JoinAChannelRequest(user_id=bob))
    assert joined.member_count == 3
    changed = groups.update_a_group_channel(
        url, api_token=api_token, update_a_group_channel_request=UpdateAGroupChannelRequest(name="Dinner"))
    assert changed.name == "Dinner" and changed.custom_type == "food"
    groups.delete_a_group_channel(url, api_token=api_token)
    with pytest.raises(ApiException) as error:
        groups.get_a_group_channel(url, api_token=api_token)
    assert code_of(error) == (400, 400201)


def test_a_distinct_channel_is_found_again(group, people):
    ann, bob, _ = people
    first = group(ann, bob, is_distinct=True)
    assert group(bob, ann, is_distinct=True).channel_url == first.channel_url
    assert group(ann, bob).channel_url != first.channel_url


def test_users_see_their_channels(client, group, api_token, people):
    ann, bob, eve = people
    mine = [group(ann, bob).channel_url, group(ann, eve).channel_url]
    page = UserApi(client).list_my_group_channels(ann, api_token=api_token, show_empty=True, show_member=True)
    assert [channel.channel_url for channel in page.channels] == mine[::-1]
    page = UserApi(client).list_my_group_channels(bob, api_token=api_token, show_empty=True)
    assert [channel.channel_url for channel in page.channels] == mine[:1]


def test_members_receive_the_messages_of_a_server(gateway, client, groups, messages, group, api_token, people):
    ann, bob, _ = people
    url = group(ann, bob).channel_url
    with SocketClient(gateway, ann) as first, SocketClient(gateway, bob) as second:
        sent = messages.send_a_message(
            "group_channels", url, api_token=api_token,
            send_a_message_request=SendAMessageRequest(message_type="MESG", user_id=ann, message="hello"))
        assert sent.message == "hello" and sent.user.user_id == ann
        for listener in [first, second]:
            heard = listener.next("MESG")
            assert heard["msg_id"] == sent.message_id and heard["message"] == "hello"
            assert heard["user"]["guest_id"] == ann and heard["channel_type"] == "group"
        said = first.ask("MESG", channel_url=url, message="hi")
        assert said["msg_id"] > sent.message_id and second.next("MESG")["message"] == "hi"
    listed = messages.list_messages("group_channels", url, said["ts"], 0, api_token=api_token)
    assert [message.message for message in listed.messages] == ["hello", "hi"]
    messages.mark_channel_messages_as_read(
        url, api_token=api_token, mark_channel_messages_as_read_request=MarkChannelMessagesAsReadRequest(user_id=bob))
    # This version of the SDK reads everything of a single channel except its last message.
    assert groups.get_a_group_channel(url, api_token=api_token, user_id=bob).unread_message_count == 0
    found = UserApi(client).list_my_group_channels(bob, api_token=api_token).channels[0]
    assert found.channel_url == url and found.last_message.message == "hi"
    messages.delete_a_message("group_channels", url, said["msg_id"], api_token=api_token)
    assert messages.get_total_number_of_messages_in_a_channel("group_channels", url, api_token=api_token).total == 1


def test_an_open_channel_lives(gateway, opens, messages, api_token, people):
    ann, bob, _ = people
    made = opens.create_an_open_channel(
        api_token=api_token, create_an_open_channel_request=CreateAnOpenChannelRequest(name="Square"))
    url = made.channel_url
    assert made.name == "Square" and made.participant_count == 0
    with SocketClient(gateway, ann) as first, SocketClient(gateway, bob) as second:
        assert first.ask("ENTR", channel_url=url)["participant_count"] == 1
        assert second.ask("ENTR", channel_url=url)["participant_count"] == 2
        assert second.ask("MESG", channel_url=url, message="hi")["channel_type"] == "open"
        assert first.next("MESG")["message"] == "hi"
        assert opens.get_an_open_channel(url, api_token=api_token).participant_count == 2
        messages.send_a_message(
            "open_channels", url, api_token=api_token,
            send_a_message_request=SendAMessageRequest(message_type="ADMM", user_id=ann, message="closing time"))
        assert first.next("ADMM")["message"] == "closing time"
        assert second.ask("EXIT", channel_url=url)["participant_count"] == 1
        refused = second.ask("MESG", channel_url=url, message="still here?")
        assert (refused["command"], refused["code"]) == ("EROR", 900020)
    changed = opens.update_an_open_channel(
        url, api_token=api_token, update_an_open_channel_request=UpdateAnOpenChannelRequest(name="Park"))
    assert changed.name == "Park"
    assert url in [channel.channel_url for channel in opens.list_open_channels(api_token=api_token).channels]
    opens.delete_an_open_channel(url, api_token=api_token)
    with pytest.raises(ApiException) as error:
        opens.get_an_open_channel(url, api_token=api_token)
    assert code_of(error) == (400, 400201)

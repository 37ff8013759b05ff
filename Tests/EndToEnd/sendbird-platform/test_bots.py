"""Bots, announcements and figures: the vendor's Python SDK for servers makes them, a client of the socket receives them."""

import json

import pytest
from sendbird_platform_sdk import ApiException
from sendbird_platform_sdk.api.announcement_api import AnnouncementApi
from sendbird_platform_sdk.api.bot_api import BotApi
from sendbird_platform_sdk.api.group_channel_api import GroupChannelApi
from sendbird_platform_sdk.api.statistics_api import StatisticsApi
from sendbird_platform_sdk.api.user_api import UserApi
from sendbird_platform_sdk.models import (
    CreateABotRequest,
    CreateAGroupChannelRequest,
    CreateAUserRequest,
    JoinChannelsRequest,
    ScheduleAnAnnouncementRequest,
    ScheduleAnAnnouncementRequestMessage,
    SendbirdUser,
    UpdateBotByIdData,
)
from socket_client import SocketClient


@pytest.fixture
def bots(client):
    return BotApi(client)


@pytest.fixture
def ann(client, api_token, fresh):
    name = fresh()
    UserApi(client).create_a_user(
        api_token=api_token, create_a_user_request=CreateAUserRequest(nickname=name, profile_url="", user_id=name))
    return name


@pytest.fixture
def url(client, api_token, ann):
    request = CreateAGroupChannelRequest([SendbirdUser(user_id=ann)], user_ids=[ann])
    return GroupChannelApi(client).create_a_group_channel(
        api_token=api_token, create_a_group_channel_request=request).channel_url


@pytest.fixture
def bot(bots, api_token, fresh):
    name = fresh("bot")
    wish = CreateABotRequest("http://127.0.0.1/hook", "Helper", "", "helper", name, False)
    made = bots.create_a_bot(api_token=api_token, create_a_bot_request=wish)
    assert made.bot.bot_userid == name and made.bot.bot_token and made.is_privacy_mode is False
    return name


def test_a_bot_is_seen_changed_listed_and_deleted(bots, bot, api_token):
    assert bots.view_bot_by_id(bot, api_token=api_token).bot.bot_nickname == "Helper"
    wish = UpdateBotByIdData(bot, "Helping", "", "http://127.0.0.1/other", True, False, True, 1)
    changed = bots.update_bot_by_id(bot, api_token=api_token, update_bot_by_id_data=wish)
    assert changed.bot.bot_nickname == "Helping" and changed.show_member and changed.channel_invitation_preference == 1
    listed, token = [], None
    while token != "":
        page = bots.list_bots(api_token=api_token, limit=1, **({"token": token} if token else {}))
        listed += [one.bot.bot_userid for one in page.bots]
        token = page.next
    assert bot in listed
    bots.delete_bot_by_id(bot, api_token=api_token)
    with pytest.raises(ApiException) as error:
        bots.view_bot_by_id(bot, api_token=api_token)
    assert json.loads(error.value.body)["code"] == 400201


def test_a_bot_speaks_in_a_channel_with_a_file_too(gateway, bots, bot, url, ann, api_token, tmp_path):
    joined = bots.join_channels(bot, api_token=api_token, join_channels_request=JoinChannelsRequest([url]))
    assert joined.channel_url == url
    with SocketClient(gateway, ann) as client:
        sent = bots.send_a_bot_message(bot, "MESG", url, api_token=api_token, message="hello", mentioned_user_ids=[ann])
        assert sent.message.message == "hello"
        heard = client.next("MESG")
        assert heard["message"] == "hello" and heard["user"]["guest_id"] == bot
        photo = tmp_path / "photo.png"
        photo.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(5_000_000))
        with photo.open("rb") as file:
            bots.send_a_bot_message(bot, "FILE", url, api_token=api_token, file=file)
        assert client.next("FILE")["size"] == 5_000_008
    bots.leave_a_group_channel(url, bot, api_token=api_token)
    bots.leave_group_channels(bot, api_token=api_token)


def test_an_announcement_is_heard(client, gateway, url, ann, api_token):
    with SocketClient(gateway, ann) as listener:
        wish = ScheduleAnAnnouncementRequest(
            message=ScheduleAnAnnouncementRequestMessage(type="ADMM", content="closed"), target_at="target_channels",
            target_list=[url])
        made = AnnouncementApi(client).schedule_an_announcement(
            api_token=api_token, schedule_an_announcement_request=wish)
        assert made.status == "done" and made.sent_channel_count == 1 and made.message.content == "closed"
        assert listener.next("ADMM")["message"] == "closed"


def test_active_users_are_counted(client, gateway, ann, api_token):
    with SocketClient(gateway, ann):
        statistics = StatisticsApi(client)
        assert statistics.view_number_of_daily_active_users(api_token=api_token).dau >= 1
        assert statistics.view_number_of_monthly_active_users(api_token=api_token).mau >= 1
        assert statistics.view_number_of_monthly_active_users(api_token=api_token, date="2020-01").mau == 0

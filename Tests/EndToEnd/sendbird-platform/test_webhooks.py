"""Webhooks as Sendbird sends them: set by the settings API, signed with the Api-Token, caused by the vendor's own client."""

import hashlib
import hmac
import json
import threading
import time
import urllib.error
import urllib.request

import pytest
from sendbird_platform_sdk.api.group_channel_api import GroupChannelApi
from sendbird_platform_sdk.api.message_api import MessageApi
from sendbird_platform_sdk.api.user_api import UserApi
from sendbird_platform_sdk.models import CreateAGroupChannelRequest, CreateAUserRequest, SendAMessageRequest, SendbirdUser

from gateway import SECRET
from http_server import HTTPServer

PATH = "/v3/applications/settings/webhook"


def until(condition, patience=120):
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.05)


def settings(gateway, method="GET", body=None, token=SECRET, query=""):
    request = urllib.request.Request(
        gateway.http_url + PATH + query, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Api-Token": token})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["webhook"]


@pytest.fixture(autouse=True)
def off_after(gateway):
    yield
    settings(gateway, "PUT", {"enabled": False, "url": "", "enabled_events": [], "include_members": False})


@pytest.fixture
def people(client, api_token, fresh):
    names = [fresh(), fresh()]
    for name in names:
        UserApi(client).create_a_user(
            api_token=api_token, create_a_user_request=CreateAUserRequest(nickname=name.upper(), profile_url="", user_id=name))
    return names


@pytest.fixture
def channel(client, api_token, people):
    request = CreateAGroupChannelRequest([SendbirdUser(user_id=name) for name in people], user_ids=people)
    return lambda: GroupChannelApi(client).create_a_group_channel(
        api_token=api_token, create_a_group_channel_request=request).channel_url


def say(client, api_token, url, user, text):
    return MessageApi(client).send_a_message(
        "group_channels", url, api_token=api_token,
        send_a_message_request=SendAMessageRequest(message_type="MESG", user_id=user, message=text)).message_id


def categories(backend):
    return [json.loads(request.body)["category"] for request in backend.requests]


def test_settings_are_set_shown_and_the_servers_only(gateway):
    assert settings(gateway) == {"enabled": False, "url": "", "include_members": False, "enabled_events": []}
    wish = {"enabled": True, "url": "https://app.example/hook", "include_members": True, "enabled_events": ["group_channel:join"]}
    assert settings(gateway, "PUT", wish) == wish == settings(gateway)
    every = settings(gateway, "PUT", {"enabled_events": ["*"]})["enabled_events"]
    assert settings(gateway, query="?display_all_webhook_categories=true")["all_webhook_categories"] == every
    assert settings(gateway, "PUT", {"enabled_events": []})["enabled"] is False
    for token, body, status in [("wrong", {}, 400), (SECRET, {"url": "ftp://a/"}, 400), (SECRET, {"enabled": 1}, 400)]:
        with pytest.raises(urllib.error.HTTPError) as refusal:
            settings(gateway, "PUT", body, token=token)
        assert refusal.value.code == status


def test_every_webhook_is_signed_and_comes_in_order(gateway, client, api_token, channel, people):
    with HTTPServer(lambda request: b"{}") as backend:
        wish = {"enabled": True, "url": backend.url + "/hook", "include_members": True, "enabled_events": ["*"]}
        settings(gateway, "PUT", wish)
        url = channel()
        first = say(client, api_token, url, people[0], "hello")
        MessageApi(client).delete_a_message("group_channels", url, int(first), api_token=api_token)
        for number in range(5):
            say(client, api_token, url, people[1], f"{number}")
        GroupChannelApi(client).delete_a_group_channel(url, api_token=api_token)
        until(lambda: "group_channel:remove" in categories(backend))
        seen = categories(backend)
        assert seen[0] == "group_channel:create" and seen[-1] == "group_channel:remove"
        assert seen[-8:-1] == ["group_channel:message_send", "group_channel:message_delete", *["group_channel:message_send"] * 5]
        for request in backend.requests:
            fields = {name.lower(): value for name, value in request.headers.items()}
            # The vendor's published sample.
            assert fields["x-sendbird-signature"] == hmac.new(SECRET.encode(), request.body, hashlib.sha256).hexdigest()
            assert (fields["user-agent"], fields["content-type"]) == ("SendBird", "application/json")
            assert (request.method, request.path) == ("POST", "/hook")
            assert json.loads(request.body)["channel"]["channel_url"] == url
        sent = json.loads(backend.requests[seen.index("group_channel:message_send")].body)
        assert sent["payload"]["message"] == "hello" and sent["payload"]["message_id"] == first and sent["type"] == "MESG"
        assert sent["sender"]["user_id"] == people[0] and {one["user_id"] for one in sent["members"]} == set(people)
        texts = [json.loads(request.body)["payload"]["message"] for request in backend.requests[-6:-1]]
        assert texts == ["0", "1", "2", "3", "4"]


def test_only_chosen_events_come_and_any_answer_ends_a_webhook(gateway, client, api_token, channel, people):
    with HTTPServer(lambda request: (500, b"{}")) as backend:
        wish = {"enabled": True, "url": backend.url, "enabled_events": ["group_channel:message_send"]}
        settings(gateway, "PUT", wish)
        url = channel()
        for text in ["one", "two"]:
            say(client, api_token, url, people[0], text)
        until(lambda: len(backend.requests) == 2)
        assert [json.loads(request.body)["payload"]["message"] for request in backend.requests] == ["one", "two"]
        assert "members" not in json.loads(backend.requests[0].body)


def test_a_backend_that_does_not_answer_gets_three_attempts_and_holds_up_nobody(gateway, client, api_token, channel, people):
    hold = threading.Event()

    def answer(request):
        hold.wait(120)
        return b"{}"

    with HTTPServer(answer) as backend:
        settings(gateway, "PUT", {"enabled": True, "url": backend.url, "enabled_events": ["group_channel:message_send"]})
        url = channel()
        say(client, api_token, url, people[0], "hello")
        say(client, api_token, url, people[0], "again")
        until(lambda: len(backend.requests) >= 3)
        hold.set()
        until(lambda: len(backend.requests) >= 4)
        assert [json.loads(request.body)["payload"]["message"] for request in backend.requests[:4]] == [*["hello"] * 3, "again"]

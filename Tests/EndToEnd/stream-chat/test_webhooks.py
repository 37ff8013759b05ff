"""Webhooks of Chat: set by Stream's Chat client, verified and parsed by it."""

import json
import time

import pytest
from stream_chat import StreamChat

from gateway import SECRET, Gateway
from http_server import HTTPServer


@pytest.fixture(scope="module")
def gateway():
    with Gateway() as gateway:
        yield gateway


def until(condition, patience=120):
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.05)


def test_events_of_users_are_verified_and_parsed_by_the_sdk(gateway):
    chat = StreamChat(api_key="chat", api_secret=SECRET, base_url=gateway.http_url)
    other = StreamChat(api_key="chat", api_secret=SECRET + "x", base_url=gateway.http_url)
    with HTTPServer(lambda request: b"{}") as backend:
        hooks = [{"enabled": True, "hook_type": "webhook", "webhook_url": backend.url, "event_types": []}]
        chat.update_app_settings(event_hooks=hooks)
        (hook,) = chat.get_app_settings()["app"]["event_hooks"]
        assert hook["webhook_url"] == backend.url and hook["enabled"] and hook["id"]
        chat.upsert_user({"id": "ann", "name": "Ann", "colour": "red"})
        chat.deactivate_user("ann")
        chat.reactivate_user("ann")
        chat.delete_user("ann")
        until(lambda: len(backend.requests) == 4)
        types = [json.loads(request.body)["type"] for request in backend.requests]
        assert types == ["user.updated", "user.deactivated", "user.reactivated", "user.deleted"]
        for request in backend.requests:
            signature = {name.lower(): value for name, value in request.headers.items()}["x-signature"]
            assert chat.verify_webhook(request.body, signature) and not other.verify_webhook(request.body, signature)
            assert chat.verify_and_parse_webhook(request.body, signature)["user"]["id"] == "ann"
        assert json.loads(backend.requests[0].body)["user"]["colour"] == "red"
        chat.update_app_settings(event_hooks=[])
        chat.upsert_user({"id": "bob"})
        assert len(backend.requests) == 4


def test_the_older_webhook_of_an_application_gets_its_events_beside_the_hooks(gateway):
    chat = StreamChat(api_key="chat", api_secret=SECRET, base_url=gateway.http_url)
    with HTTPServer(lambda request: b"{}") as older, HTTPServer(lambda request: b"{}") as hooked:
        chat.update_app_settings(webhook_url=older.url, webhook_events=["user.deactivated"])
        chat.update_app_settings(event_hooks=[
            {"enabled": True, "hook_type": "webhook", "webhook_url": hooked.url, "event_types": ["user.updated"]}])
        settings = chat.get_app_settings()["app"]
        assert (settings["webhook_url"], settings["webhook_events"]) == (older.url, ["user.deactivated"])
        assert len(settings["event_hooks"]) == 1
        chat.upsert_user({"id": "cara"})
        chat.deactivate_user("cara")
        until(lambda: older.requests and hooked.requests)
        chat.update_app_settings(webhook_events=[], event_hooks=[])
        chat.reactivate_user("cara")
        until(lambda: len(older.requests) == 2)
        types = [json.loads(request.body)["type"] for request in older.requests]
        assert types == ["user.deactivated", "user.reactivated"] and len(hooked.requests) == 1
        signature = {name.lower(): value for name, value in older.requests[0].headers.items()}["x-signature"]
        assert chat.verify_webhook(older.requests[0].body, signature)
        chat.update_app_settings(webhook_url="")
        chat.delete_user("cara")
        assert chat.get_app_settings()["app"]["webhook_url"] == "" and len(older.requests) == 2
        with pytest.raises(Exception, match="webhook_url"):
            chat.update_app_settings(webhook_url="ftp://example.com")

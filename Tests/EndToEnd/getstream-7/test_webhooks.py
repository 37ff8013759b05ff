"""Webhooks as Stream sends them: set by its SDK, verified by its SDK, and sent again as its rules say.

Dates are texts, as in the vendor's published samples. `parse_event` of this SDK reads numbers only.
"""

import json
import signal
import threading
import time
import urllib.request
import uuid

import pytest
from getstream import Stream
from getstream.exceptions import StreamApiException
from getstream.models import CallRequest, EventHook, MemberRequest
from getstream.webhook import get_event_type, verify_webhook_signature

from gateway import SECRET, Gateway
from http_server import HTTPServer
from ports import free_port

KEY = "end-to-end"
PATIENCE = 120


def until(condition, patience=PATIENCE):
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.05)


def lower(request):
    return {name.lower(): value for name, value in request.headers.items()}


class Backend(HTTPServer):
    """The application's backend: answers with the next of `statuses`, then with 200."""

    def __init__(self, *statuses, hold=None, port=0):
        self.statuses = list(statuses)
        self.hold = hold
        super().__init__(self.say, port=port)

    def say(self, request):
        if self.hold:
            self.hold.wait(PATIENCE)
        return (self.statuses.pop(0) if self.statuses else 200), b"{}"

    def types(self):
        return [json.loads(request.body)["type"] for request in self.requests]


def hook(backend, *types, path="/stream", **more):
    return EventHook(enabled=True, hook_type="webhook", webhook_url=backend.url + path, event_types=list(types), **more)


def metric(gateway, result):
    with urllib.request.urlopen(f"{gateway.control_url}/metrics") as answer:
        text = answer.read().decode()
    line = f'postern_webhooks_total{{vendor="stream",result="{result}"}} '
    return next(int(row.removeprefix(line)) for row in text.splitlines() if row.startswith(line))


@pytest.fixture(autouse=True)
def no_hooks_after(stream):
    yield
    stream.update_app(event_hooks=[])


def create(call, *members):
    call.get_or_create(data=CallRequest(created_by_id="ann", members=[MemberRequest(user_id=user) for user in members]))


def test_hooks_are_set_changed_and_removed(stream):
    with Backend() as backend:
        stream.update_app(event_hooks=[hook(backend, "call.created"), hook(backend, product="video", path="/2")])
        first, second = stream.get_app().data.app.event_hooks
        assert (first.hook_type, first.enabled, first.webhook_url) == ("webhook", True, f"{backend.url}/stream")
        assert first.event_types == ["call.created"] and first.product == "all" and first.created_at
        assert uuid.UUID(first.id) and first.id != second.id and second.product == "video" and second.event_types == []
        first.enabled, first.event_types = False, ["call.ended", "call.created"]
        stream.update_app(event_hooks=[first])
        (only,) = stream.get_app().data.app.event_hooks
        assert (only.id, only.enabled, only.event_types) == (first.id, False, ["call.ended", "call.created"])
        assert only.created_at == first.created_at
        stream.update_app(disable_auth_checks=False)
        assert len(stream.get_app().data.app.event_hooks) == 1
        stream.update_app(event_hooks=[])
        assert stream.get_app().data.app.event_hooks == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"hook_type": "webhook"},
        {"hook_type": "webhook", "webhook_url": "ftp://127.0.0.1/"},
        {"hook_type": "pigeon", "webhook_url": "http://127.0.0.1/"},
        {"hook_type": "webhook", "webhook_url": "http://127.0.0.1/", "product": "tea"},
    ],
)
def test_a_wrong_hook_changes_nothing(stream, wrong):
    with pytest.raises(StreamApiException) as info:
        stream.update_app(event_hooks=[EventHook(**wrong)])
    assert info.value.api_error.code == 4 and stream.get_app().data.app.event_hooks == []


def test_the_sdk_verifies_every_event_of_a_call_in_its_order(stream, call):
    with Backend() as backend:
        stream.update_app(event_hooks=[hook(backend)])
        create(call, "ann", "bob")
        call.update(custom={"topic": "tea"})
        call.send_call_event(user_id="ann", custom={"hello": 1})
        call.end()
        until(lambda: "call.ended" in backend.types())
        assert [kind for kind in backend.types() if kind.startswith("call.") or kind == "custom"] == [
            "call.created", "call.updated", "custom", "call.ended",
        ]  # fmt: skip
        for request in backend.requests:
            fields = lower(request)
            assert verify_webhook_signature(request.body, fields["x-signature"], SECRET)
            assert not verify_webhook_signature(request.body + b" ", fields["x-signature"], SECRET)
            assert get_event_type(request.body) == json.loads(request.body)["type"]
            assert (request.method, request.path, fields["x-api-key"]) == ("POST", "/stream", KEY)
            assert fields["content-type"] == "application/json" and fields["x-webhook-attempt"] == "1"
        assert len({lower(request)["x-webhook-id"] for request in backend.requests}) == len(backend.requests)


def test_hooks_get_their_event_types_and_products(stream, call):
    with Backend() as some, Backend() as chat, Backend() as none:
        off = hook(none)
        off.enabled = False
        stream.update_app(event_hooks=[hook(some, "call.ended", "user.updated"), hook(chat, product="chat"), off])
        create(call)
        call.end()
        until(lambda: "call.ended" in some.types())
        assert some.types() == ["call.ended"]
        assert not [kind for kind in chat.types() if kind.startswith("call.")] and none.requests == []


def test_an_overloaded_backend_gets_one_webhook_three_times(gateway, stream, call):
    with Backend(503, 429, 200) as backend:
        stream.update_app(event_hooks=[hook(backend, "call.created", "call.ended")])
        create(call)
        call.end()
        until(lambda: len(backend.requests) == 4)
        assert backend.types() == ["call.created"] * 3 + ["call.ended"]
        fields = [lower(request) for request in backend.requests]
        assert [field["x-webhook-attempt"] for field in fields] == ["1", "2", "3", "1"]
        assert len({field["x-webhook-id"] for field in fields[:3]}) == 1 and fields[3]["x-webhook-id"] != fields[0]["x-webhook-id"]


def test_a_refused_webhook_is_not_repeated_and_the_next_one_comes(gateway, stream, call):
    failed = metric(gateway, "failed")
    with Backend(404) as backend:
        stream.update_app(event_hooks=[hook(backend, "call.created", "call.ended")])
        create(call)
        call.end()
        until(lambda: len(backend.requests) == 2)
        assert backend.types() == ["call.created", "call.ended"]
        assert metric(gateway, "failed") == failed + 1


def test_a_backend_that_does_not_answer_or_is_down_holds_up_no_request(gateway, stream, call):
    hold = threading.Event()
    with Backend(hold=hold) as slow, Backend() as good, Backend() as gone:
        down = hook(gone)
        gone.server.server_close()
        stream.update_app(event_hooks=[hook(slow), down, hook(good, "call.ended")])
        failed = metric(gateway, "failed")
        create(call, "ann")
        call.end()
        until(lambda: good.types() == ["call.ended"])
        until(lambda: metric(gateway, "failed") > failed)
        hold.set()


def test_a_host_that_is_not_allowed_is_never_asked():
    # Behind a trusted proxy even loopback has to be named.
    with Backend() as named, Backend() as silent:
        flags = ["--trusted-proxy", "10.0.0.1", "--webhooks-to", f"127.0.0.1:{named.port}"]
        with Gateway("--stream-api-key", KEY, "--stream-sfu", "off", *flags) as gateway:
            stream = Stream(api_key=KEY, api_secret=SECRET, base_url=gateway.http_url)
            stream.update_app(event_hooks=[hook(silent), hook(named), EventHook(
                enabled=True, hook_type="webhook", webhook_url="https://app.example/", event_types=[])])  # fmt: skip
            assert len(stream.get_app().data.app.event_hooks) == 3
            for _ in range(3):
                call = stream.video.call("default", uuid.uuid4().hex)
                create(call)
                call.end()
            until(lambda: named.types().count("call.ended") == 3)
            lines = gateway.logged("webhook_not_allowed", 2)
            assert len(lines) == 2 and any("app.example" in line for line in lines)
            until(lambda: metric(gateway, "not_allowed") >= 12)
            assert silent.requests == []
            assert SECRET not in gateway.log()


def test_the_sdk_verifies_what_is_sent_after_a_kill_with_the_same_id_and_the_next_attempt(tmp_path):
    flags = ["--stream-api-key", KEY, "--stream-sfu", "off", "--store", f"sqlite:{tmp_path / 'store'}"]
    hold = threading.Event()
    with Backend(503, port=free_port()) as busy:
        with Gateway(*flags, expected_exit=-signal.SIGKILL) as gateway:
            stream = Stream(api_key=KEY, api_secret=SECRET, base_url=gateway.http_url)
            stream.update_app(event_hooks=[hook(busy, "call.created", "call.ended")])
            call = stream.video.call("default", "kept")
            create(call)
            until(lambda: busy.requests)
            # What comes after the first refusal has no answer.
            busy.hold = hold
            call.end()
            until(lambda: len(busy.requests) == 2)
            until(lambda: stored(gateway) == 2)
            gateway.process.kill()
            gateway.process.wait()
    hold.set()
    with Backend(port=busy.port) as backend, Gateway(*flags):
        until(lambda: len(backend.requests) >= 2)
        assert backend.types() == ["call.created", "call.ended"]
        for request in backend.requests:
            assert verify_webhook_signature(request.body, lower(request)["x-signature"], SECRET)
        created, ended = (lower(request) for request in backend.requests)
        assert created["x-webhook-id"] == lower(busy.requests[0])["x-webhook-id"] != ended["x-webhook-id"]
        assert created["x-webhook-attempt"] == "2" and ended["x-webhook-attempt"] == "1"
        assert created["x-api-key"] == KEY and created["content-type"] == "application/json"


def stored(gateway):
    with urllib.request.urlopen(f"{gateway.control_url}/metrics") as answer:
        rows = answer.read().decode().splitlines()
    return next(float(row.split()[1]) for row in rows if row.startswith("postern_webhooks_stored "))


def test_a_gateway_that_ends_sends_what_is_under_way():
    with Backend() as backend:
        with Gateway("--stream-api-key", KEY, "--stream-sfu", "off") as gateway:
            stream = Stream(api_key=KEY, api_secret=SECRET, base_url=gateway.http_url)
            stream.update_app(event_hooks=[hook(backend, "call.created")])
            for _ in range(20):
                create(stream.video.call("default", uuid.uuid4().hex))
        assert backend.types() == ["call.created"] * 20

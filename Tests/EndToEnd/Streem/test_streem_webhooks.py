"""Webhooks as Streem sends them, verified as the vendor's published sample does it."""

import hashlib
import hmac
import json
import re
import signal
import sqlite3
import threading
import time
import urllib.request
from datetime import datetime, timedelta, timezone

import pytest
from streem import api

from gateway import Gateway
from http_server import HTTPServer
from ports import free_port

COMPANY = "/v1/companies/postern"


def until(condition, patience=120):
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.05)


def is_valid(request, secret, skew=timedelta(seconds=60)):
    """The steps of the vendor's sample; its 5 s are for a server that is not busy with other tests."""
    fields = {name.lower(): value for name, value in request.headers.items()}
    sent_at = datetime.fromisoformat(fields["streem-sent-at"].replace("Z", "+00:00"))
    if abs(datetime.now(timezone.utc) - sent_at) > skew:
        return False
    mac = hmac.new(secret.encode(), digestmod=hashlib.sha256)
    for name in fields["streem-signature-headers"].split(":"):
        mac.update(f"{name}={fields[name.lower()]};".encode())
    mac.update(request.body)
    return any(hmac.compare_digest(one.strip(), mac.hexdigest()) for one in fields["streem-signature"].split(","))


@pytest.fixture
def hook(gateway, key):
    """A webhook of the company, with two signing keys: `hook(url)`."""
    made = []

    def hook(url, secrets=("first secret", "second secret"), **wishes):
        answer = api(gateway, "POST", "/v1/webhooks", {"url": url, "label": "one", **wishes}, key=key)
        assert answer.status == 201, answer.body
        made.append(answer.json["webhook"]["sid"])
        for secret in secrets:
            order = {"shared_secret": secret, "label": secret}
            assert api(gateway, "POST", f"/v1/webhooks/{made[-1]}/signing-keys", order, key=key).status == 201
        return answer.json["webhook"]

    yield hook
    for sid in made:
        api(gateway, "DELETE", f"/v1/webhooks/{sid}", key=key)


def cancel(gateway, key):
    group = COMPANY + "/groups/agents/reservations"
    made = api(gateway, "POST", group, {"externalUserId": "ann"}, key=key).json["group_reservation"]
    path = f"{group}/{made['reservation_sid']}/cancel"
    for _ in range(2):
        assert api(gateway, "POST", path, key=key).status == 200
    return made


def test_a_canceled_reservation_is_told_once_and_the_sample_verifies_it(gateway, key, hook):
    with HTTPServer(lambda request: b"{}") as backend:
        headers = [
            {"name": "X-Streem-API-Key-ID", "value": key.id, "include_in_request_signature": True},
            {"name": "X-Colour", "value": "red"},
        ]
        shown = hook(backend.url + "/events", method="PUT", headers=headers)
        assert [one["name"] for one in shown["headers"]] == ["X-Streem-API-Key-ID", "X-Colour"]
        made = cancel(gateway, key)
        until(lambda: backend.requests)
        (request,) = backend.requests
        assert (request.method, request.path) == ("PUT", "/events")
        assert is_valid(request, "first secret") and is_valid(request, "second secret") and not is_valid(request, "third secret")
        fields = {name.lower(): value for name, value in request.headers.items()}
        assert fields["streem-signature-headers"] == "Streem-Sent-At:X-Streem-API-Key-ID" and fields["x-colour"] == "red"
        body = json.loads(request.body)
        assert body["sent_at"] == fields["streem-sent-at"] and re.fullmatch(r"[\d-]+T[\d:]+\.\d{3}Z", body["sent_at"])
        assert body["event"]["event_type"] == "group_reservation_updated"
        payload = body["event"]["payload"]
        assert payload["previous_group_reservation"]["reservation_status"] == "GROUP_RESERVATION_STATUS_RESERVED"
        assert payload["updated_group_reservation"]["reservation_status"] == "GROUP_RESERVATION_STATUS_CANCELED"
        assert payload["updated_group_reservation"]["reservation_sid"] == made["reservation_sid"]


def test_a_webhook_is_sent_again_as_often_as_it_says_with_a_fresh_signature(gateway, key, hook):
    answers = [500, 404, 302, 200]
    with HTTPServer(lambda request: (answers.pop(0), b"{}")) as backend:
        hook(backend.url, max_attempts=10, timeout_ms=60_000)
        cancel(gateway, key)
        until(lambda: not answers)
        assert len(backend.requests) == 4 and all(is_valid(request, "first secret") for request in backend.requests)
        assert len({json.loads(request.body)["sent_at"] for request in backend.requests}) == 4


def test_one_attempt_is_the_default_and_without_a_key_nothing_is_signed(gateway, key, hook):
    with HTTPServer(lambda request: (500, b"{}")) as first, HTTPServer(lambda request: b"{}") as second:
        hook(first.url, secrets=())
        hook(second.url)
        for _ in range(2):
            cancel(gateway, key)
        until(lambda: len(first.requests) == len(second.requests) == 2)
        assert not any(name.lower() == "streem-signature" for name in first.requests[0].headers)


@pytest.mark.parametrize("header", [
    {"name": "Host", "value": "a"}, {"name": "Streem-Signature", "value": "a"}, {"name": "A", "value": "b\r\nC: d"},
    {"name": "a b", "value": "c"}, {"name": "", "value": "c"}, {"name": "A"}, "A: b",
])  # fmt: skip
def test_a_header_that_is_not_the_companys_to_set_is_refused(gateway, key, header):
    order = {"url": "http://127.0.0.1:9/", "label": "one", "headers": [header]}
    assert api(gateway, "POST", "/v1/webhooks", order, key=key).status == 400


def test_a_shared_secret_survives_a_restart_and_is_never_shown_again(tmp_path):
    from streem import make_key

    secret = "a-marked-secret-of-a-webhook"
    store = ["--store", f"sqlite:{tmp_path}/store.sqlite"]
    with HTTPServer(lambda request: b"{}") as backend:
        with Gateway(*store) as gateway:
            key = make_key(gateway)
            sid = api(gateway, "POST", "/v1/webhooks", {"url": backend.url, "label": "one"}, key=key).json["webhook"]["sid"]
            order = {"shared_secret": secret, "label": "one"}
            api(gateway, "POST", f"/v1/webhooks/{sid}/signing-keys", order, key=key)
            assert secret not in gateway.log()
        with Gateway(*store) as gateway:
            assert secret.encode() not in api(gateway, "GET", "/v1/webhooks", key=key).body
            cancel(gateway, key)
            until(lambda: backend.requests)
            assert is_valid(backend.requests[0], secret) and secret not in gateway.log()


def test_what_waits_at_a_kill_is_signed_by_the_next_process_with_the_key_of_then(tmp_path):
    from streem import make_key

    secret, hold = "a-marked-secret-of-a-webhook", threading.Event()
    store = ["--store", f"sqlite:{tmp_path}/store.sqlite"]

    def answer(_):
        hold.wait(300)
        return b"{}"

    with HTTPServer(answer, port=free_port()) as silent:
        with Gateway(*store, expected_exit=-signal.SIGKILL) as gateway:
            key = make_key(gateway)
            wish = {"url": silent.url, "label": "one", "max_attempts": 9, "timeout_ms": 60_000}
            wish["headers"] = [{"name": "X-Colour", "value": "a-marked-header", "include_in_request_signature": True}]
            sid = api(gateway, "POST", "/v1/webhooks", wish, key=key).json["webhook"]["sid"]
            order = {"shared_secret": secret, "label": "one"}
            api(gateway, "POST", f"/v1/webhooks/{sid}/signing-keys", order, key=key)
            made = [cancel(gateway, key)["reservation_sid"] for _ in range(3)]
            until(lambda: "postern_webhooks_stored 3" in metrics(gateway))
            gateway.process.kill()
            gateway.process.wait()
    hold.set()
    with sqlite3.connect(tmp_path / "store.sqlite") as file:
        rows = [row for row in file.execute("SELECT key, value FROM entry") if bytes(row[0]).startswith(b"gateway.webhook\0")]
    file.close()
    assert len(rows) == 3 and not any(mark in bytes(value) for _, value in rows for mark in (secret.encode(), b"a-marked-header"))
    with HTTPServer(lambda _: b"{}", port=silent.port) as backend, Gateway(*store):
        until(lambda: len(backend.requests) == 3)
        assert all(is_valid(request, secret) for request in backend.requests)
        assert all({name.lower(): value for name, value in request.headers.items()}["x-colour"] == "a-marked-header"
                   for request in backend.requests)  # fmt: skip
        payloads = [json.loads(request.body)["event"]["payload"] for request in backend.requests]
        assert {payload["updated_group_reservation"]["reservation_sid"] for payload in payloads} == set(made)


def metrics(gateway):
    with urllib.request.urlopen(f"{gateway.control_url}/metrics") as answer:
        return answer.read().decode()

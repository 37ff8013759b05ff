"""Webhooks that wait survive the process: what a backend has not got when a gateway ends, the next process sends."""

import hashlib
import hmac
import json
import re
import signal
import sqlite3
import threading
import time
import urllib.request
from contextlib import contextmanager

import pytest

from clients import request
from gateway import SECRET, Gateway
from http_server import HTTPServer
from sendbird import APPLICATION
from test_store_redis import Redis, flags_of

KILLED = -signal.SIGKILL
CHANNELS = ["red", "green", "blue"]


def until(condition, patience=120):
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.05)


def serve(gateway, method, path, body=None):
    answer = request(gateway.http_url, method, "/v3" + path, body, headers={"Api-Token": SECRET}, document=None)
    assert answer.status == 200, answer.body
    return answer.json


def prepare(gateway, url):
    serve(gateway, "POST", "/users", {"user_id": "ann", "nickname": "Ann", "profile_url": ""})
    for channel in CHANNELS:
        serve(gateway, "POST", "/group_channels", {"channel_url": channel, "user_ids": ["ann"]})
    wish = {"enabled": True, "url": url, "enabled_events": ["group_channel:message_send"]}
    serve(gateway, "PUT", "/applications/settings/webhook", wish)


def say(gateway, numbers):
    for number in numbers:
        message = {"message_type": "MESG", "user_id": "ann", "message": str(number)}
        serve(gateway, "POST", f"/group_channels/{CHANNELS[number % 3]}/messages", message)


def metric(gateway, name):
    """A figure, without the name's common beginning."""
    with urllib.request.urlopen(f"{gateway.control_url}/metrics") as answer:
        page = answer.read().decode()
    return float(re.search(rf"^postern_webhooks_{re.escape(name)} (\S+)$", page, re.MULTILINE)[1])


def count(gateway, result):
    return metric(gateway, f'total{{vendor="sendbird",result="{result}"}}')


def kill(gateway):
    gateway.process.send_signal(signal.SIGKILL)
    gateway.process.wait()


@contextmanager
def silent():
    """A backend that takes requests and never answers: `with silent() as backend`."""
    hold = threading.Event()

    def answer(_):
        hold.wait(300)
        raise ConnectionAbortedError("a backend that ends without an answer")

    with HTTPServer(answer) as backend:
        try:
            yield backend
        finally:
            hold.set()


def arrived(backend):
    """The numbers of the messages, in the order of their first arrivals. Each is signed as the vendor's published sample checks."""
    numbers = []
    for one in backend.requests:
        fields = {name.lower(): value for name, value in one.headers.items()}
        assert hmac.compare_digest(fields["x-sendbird-signature"], hmac.new(SECRET.encode(), one.body, hashlib.sha256).hexdigest())
        number = int(json.loads(one.body)["payload"]["message"])
        if number not in numbers:
            numbers.append(number)
    return numbers


def in_order(numbers):
    return all(part == sorted(part) for part in ([one for one in numbers if one % 3 == channel] for channel in range(3)))


@pytest.fixture(params=["sqlite", "redis"])
def store(request, tmp_path):
    if request.param == "sqlite":
        yield ["--store", f"sqlite:{tmp_path / 'store'}", "--sendbird-app-id", APPLICATION]
    else:
        with Redis(tmp_path) as server:
            yield [*flags_of(server), "--sendbird-app-id", APPLICATION]


def test_webhooks_that_wait_are_sent_after_a_kill(store):
    with silent() as away:
        with Gateway(*store, expected_exit=KILLED) as gateway:
            prepare(gateway, away.url)
            say(gateway, range(30))
            until(lambda: metric(gateway, "stored") == 30)
            kill(gateway)
        port = away.port
    with Gateway(*store) as gateway, HTTPServer(lambda _: b"{}", port=port) as backend:
        say(gateway, range(30, 36))
        until(lambda: len(arrived(backend)) == 36)
        assert in_order(arrived(backend)) and sorted(arrived(backend)) == list(range(36))
        assert count(gateway, "taken_over") == 30
        assert "webhooks=30" in gateway.logged("webhooks_taken_over")[0]
        until(lambda: metric(gateway, "stored") == 0 and count(gateway, "delivered") == 36)
    with Gateway(*store) as gateway:
        assert count(gateway, "taken_over") == 0


def test_a_drained_gateway_keeps_its_webhooks_for_the_next(store):
    with silent() as away:
        with Gateway(*store) as gateway:
            prepare(gateway, away.url)
            say(gateway, range(12))
            gateway.process.send_signal(signal.SIGTERM)
            assert gateway.process.wait(timeout=60) == 0
            assert "webhooks=12" in gateway.logged("webhooks_kept")[0] and "webhooks_unsent" not in gateway.log()
        port = away.port
    with HTTPServer(lambda _: b"{}", port=port) as backend, Gateway(*store) as gateway:
        until(lambda: len(arrived(backend)) == 12)
        assert in_order(arrived(backend))
        until(lambda: metric(gateway, "stored") == 0)
    with Gateway(*store) as gateway:
        assert count(gateway, "taken_over") == 0, "what was delivered is not sent again"


def test_damaged_rows_keep_neither_the_gateway_from_starting_nor_the_others_from_arriving(tmp_path):
    store = ["--store", f"sqlite:{tmp_path / 'store'}", "--sendbird-app-id", APPLICATION]
    with silent() as away:
        with Gateway(*store, expected_exit=KILLED) as gateway:
            prepare(gateway, away.url)
            say(gateway, range(30))
            until(lambda: metric(gateway, "stored") == 30)
            kill(gateway)
        port = away.port
    with sqlite3.connect(tmp_path / "store") as file:
        table = (b"gateway.webhook\0", b"gateway.webhook\1")
        rows = [key for (key,) in file.execute("SELECT key FROM entry WHERE key >= ? AND key < ? ORDER BY key", table)]
        assert len(rows) == 30
        for index, value in ((3, b"\xff no JSON"), (4, b""), (17, b'{"vendor": 7}'), (29, b"[" * 100_000)):
            file.execute("UPDATE entry SET value = ? WHERE key = ?", (value, rows[index]))
    file.close()
    with Gateway(*store) as gateway, HTTPServer(lambda _: b"{}", port=port) as backend:
        until(lambda: len(arrived(backend)) == 26)
        assert sorted(arrived(backend)) == [number for number in range(30) if number not in (3, 4, 17, 29)]
        assert in_order(arrived(backend))
        until(lambda: metric(gateway, "stored") == 0)
    with Gateway(*store) as gateway:
        assert "store_failed" not in gateway.log() and count(gateway, "taken_over") == 0


def test_a_killed_node_that_comes_back_sends_what_it_left(tmp_path):
    with Redis(tmp_path) as redis:
        store = [*flags_of(redis), "--sendbird-app-id", APPLICATION, "--node-name", "a"]
        with silent() as away, Gateway(*store, expected_exit=KILLED) as gateway:
            prepare(gateway, away.url)
            say(gateway, range(15))
            until(lambda: metric(gateway, "stored") == 15)
            kill(gateway)
        with Gateway(*store) as gateway, HTTPServer(lambda _: b"{}", port=away.port) as backend:
            until(lambda: len(arrived(backend)) == 15)
            assert in_order(arrived(backend)) and count(gateway, "taken_over") == 15


def test_what_a_killed_node_left_is_sent_by_the_others_once(tmp_path):
    with Redis(tmp_path) as redis:
        store = [*flags_of(redis), "--sendbird-app-id", APPLICATION, "--node-name"]
        with Gateway(*store, "b") as second, Gateway(*store, "c") as third, Gateway(*store, "a", expected_exit=KILLED) as first:
            with silent() as away:
                prepare(first, away.url)
                say(first, range(15))
                # Sendbird's settings are read by every process.
                say(second, range(15, 30))
                until(lambda: metric(first, "stored") + metric(second, "stored") == 30)
                kill(first)
            with HTTPServer(lambda _: b"{}", port=away.port) as backend:
                until(lambda: len(arrived(backend)) == 30)
                assert in_order([one for one in arrived(backend) if one < 15])
                assert in_order([one for one in arrived(backend) if one >= 15])
                assert count(second, "taken_over") + count(third, "taken_over") == 15
                until(lambda: metric(second, "stored") + metric(third, "stored") == 0)
                bodies = [json.loads(one.body)["payload"]["message"] for one in backend.requests]
                assert len(bodies) == 30, "each once"

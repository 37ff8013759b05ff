"""Sinch's callbacks about calls, verified by the algorithm that the vendor documents."""

import datetime
import hmac
import json
import os
import signal
import subprocess
import time

import pytest

from clients import control
from gateway import Gateway
from http_server import HTTPServer
from orders import until
from sinch import KEY, SECRET, SinchClient, signature

PATH = "/sinch/callback?version=1"


def flags(folder, url, *more):
    file = folder / "application"
    file.write_text(SECRET)
    return ["--sinch-application", f"{KEY}={file}", "--sinch-callback", url + PATH, *more]


def is_signed(got, secret=SECRET):
    headers = {name.lower(): value for name, value in got.headers.items()}
    expected = signature(secret, got.method, got.path, headers["x-timestamp"], got.body, headers["content-type"])
    return hmac.compare_digest(headers.get("authorization", ""), f"application {KEY}:{expected}")


def events(backend):
    return [json.loads(got.body) for got in backend.requests]


def named(backend):
    return [(event["event"], event.get("user", event.get("from")), event["to"]["endpoint"]) for event in events(backend)]


def count(gateway, result):
    name = f'postern_webhooks_total{{vendor="sinch",result="{result}"}} '
    [line] = [line for line in control(gateway, "GET", "/metrics").body.decode().splitlines() if line.startswith(name)]
    return int(line.rpartition(" ")[2])


def join(client, call):
    client.send("joinCall", callId=call)
    assert client.receive("callJoined")["callId"] == call


@pytest.mark.parametrize("loops", [1, 2])
def test_a_call_has_an_ice_for_each_user_who_joins_and_a_dice_for_each_who_leaves_or_is_lost(loops, tmp_path):
    with HTTPServer(lambda _: b'{"action": {"name": "hangup"}}') as backend, \
            Gateway(*flags(tmp_path, backend.url), loops=loops) as gateway:
        with SinchClient(gateway) as alice:
            alice.registered("alice")
            join(alice, "default:a")
            # The same call once more is no other call.
            join(alice, "default:a")
            with SinchClient(gateway) as bob:
                bob.registered("bob", "d2")
                join(bob, "default:a")
                join(bob, "default:b")
                time.sleep(1.1)
            until(lambda: len(backend.requests) == 5)
            # What the backend answers is not obeyed.
            alice.send("leaveCall", callId="default:a")
            while alice.receive()["type"] != "callLeft":
                pass
        until(lambda: len(backend.requests) == 6)
        seen = named(backend)
        assert sorted(seen) == sorted([
            ("ice", "alice", "default:a"), ("ice", "bob", "default:a"), ("ice", "bob", "default:b"),
            ("dice", "bob", "default:a"), ("dice", "bob", "default:b"), ("dice", "alice", "default:a")])  # fmt: skip
        # In order by call.
        assert [event[:2] for event in seen if event[2] == "default:a"] == [
            ("ice", "alice"), ("ice", "bob"), ("dice", "bob"), ("dice", "alice")]
        assert all(is_signed(got) for got in backend.requests)
        assert not any(is_signed(got._replace(body=got.body + b" ")) for got in backend.requests)
        told = events(backend)
        legs = {}
        for event in told:
            assert event["version"] == 1 and event["applicationKey"] == KEY and event["to"]["type"] == "conference"
            datetime.datetime.strptime(event["timestamp"], "%Y-%m-%dT%H:%M:%SZ")
            legs.setdefault(event["callid"], []).append(event)
        assert len(legs) == 3 and all([part["event"] for part in leg] == ["ice", "dice"] for leg in legs.values())
        for begun, ended in legs.values():
            assert begun["domain"] == "mxp" and begun["user"] == ended["from"] and begun["to"] == ended["to"]
            assert ended["reason"] == "CALLERHANGUP" and ended["result"] == "ANSWERED" and ended["duration"] >= 1
        # The gateway gets the last answer after the request has arrived.
        until(lambda: count(gateway, "delivered") == 6)


def test_a_drained_gateway_tells_of_the_end_of_its_calls(tmp_path):
    with HTTPServer(lambda _: b"") as backend:
        with Gateway(*flags(tmp_path, backend.url)) as gateway, SinchClient(gateway) as alice:
            alice.registered()
            join(alice, "default:a")
            gateway.process.send_signal(signal.SIGTERM)
            alice.until_closed()
            gateway.process.wait(60)
        assert named(backend) == [("ice", "alice", "default:a"), ("dice", "alice", "default:a")]
        assert all(is_signed(got) for got in backend.requests)


def test_a_callback_that_waits_is_signed_and_sent_by_the_next_process(tmp_path):
    store = ["--store", f"sqlite:{tmp_path / 'store'}"]
    with HTTPServer(lambda _: time.sleep(60)) as away, \
            Gateway(*flags(tmp_path, away.url), *store, expected_exit=-signal.SIGKILL) as gateway, SinchClient(gateway) as alice:
        alice.registered()
        join(alice, "default:a")
        until(lambda: "postern_webhooks_stored 1\n" in control(gateway, "GET", "/metrics").body.decode())
        gateway.process.kill()
        gateway.process.wait()
    with HTTPServer(lambda _: b"", port=away.port) as backend, Gateway(*flags(tmp_path, backend.url), *store) as gateway:
        until(lambda: len(backend.requests) == 1)
        assert named(backend) == [("ice", "alice", "default:a")] and is_signed(backend.requests[0])
        assert count(gateway, "taken_over") == 1


@pytest.mark.parametrize("fault", ["webhook_unsigned", "webhook_wrong_key"])
def test_a_signature_that_is_broken_on_purpose_is_found(fault, tmp_path):
    with HTTPServer(lambda _: b"") as backend, Gateway(*flags(tmp_path, backend.url), "--faults", loops=1) as gateway:
        with SinchClient(gateway) as alice:
            alice.registered()
            order = json.dumps({"fault": fault, "vendor": "sinch", "times": 1})
            command = [os.environ["POSTERN"], "ctl", "fault", order, "--url", gateway.control_url]
            assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0
            join(alice, "default:a")
            join(alice, "default:b")
            until(lambda: len(backend.requests) == 2)
            assert sorted(is_signed(got) for got in backend.requests) == [False, True]
            [broken] = [got.headers for got in backend.requests if not is_signed(got)]
            said = {name.lower(): value for name, value in broken.items()}.get("authorization")
            assert said is None if fault == "webhook_unsigned" else said.startswith(f"application {KEY}:")


def test_nothing_is_sent_to_a_host_that_is_not_allowed(tmp_path):
    with HTTPServer(lambda _: b"") as backend:
        elsewhere = ["--webhooks-to", "app.example:443"]
        with Gateway(*flags(tmp_path, "https://callbacks.example"), *elsewhere) as gateway, SinchClient(gateway) as alice:
            alice.registered()
            join(alice, "default:a")
            assert "vendor=sinch host=callbacks.example:443" in gateway.logged("webhook_not_allowed")[0]
            until(lambda: count(gateway, "not_allowed") == 1)
            assert not backend.requests


@pytest.mark.parametrize("url", ["callbacks.example", "ftp://callbacks.example/", "https://ann:pw@callbacks.example/", "https://c.example/#a"])
def test_a_callback_url_that_is_none_is_refused(url):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", "--sinch-callback", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--sinch-callback" in done.stderr and "an http or https URL" in done.stderr, done

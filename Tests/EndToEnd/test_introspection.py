"""Opaque tokens of the application's own login: the gateway asks its introspection endpoint (RFC 7662), which may fail in every
way."""

import os
import re
import socket
import subprocess
import threading
import time

import pytest

from clients import Client, api, control
from gateway import Gateway, token
from introspection_server import CLIENT, SECRET, Introspection
from test_own_login import outcome, until


@pytest.fixture
def secret(tmp_path):
    file = tmp_path / "introspection.secret"
    file.write_text(SECRET)
    return file


def flags(server, secret, *more):
    return ["--introspection", server.url, "--introspection-client", CLIENT, "--introspection-secret-file", str(secret), *more]


def metric(gateway, line):
    text = control(gateway, "GET", "/metrics").body.decode()
    return int(re.search(rf"^{re.escape(line)} (\d+)$", text, re.M)[1])


def test_users_with_opaque_tokens_connect_and_refresh_and_an_inactive_token_is_refused(secret):
    with Introspection(opaque1="ann", opaque2="ann", opaque3="bob") as server:
        with Gateway(*flags(server, secret)) as gateway:
            with Client(gateway, token="opaque1") as ann:
                assert ann.receive("connected")["user_id"] == "ann"
                assert ann.ask("refresh", token="opaque2")["type"] == "refreshed"
                assert ann.ask("refresh", token="opaque3")["error"]["name"] == "user_mismatch"
                assert ann.ask("refresh", token="unknown")["error"]["number"] == 401013
                assert ann.is_alive()
            assert outcome(gateway, "unknown") == "token_unknown"
            assert [form["token"][0] for form, _, _ in server.requests] == ["opaque1", "opaque2", "opaque3", "unknown"]
            # The gateway's own tokens are verified as before, and its endpoint mints for nobody.
            assert outcome(gateway, token("carl")) == "carl" and server.asked == 4
            assert api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}).error["name"] == "not_permitted"
            assert metric(gateway, 'postern_introspection_answers_total{result="active"}') == 3
            assert metric(gateway, 'postern_outbound_requests_total{endpoint="introspection",result="read"}') == 4
            log = gateway.log()
    assert "opaque" not in log and SECRET not in log


def html(handler, _):
    handler.say(200, b"<html>opaque1</html>", Content_Type="text/html")


def half(handler, _):
    handler.send_response(200)
    handler.send_header("Content-Length", "4000")
    handler.end_headers()
    handler.wfile.write(b'{"active": true, "sub": "a')
    handler.close_connection = True


def big(handler, _):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(80):
        handler.wfile.write(b" " * 65536)
    handler.close_connection = True


BAD = {
    "status 500": lambda handler, _: handler.say(500, b"opaque1"),
    "status 302": lambda handler, _: handler.say(302, Location="/elsewhere"),
    "status 401": lambda handler, _: handler.say(401),
    "no JSON": html,
    "ended before": half,
    "65536 bytes": big,
    "no answer in time": lambda handler, _: time.sleep(8),
    'no member "active"': lambda handler, _: handler.say(200, b'{"active": "true", "sub": "ann"}'),
}


@pytest.mark.parametrize("said", BAD)
def test_an_endpoint_without_usable_answers_ends_no_session_admits_no_client_and_recovers(said, secret):
    with Introspection(opaque1="ann", opaque2="ann") as server:
        with Gateway(*flags(server, secret, "--introspection-cache", "0s")) as gateway:
            with Client(gateway, token="opaque1") as ann:
                ann.receive("connected")
                server.answer = BAD[said]
                assert outcome(gateway, "opaque1") == "identity_unavailable"
                assert outcome(gateway, "unknown") == "identity_unavailable"
                assert ann.ask("refresh", token="opaque2")["error"]["number"] == 503005 and ann.is_alive()
                server.answer = None
                until(lambda: outcome(gateway, "opaque1") == "ann")
                # After too many failures the gateway asks once a second at first.
                until(lambda: ann.ask("refresh", token="opaque2")["type"] == "refreshed")
                assert ann.is_alive()
            event = "introspection_forbidden" if said == "status 401" else "introspection_failed"
            # It is logged once a minute.
            line = gateway.logged(f"event={event}")[0]
            assert said.replace('"', '\\"') in line or said in line, line
            assert "opaque" not in gateway.log()


def test_with_an_absent_endpoint_logins_get_503_at_once_and_it_gets_one_request_a_second(secret):
    with Introspection(opaque1="ann") as server:
        pass
    with Gateway(*flags(server, secret)) as gateway:
        for _ in range(40):
            assert outcome(gateway, "opaque1") == "identity_unavailable"
        gateway.logged("event=breaker_opened endpoint=introspection")
        text = control(gateway, "GET", "/metrics").body.decode()
        assert 'postern_outbound_open{endpoint="introspection"} 1' in text
        assert metric(gateway, 'postern_outbound_requests_total{endpoint="introspection",result="not_asked"}') > 10


def test_a_crowd_of_logins_asks_once_a_token_and_64_at_a_time(secret):
    names = {f"opaque{index}": f"user{index}" for index in range(100)}
    with Introspection(**names) as server, Gateway(*flags(server, secret)) as gateway:
        server.delay = 0.5
        outcomes = []
        threads = [
            threading.Thread(target=lambda name=name: outcomes.append(outcome(gateway, name)))
            for name in [*names, *["opaque0"] * 50]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sorted(outcomes) == sorted([*names.values(), *["user0"] * 50])
        assert server.asked == 100 and server.most <= 64


def test_a_revocation_at_the_server_ends_the_open_session_that_is_asked_about_again(secret):
    with Introspection(opaque1="ann", opaque2="bob") as server:
        words = flags(server, secret, "--introspection-recheck", "1s", "--introspection-cache", "0s", "--revocation", "close")
        with Gateway(*words) as gateway:
            with Client(gateway, token="opaque1") as ann, Client(gateway, token="opaque2") as bob:
                assert ann.receive("connected") and bob.receive("connected")
                until(lambda: server.asked > 6)
                server.answer = lambda handler, _: handler.say(500)
                until(lambda: metric(gateway, 'postern_introspection_rechecks_total{result="unjudged"}') > 4)
                assert ann.is_alive() and bob.is_alive()
                server.answer = None
                del server.tokens["opaque1"]
                assert ann.until_closed() == (4004, "token_revoked")
                assert bob.is_alive()
            [line] = gateway.logged("event=introspection_inactive")
            assert "user=ann" in line and "sessions=1" in line and "opaque" not in gateway.log()


def test_a_new_secret_is_read_by_a_reload(secret):
    with Introspection(opaque1="ann") as server, Gateway(*flags(server, secret, "--introspection-cache", "0s")) as gateway:
        secret.write_text("another")
        for expected in ("identity_unavailable", "ann"):
            done = subprocess.run(
                [os.environ["POSTERN"], "ctl", "reload", "--url", gateway.control_url], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done
            assert outcome(gateway, "opaque1") == expected
            secret.write_text(SECRET)


@pytest.mark.parametrize("words, said", [
    (["--introspection", "http://login.example/i"], "plain http"),
    (["--introspection", "https://a:b@login.example/i"], "a user or password"),
    (["--introspection-client", "x"], "are for --introspection"),
    (["--introspection-recheck", "1m"], "are for --introspection"),
    (["--introspection", "https://login.example/i", "--introspection-client", "x"], "given together"),
    (["--introspection", "https://login.example/i", "--introspection-cache", "2h"], "0s to 1h"),
    (["--introspection", "https://login.example/i", "--introspection-recheck", "0s"], "1s or more"),
    (["--introspection", "https://login.example/i", "--introspection-user", "email"], "username"),
])
def test_a_wrong_command_line_is_refused_with_its_fault(words, said):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr, done


def test_a_gateway_ends_at_once_while_its_endpoint_hangs(secret):
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/i"
    with Gateway("--introspection", url) as gateway:
        thread = threading.Thread(target=lambda: outcome_or_none(gateway))
        thread.start()
        listener.accept()
        gateway.process.terminate()
        assert gateway.process.wait(60) == 0
        thread.join(60)
    listener.close()


def outcome_or_none(gateway):
    try:
        return outcome(gateway, "opaque1")
    except Exception:
        # The gateway ends before it answers.
        return None


def test_without_the_flag_every_series_is_there_and_an_opaque_token_is_malformed():
    with Gateway() as gateway:
        text = control(gateway, "GET", "/metrics").body.decode()
        for name in ("tokens_total", "answers_total", "rechecks_total"):
            assert f"# TYPE postern_introspection_{name} counter" in text
        assert outcome(gateway, "opaque1") == "token_malformed"

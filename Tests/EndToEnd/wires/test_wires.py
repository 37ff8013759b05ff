"""Storms of described wires against servers that nobody here wrote; the counts are held against the servers' own."""

import os
import subprocess

import pytest
import servers
import storms
from described import hasty

CLIENTS = 30
SERVERS = {"socketio": servers.socket_io, "graphql-transport-ws": servers.graphql, "close-4401": servers.close_4401}


def flags(wire, server, secret_file, *more):
    return [
        *("--wire", str(wire), "--url", server.url, "--mint", "--secret-file", secret_file),
        *("--clients", str(CLIENTS), "--rate", "100", "--hold", "5s", "--timeout", "60s", *more),
    ]


@pytest.fixture(params=SERVERS)
def name(request):
    return request.param


@pytest.fixture
def server(name):
    with servers.Server(SERVERS[name]) as server:
        yield server


def test_all_clients_reconnect_with_a_new_token(wires, name, server, secret_file):
    result = storms.run(*flags(wires / f"{name}.json", server, secret_file))["result"]
    log = server.log
    assert log["over"] == CLIENTS and log["accepted"] == 2 * CLIENTS, (log, result)
    assert result["connects"]["accepted"] == log["accepted"]
    assert result["returns"]["interrupted"] == log["over"]
    assert result["returns"]["returned"] == CLIENTS
    assert sum(result["returns"]["refused"].values()) == log["refused"] == 0
    assert result["refreshes"]["accepted"] == CLIENTS
    assert result["errors"] == {}


def test_old_tokens_are_refused_and_never_count_as_logins(tmp_path, name, server, secret_file):
    more = ["--behaviour", "stale=100", "--threshold", "connects.failed == 0"]
    result = storms.run(*flags(hasty(name, tmp_path), server, secret_file, *more))["result"]
    log = server.log
    assert log["accepted"] == result["connects"]["accepted"] == CLIENTS, (log, result)
    # A refusal may be under way when the storm ends.
    refused = sum(result["returns"]["refused"].values())
    assert 0 < refused <= log["refused"] <= result["connects"]["attempted"] - result["connects"]["accepted"], (log, result)
    assert result["behaviours"]["stale"]["lost_expectedly"] == CLIENTS
    assert result["refreshes"]["accepted"] == 0


def test_one_client_is_shown_with_the_rules_and_without_its_token(wires, name, server, secret_file):
    command = [
        *(os.environ["POSTERN"], "wire", "try", "--wire", str(wires / f"{name}.json"), "--url", server.url),
        *("--mint", "--secret-file", secret_file, "--life", "6s", "--timeout", "40s"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "<token>" in done.stdout and "eyJ" not in done.stdout
    assert "logged in 2 times, renewed 1 times" in done.stdout, done.stdout


def test_a_mistake_is_told_before_anything_is_dialled(wires, tmp_path):
    good = (wires / "socketio.json").read_text()
    path = tmp_path / "wrong.json"
    path.write_text(good.replace('"say": "pong"', '"say": "pnog"'))
    done = subprocess.run([os.environ["POSTERN"], "wire", "check", str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "/hear/1/say: no message 'pnog' under /say; did you mean 'pong'?" in done.stderr, done.stderr


def test_the_text_of_a_close_frame_decides_where_its_code_says_nothing(secret_file, tmp_path):
    wire = tmp_path / "wire.json"
    wire.write_text(
        """{ "wire": 1, "name": "by-text", "connect": { "path": "/ws", "query": { "token": "{{token}}" } },
          "at_open": { "is": "logged_in" }, "settle": "0s",
          "ends": [
            { "code": 1008, "contains": "token expired", "then": "renew", "label": "text" },
            { "code": 1008, "then": "give_up", "label": "text" },
          ],
          "refresh": { "how": "reconnect" }, "comeback": { "first": "100ms", "factor": 2, "cap": "1s", "jitter": "none" } }"""
    )
    with servers.Server(servers.close_1008) as server:
        login = ["--wire", str(wire), "--url", server.url, "--mint", "--secret-file", secret_file]
        flags = [*login, "--clients", "10", "--rate", "100", "--hold", "5s", "--timeout", "60s", "--threshold", "lost == 1"]
        result = storms.run(*flags)["result"]
        log = dict(server.log)
        # What one sees before one writes the rules.
        shown = subprocess.run(
            [os.environ["POSTERN"], "wire", "try", *login, "--life", "6s", "--timeout", "30s"], capture_output=True, text=True, timeout=60
        ).stdout
    assert result["disconnects"] == {"1008 banned": 1, "1008 __reason___token_expired__": 9}, (result, log)
    assert result["returns"]["returned"] == result["refreshes"]["accepted"] == 9 == log["over"], (result, log)
    assert '← close 1008  {"reason":"token expired"}' in shown, shown

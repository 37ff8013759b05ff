"""Storms of Django Channels and of a SignalR server, both on daphne; the counts are held against the servers' own."""

import json
import os
import subprocess
import sys

import applications
import pytest
from counting_server import CountingServer

CLIENTS = 30
FILES = {"channels": "close-4401", "signalr": "signalr-json"}


class Server(CountingServer):
    clients = CLIENTS
    pace = ("--rate", "100", "--hold", "5s")

    def __init__(self, name, folder):
        super().__init__(folder, applications.SECRET)
        self.name = name
        self.description = FILES[name]

    def __enter__(self):
        command = [sys.executable, applications.__file__, self.name, str(self.path)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        self.process.stdout.close()


@pytest.fixture(params=FILES)
def server(request, tmp_path):
    with Server(request.param, tmp_path) as server:
        yield server


def test_all_clients_reconnect_with_a_new_token(server):
    result = server.storm()
    log = server.log
    assert log["over"] == CLIENTS and log["accepted"] == 2 * CLIENTS, (log, result)
    assert result["connects"]["accepted"] == log["accepted"]
    assert result["returns"]["interrupted"] == log["over"]
    assert result["returns"]["returned"] == result["refreshes"]["accepted"] == CLIENTS
    assert result["errors"] == {} and log["refused"] == log["barred"] == 0
    assert result["tokens"]["ends_known"] == CLIENTS and result["tokens"]["ends_early"] == 0
    if server.name == "signalr":
        assert log["negotiated"] == result["connects"]["attempted"]


def test_old_tokens_are_refused_and_never_count_as_logins(server):
    result = server.storm("--behaviour", "stale=100", "--threshold", "connects.failed == 0", wire=server.hasty_wire)
    log = server.log
    assert log["accepted"] == result["connects"]["accepted"] == CLIENTS, (log, result)
    refused = sum(result["returns"]["refused"].values())
    # A refusal may be under way when the storm ends.
    under_way = result["connects"]["attempted"] - CLIENTS - refused
    assert 0 < refused <= log["refused"] <= refused + under_way, (log, result)
    assert result["behaviours"]["stale"]["lost_expectedly"] == CLIENTS
    assert result["refreshes"]["accepted"] == 0


def test_one_client_is_shown_without_its_token(server):
    command = [
        *(os.environ["POSTERN"], "wire", "try", *server.wire, "--life", "6s", "--timeout", "40s"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "eyJ" not in done.stdout and "logged in 2 times, renewed 1 times" in done.stdout, done.stdout
    if server.name == "signalr":
        assert "→ POST /hub/negotiate?negotiateVersion=1" in done.stdout and "← 200" in done.stdout

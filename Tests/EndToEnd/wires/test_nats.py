"""A storm of nats-server as Debian has it, in operator mode; tokens from an endpoint, counts against the server's log."""

import pytest
import storms
from nats_server import Nats

CLIENTS = 20


@pytest.fixture
def nats(tmp_path):
    with Nats(tmp_path) as nats:
        yield nats


def flags(wires, nats, *more):
    return [
        *("--wire", str(wires / "nats.json"), "--url", nats.url, "--provider", nats.provider),
        *("--clients", str(CLIENTS), "--rate", "100", "--hold", "4s", "--timeout", "40s", *more),
    ]


def test_all_clients_reconnect_with_a_new_token(wires, nats):
    result = storms.run(*flags(wires, nats))["result"]
    assert result["connects"]["accepted"] == 2 * CLIENTS
    assert result["returns"]["returned"] == result["refreshes"]["accepted"] == CLIENTS
    nats.await_count("User Authentication Expired", CLIENTS)
    assert nats.log["tokens"] == result["provider"]["calls"] == 2 * CLIENTS
    assert result["errors"] == {}


def test_an_old_token_is_accepted_for_a_moment_and_does_not_count_as_a_login(wires, nats):
    more = ["--behaviour", "stale=100", "--threshold", "connects.failed == 0"]
    result = storms.run(*flags(wires, nats, *more))["result"]
    assert result["connects"]["accepted"] == CLIENTS, result
    assert sum(result["returns"]["refused"].values()) > 0
    assert result["behaviours"]["stale"]["lost_expectedly"] == CLIENTS
    assert result["refreshes"]["accepted"] == 0

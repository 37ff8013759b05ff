"""The rows of Docs/behaviours.md about storms and planned hand-over."""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import time

import pytest

from behaviours import Case, ROWS, case, host  # noqa: F401
from clients import Client
from gateway import Gateway, token


# Storms, some at the same time: they mostly wait, but their faults last for a short time only


@pytest.fixture(scope="module")
def storms(host):
    def run(name):
        calls = list(ROWS[name][0])
        case = Case(host, calls)
        try:
            return case.storm(expected=(0, 1))
        finally:
            case.end()

    names = [name for name, (calls, _) in ROWS.items() if calls and calls[-1].startswith("storm")]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        yield {name: pool.submit(run, name) for name in names}


def lost(result):
    """The number of harmed clients: disconnected, and not back again."""
    return result["returns"]["interrupted"] - result["returns"]["returned"]


def wave(result, name="accepted"):
    """The duration of the wave of refreshes, in bins of the report."""
    bins = [number for number, count in result["bins"][name] if count]
    return (bins[-1] - bins[0] + 1) * result["bins"]["bin_ms"] / 1000


def test_x1(storms):
    result = storms["X1"].result()
    assert result["refreshes"]["accepted"] == 40 and lost(result) == 0


def test_x2(storms):
    result = storms["X2"].result()
    assert result["refreshes"]["accepted"] >= 40 and (wave(result) > 0.5 or result["late_max"] > 0.2)


def test_x3(storms):
    result = storms["X3"].result()
    # A storm that was late itself saw requests of two seconds at the same time.
    assert result["refreshes"]["accepted"] == 40 and (wave(result) > 1 or result["late_max"] > 0.2)


def test_x4(storms):
    result = storms["X4"].result()
    assert result["returns"]["interrupted"] == result["returns"]["returned"] == 40


def test_x6(storms):
    result = storms["X6"].result()
    assert result["returns"]["interrupted"] == 40 and lost(result) == 0


def test_x7(storms):
    result = storms["X7"].result()
    assert sum(result["provider"]["refused"].values()) == 20


def test_x8(storms):
    connects = storms["X8"].result()["connects"]
    assert sum(connects["failed"].values()) > 0 and connects["accepted"] == 40


def test_x9(storms):
    result = storms["X9"].result()
    assert sum(result["connects"]["failed"].values()) > 0 and result["connects"]["accepted"] == 40


def test_x11(storms):
    assert storms["X11"].result()["refreshes"]["accepted"] == 80


def test_x10(case):
    assert json.loads(case.call())["verdict"] == "undecided"


def test_x12(case):
    case.call()
    for _ in range(3):
        # The client receives nothing more, and reconnects. The gateway keeps the old connection, which it does not know to be
        # dead.
        case.connect()
    assert len(json.loads(case.call())["sessions"]) == 3


def test_x13(case):
    case.call()
    dead = case.token()
    for _ in range(20):
        assert case.refused(dead).status == 401
    assert re.search(r'upgrades_refused_total\{[^}]*token_expired[^}]*\} 20\b', case.call())


def test_x14(case):
    clients = [case.connect(case.token(f"user{number}")) for number in range(3)]
    case.call()
    assert all(client.receive("refresh_required")["cause"] == "revocation" for client in clients)


def test_x15(case):
    old = case.token()
    client = case.connect(old)
    case.call(2)
    client.receive("refresh_required")
    assert case.refused(old).status == 401
    case.refresh(client)
    client.receive("refreshed")


def drain(name):
    """A gateway, its clients, and the drain that the row orders."""
    serve, call = ROWS[name][0]
    assert serve == "serve"
    with Gateway() as gateway:
        clients = [Client(gateway, token=token(f"user{number}")) for number in range(8)]
        try:
            for client in clients:
                client.receive("connected")
            command = [os.environ["POSTERN"], "ctl", *shlex.split(call), "--url", gateway.control_url]
            began, ends = time.monotonic(), []
            assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0
            for client in clients:
                ends.append((client.until_closed()[0], client.passed))
            yield ends, time.monotonic() - began
        finally:
            for client in clients:
                client.stack.close()


def test_x5():
    for ends, seconds in drain("X5"):
        assert [code for code, _ in ends] == [1012] * 8
        # Each at a different time.
        assert seconds > 0.5 and len({passed[0]["delay_ms"] for _, passed in ends}) > 4


# Planned hand-over


def test_h3():
    for ends, _ in drain("H3"):
        assert all(code == 1012 and passed[0]["type"] == "closing" for code, passed in ends)
        left = [passed[0]["delay_ms"] for _, passed in ends]
        assert len(set(left)) > 4 and all(0 <= delay <= 2000 for delay in left)

"""The expiry of tokens, counted while sessions come and go, and the order that spreads a wave before it comes."""

import contextlib
import re
import time

import pytest

from clients import Client, control
from gateway import Gateway, token


@pytest.fixture
def gateway():
    """A second in which no other token expires."""
    with Gateway("--journal", loops=1) as gateway:
        yield gateway


def horizon(gateway):
    return control(gateway, "GET", "/horizon").json


def within(gateway):
    found = re.findall(r'postern_tokens_expiring\{within="(\d+)s"\} (\d+)', control(gateway, "GET", "/metrics").body.decode())
    return {length: int(count) for length, count in found}


@pytest.fixture
def wave(gateway):
    """Eight clients whose tokens expire together, and one whose token lives for a day."""
    begin = time.time()
    tokens = [token(f"user-{number}", life=300) for number in range(8)] + [token("another", life=86_400)]
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(Client(gateway, token=one)) for one in tokens]
        for client in clients:
            client.receive("connected")
        yield begin, clients


def test_tokens_are_counted_by_their_ends(gateway, wave):
    _, clients = wave
    seen = horizon(gateway)
    assert seen["within"] == within(gateway) == {"10": 0, "60": 0, "600": 8, "3600": 8}
    assert (seen["later"], seen["overdue"], sum(seen["buckets"])) == (1, 0, 8)
    assert sum(seen["buckets"][28:31]) == 8
    assert clients[0].ask("refresh", token=token("user-0", life=55))["type"] == "refreshed"
    clients[1].socket.close()
    deadline = time.monotonic() + 60
    while (seen := horizon(gateway))["within"] != {"10": 0, "60": 1, "600": 7, "3600": 7}:
        assert time.monotonic() < deadline, seen
        time.sleep(0.05)
    control(gateway, "POST", "/users/user-2/expire")
    assert horizon(gateway)["within"]["600"] in (6, 7) and horizon(gateway)["overdue"] <= 1


def test_a_wave_is_spread_before_it_comes(gateway, wave):
    begin, clients = wave
    order = {"from": begin + 200, "before": begin + 400, "over_s": 10}
    assert control(gateway, "POST", "/horizon/spread", order).json == {"sessions": 8, "over_s": 10.0}
    # A client that another order will ask already is left to that order.
    assert control(gateway, "POST", "/horizon/spread", order).json["sessions"] == 0
    asked = control(gateway, "POST", "/journal/await", {"kind": "refresh_requested", "count": 8, "within_ms": 60_000}).json
    assert asked["met"]
    times = [line["at_ms"] for line in asked["lines"]]
    assert 2_000 < times[-1] - times[0] < 60_000
    assert len({line["user"] for line in asked["lines"]}) == 8
    for number, client in enumerate(clients[:8]):
        client.receive("refresh_required")
        assert client.ask("refresh", token=token(f"user-{number}", life=3_000 + number))["type"] == "refreshed"
    assert horizon(gateway)["within"] == {"10": 0, "60": 0, "600": 0, "3600": 8}
    assert clients[8].is_alive() and clients[8].passed == []


@pytest.mark.parametrize("body", [
    None, [], {}, {"from": 1}, {"from": 2, "before": 1}, {"from": 1, "before": 1}, {"from": -1, "before": 1},
    {"from": "1", "before": 2}, {"from": 1, "before": 1e13}, {"from": 1, "before": 2, "over_s": -1},
    {"from": 1, "before": 2, "over_s": 1e9}, {"from": 1, "before": 2, "dialect": "none"}, {"from": 1, "before": 2, "x": 1},
])
def test_a_wrong_order_is_refused_with_a_sentence(gateway, body):
    answer = control(gateway, "POST", "/horizon/spread", body)
    assert answer.status == 400 and answer.json["error"]["message"]


def test_an_order_for_all_times_is_one(gateway, wave):
    assert control(gateway, "POST", "/horizon/spread", {"from": 0, "before": 1e12, "over_s": 0}).json["sessions"] == 9
    for client in wave[1]:
        client.receive("refresh_required")


def test_sixteen_orders_may_be_under_way(gateway):
    with contextlib.ExitStack() as stack:
        for number in range(17):
            client = stack.enter_context(Client(gateway, token=token(f"one-{number}", life=300)))
            client.receive("connected")
        now = time.time()
        answers = [
            control(gateway, "POST", "/horizon/spread", {"from": now, "before": now + 1_000, "user": f"one-{number}"})
            for number in range(17)
        ]
        assert [answer.status for answer in answers] == [200] * 16 + [429]

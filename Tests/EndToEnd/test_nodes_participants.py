"""Several `postern serve --node-name` on one Redis know the same participants of Sendbird's open channels."""

import signal

import pytest

from clients import request
from sendbird import SendbirdClient
from test_nodes_bus import node
from test_nodes_turns import API, client
from test_order import platform
from test_store_nodes import KILLED, eventually
from test_store_redis import Redis

HALL = "/v3/open_channels/hall"


@pytest.fixture
def redis(tmp_path):
    with Redis(tmp_path) as server:
        yield server


def enter(socket: SendbirdClient) -> int:
    """The number of participants that the answer names."""
    socket.say("ENTR", channel_url="hall", req_id="enter")
    while True:
        command, payload = socket.receive()
        if command == "ENTR":
            return payload["participant_count"]


def known(gateway):
    """The number of participants and their names, as that process answers."""
    ask = lambda path: request(gateway.http_url, "GET", path, headers=API, document=None).json
    users = [one["user_id"] for one in ask(f"{HALL}/participants")["participants"]]
    return ask(HALL)["participant_count"], users


def exit_heard(socket):
    """The next user who left, and how many are left."""
    while True:
        command, payload = socket.receive()
        if command == "SYEV" and payload["cat"] == 10103:
            return payload["data"]["user_id"], payload["data"]["participant_count"]


def test_two_processes_count_the_same_participants_also_after_one_was_ended_or_killed(redis):
    with node(redis, "a", expected_exit=KILLED) as first, node(redis, "b") as second:
        with client(second, "cat") as cat:
            platform(second, "/v3/open_channels", {"channel_url": "hall"})
            assert enter(cat) == 1
            ann, bob = (client(first, user).__enter__() for user in ("ann", "bob"))
            assert [enter(ann), enter(bob)] == [2, 3]
            assert known(first) == known(second) == (3, ["ann", "bob", "cat"])
            ann.socket.close()
            assert exit_heard(cat) == ("ann", 2)
            eventually(lambda: known(first) == known(second) == (2, ["bob", "cat"]))
            first.process.send_signal(signal.SIGKILL)
            first.process.wait()
            assert exit_heard(cat) == ("bob", 1)
            assert known(second) == (1, ["cat"])
            with node(redis, "c") as third:
                dan = client(third, "dan")
                assert enter(dan) == 2 and known(second) == known(third) == (2, ["cat", "dan"])
            assert exit_heard(cat) == ("dan", 1)
            eventually(lambda: known(second) == (1, ["cat"]))

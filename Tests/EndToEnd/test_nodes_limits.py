"""Limits of vendors over several `postern serve --node-name` on one Redis: what one process lets pass counts at all."""

import signal
import time

import pytest

import stream
from clients import request
from sendbird import SendbirdClient, session_token, subprotocol
from test_nodes_bus import node
from test_nodes_turns import APPLICATION
from test_store_nodes import KILLED, eventually
from test_store_redis import Redis


@pytest.fixture
def redis(tmp_path):
    with Redis(tmp_path) as server:
        yield server


def guest(gateway, name):
    """The status of a request for a guest."""
    target = f"/video/guest?api_key={stream.KEY}"
    headers = {"stream-auth-type": "anonymous"}
    body = {"user": {"id": name}}
    return request(gateway.http_url, "POST", target, body, headers=headers, document=None).status


def login(gateway, user="ann"):
    """A connection, and the code with which it is refused; None if it is not."""
    query = {"p": "JS", "pv": "noAgent", "sv": "4.22.7", "ai": APPLICATION, "user_id": user}
    socket = SendbirdClient(gateway, query, subprotocol(token=session_token(user))).__enter__()
    return socket, socket.receive("LOGI").get("code")


def test_an_address_creates_as_many_guests_as_one_process_allows_at_which_ever_it_asks(redis):
    flags = ["--stream-guests-per-address-per-minute", "6"]
    with node(redis, "a", *flags) as first, node(redis, "b", *flags) as second:
        begun = time.monotonic()
        assert [guest((first, second)[number % 2], f"g{number}") for number in range(6)] == [201] * 6
        refused = [guest(gateway, "one-more") for gateway in (first, second)]
        # A tenth of a minute gives room for one.
        assert refused == [429] * 2 or time.monotonic() - begun > 10
    with node(redis, "c", *flags) as third, node(redis, "d", *flags):
        assert [guest(third, f"h{number}") for number in range(6)] == [201] * 6, "one process has room for all"


def test_connections_of_a_user_count_at_all_processes_until_they_end_or_their_process_is_dead(redis):
    flags = ["--sendbird-connections-per-user", "3"]
    with node(redis, "a", *flags, expected_exit=KILLED) as first, node(redis, "b", *flags) as second:
        open_ones = []
        for gateway in (first, second, first):
            socket, code = login(gateway)
            assert code is None
            open_ones.append(socket)
        for gateway in (first, second):
            socket, code = login(gateway)
            assert code == 400500
            socket.socket.close()
        open_ones[0].socket.close()

        def enters():
            socket, code = login(second)
            if code is not None:
                socket.socket.close()
            return code is None

        eventually(enters)
        assert login(second)[1] == 400500
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
        # One of the three was there.
        eventually(enters)
        assert login(second)[1] == 400500

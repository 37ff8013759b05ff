"""Several `postern serve --node-name` on one Redis that change one channel or call at once: everybody hears the changes in the
order in which they were stored, with right counts, and a process that was stopped in the middle changes nothing afterwards."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import stream
from clients import control, request
from gateway import SECRET, Gateway, halt
from sendbird import APPLICATION, SendbirdClient, session_token, subprotocol
from test_nodes_bus import metric
from test_order import platform
from test_store_nodes import eventually, rest
from test_store_redis import Redis, flags_of

CHANNEL = "/v3/group_channels/talk"
API = {"Api-Token": SECRET}


@pytest.fixture
def redis(tmp_path):
    with Redis(tmp_path) as server:
        yield server


@pytest.fixture
def durable(tmp_path):
    """A server that answers a commit when the disk has it. With `everysec` a slow disk makes it answer before."""
    with Redis(tmp_path, appendfsync="always") as server:
        yield server


def node(redis, name, **options):
    flags = ["--stream-api-key", stream.KEY, "--stream-sfu", "off", "--sendbird-app-id", APPLICATION]
    return Gateway(*flags_of(redis), "--node-name", name, *flags, **options)


def client(gateway, user):
    socket = SendbirdClient(
        gateway, {"p": "JS", "pv": "noAgent", "sv": "4.22.7", "ai": APPLICATION, "user_id": user},
        subprotocol(token=session_token(user)),
    )  # fmt: skip
    socket.receive("LOGI")
    return socket


def say(gateway, text):
    """Sends a message as ann. Returns whether it was accepted."""
    body = {"message_type": "MESG", "user_id": "ann", "message": text}
    return request(gateway.http_url, "POST", f"{CHANNEL}/messages", body, headers=API, document=None).status == 200


def unread(gateway, user):
    path = f"/v3/users/{user}/unread_message_count"
    return request(gateway.http_url, "GET", path, headers=API, document=None).json["unread_count"]


def heard(socket, last):
    """The messages until that one: number, text and the listener's own count of unread messages."""
    messages = []
    while not messages or messages[-1][1] != last:
        command, payload = socket.receive()
        if command == "MESG":
            messages.append((payload["msg_id"], payload["message"], payload.get("unread_cnt", {}).get("all")))
    return messages


def at_once(gateways, count, threads=3):
    """Each gateway is sent so many messages by each of its threads."""

    def run(pair):
        gateway, name = pair
        for number in range(count):
            assert say(gateway, f"{name} {number}")

    pairs = [(gateway, f"{place}.{thread}") for place, gateway in enumerate(gateways) for thread in range(threads)]
    with ThreadPoolExecutor(len(pairs)) as pool:
        list(pool.map(run, pairs))
    return len(pairs) * count


def test_two_processes_send_to_one_channel_and_all_hear_one_order_with_counts_that_are_never_behind(redis):
    with node(redis, "a") as first, node(redis, "b") as second:
        with client(first, "ann"), client(first, "bob") as bob, client(second, "cat") as cat, client(second, "dan") as dan:
            platform(first, "/v3/group_channels", {"channel_url": "talk", "user_ids": ["ann", "bob", "cat", "dan"]})
            count = at_once([first, second], 40)
            assert say(first, "last")
            stories = [heard(socket, "last") for socket in (bob, cat, dan)]
            assert len(stories[0]) == count + 1
            for story in stories:
                assert [number for number, _, _ in story] == sorted(number for number, _, _ in story), "as they were stored"
                assert [text for _, text, _ in story] == [text for _, text, _ in stories[0]]
                assert [total for _, _, total in story] == list(range(1, count + 2)), "as many as there are, each time"
            for gateway in (first, second):
                assert [unread(gateway, user) for user in ("bob", "cat", "dan")] == [count + 1] * 3
                assert metric(gateway, 'postern_turn_requests_total{outcome="taken"}') >= count / 2
                assert metric(gateway, 'postern_turn_requests_total{outcome="lost"}') == 0
            waits = [metric(gateway, "postern_turn_waits_total") for gateway in (first, second)]
            assert sum(waits) > 0, "the processes did wait for each other"


def test_two_processes_change_one_call_of_stream_and_all_hear_one_order_that_ends_with_what_is_stored(redis):
    with node(redis, "a") as first, node(redis, "b") as second:
        with stream.javascript(first, stream.mint("ann")) as ann, stream.javascript(second, stream.mint("bob"), "bob") as bob:
            connections = [socket.hear("connection.ok")["connection_id"] for socket in (ann, bob)]
            path, count = "/video/call/default/kept", 30
            rest(first, "POST", path, {"data": {"members": [{"user_id": "ann"}, {"user_id": "bob"}]}}, stream.mint("ann"))
            for gateway, socket, user, connection in zip((first, second), (ann, bob), ("ann", "bob"), connections):
                socket.hear("call.created")
                rest(gateway, "GET", path, None, stream.mint(user), connection)

            def change(pair):
                gateway, name = pair
                for number in range(count):
                    rest(gateway, "PATCH", path, {"custom": {"by": f"{name} {number}"}}, stream.mint("ann"))

            pairs = [(first, "a"), (first, "b"), (second, "c"), (second, "d")]
            with ThreadPoolExecutor(len(pairs)) as pool:
                list(pool.map(change, pairs))
            stories = []
            for socket in (ann, bob):
                events = [socket.hear("call.updated") for _ in range(len(pairs) * count)]
                stories.append([event["call"]["custom"]["by"] for event in events])
            assert stories[0] == stories[1] and len(set(stories[0])) == len(pairs) * count
            for gateway in (first, second):
                kept = rest(gateway, "GET", path, None, stream.mint("ann"))["call"]["custom"]["by"]
                assert kept == stories[0][-1], "the last that was heard is what is stored"


class Talkers:
    """Threads that send messages to each of the gateways, until the end of the `with` block. A channel keeps its last 1,000
    messages, so `pause` holds them back once enough is going on."""

    def __init__(self, **gateways):
        self.accepted, self.ends, self.pause = [], threading.Event(), 0
        self.threads = [threading.Thread(target=self.talk, args=pair) for pair in gateways.items()]

    def talk(self, name, gateway):
        number = 0
        while not self.ends.is_set():
            number += 1
            try:
                if say(gateway, f"{name} {number}"):
                    self.accepted.append(f"{name} {number}")
            except OSError:
                # The gateway has ended.
                return
            self.ends.wait(self.pause)

    def wait(self, count, name=""):
        """Waits until so many more were accepted, of all or of one gateway."""
        own = lambda: sum(text.startswith(name) for text in list(self.accepted))
        before = own()
        eventually(lambda: own() >= before + count)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def test_a_process_that_is_stopped_in_the_middle_of_turns_keeps_nobody_from_them_and_changes_nothing_afterwards(redis):
    with node(redis, "a", expected_exit=1) as first, node(redis, "b") as second:
        with client(first, "ann"):
            pass
        with client(second, "cat") as cat:
            platform(second, "/v3/group_channels", {"channel_url": "talk", "user_ids": ["ann", "cat"]})
            with Talkers(a=first, c=first, b=second) as talkers:
                talkers.wait(20, "a"), talkers.wait(20, "b")
                halt(first.process)
                talkers.pause = 0.2
                # The other process gets the turn when the lease of the stopped one has ended.
                talkers.wait(10, "b")
                second.logged("event=node_taken_over")
                talkers.wait(10, "b")
                accepted = list(talkers.accepted)
                first.process.send_signal(signal.SIGCONT)
                first.process.wait(60)
                talkers.wait(10, "b")
            assert say(second, "last")
            stored = [one["message"] for one in rest_messages(second)]
            assert len(stored) < 1000 and len(stored) == len(set(stored)) and set(stored) >= set(talkers.accepted)
            late = stored[stored.index(accepted[-1]) :]
            assert all(text.startswith("b") for text in late[:-1]), "what the stopped process had begun was refused"
            story = heard(cat, "last")
            assert [text for _, text, _ in story if text.startswith("b")] == [t for t in stored if t.startswith("b")]
            assert story[-1][2] == unread(second, "cat") == len(stored)


def rest_messages(gateway):
    """All messages of the channel."""
    messages, stamp = [], 0
    while True:
        path = f"{CHANNEL}/messages?message_ts={stamp}&prev_limit=0&next_limit=200&include=true"
        page = request(gateway.http_url, "GET", path, headers=API, document=None).json["messages"]
        new = [one for one in page if one["message_id"] not in {known["message_id"] for known in messages}]
        if not new:
            return messages
        messages += new
        stamp = new[-1]["created_at"]


def test_a_redis_that_is_killed_in_the_middle_of_turns_costs_no_accepted_message_and_no_order(durable):
    with node(durable, "a") as first, node(durable, "b") as second:
        with client(first, "ann"), client(second, "cat"):
            pass
        platform(second, "/v3/group_channels", {"channel_url": "talk", "user_ids": ["ann", "cat"]})
        with Talkers(a=first, b=second) as talkers:
            for _ in range(2):
                talkers.pause = 0
                talkers.wait(20, "a"), talkers.wait(20, "b")
                durable.kill()
                talkers.pause = 0.1
                time.sleep(0.5)
                durable.start()
                for gateway in (first, second):
                    eventually(lambda g=gateway: control(g, "GET", "/ready").status == 200)
            talkers.wait(20, "a"), talkers.wait(20, "b")
        stored = [one["message"] for one in rest_messages(first)]
        assert len(stored) < 1000 and len(stored) == len(set(stored)) and set(stored) >= set(talkers.accepted)
        for name in "ab":
            own = [int(text.split()[1]) for text in stored if text.startswith(f"{name} ")]
            assert own == sorted(own)
        eventually(lambda: unread(first, "cat") == unread(second, "cat") == len(stored))

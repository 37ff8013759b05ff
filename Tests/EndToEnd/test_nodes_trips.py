"""What a message and a call wait for at a Redis server that two `postern serve --node-name` share, counted by its MONITOR."""

import codecs
import hashlib
import re
import socket
import threading
import time
from collections import Counter

import pytest

import stream
from test_nodes_bus import node
from test_nodes_turns import client
from test_order import platform
from test_store_nodes import rest
from test_store_redis import Redis

COUNT = 30


@pytest.fixture
def redis(tmp_path):
    with Redis(tmp_path) as server:
        yield server


class Monitor:
    """The commands that the server carries out for its clients, without what its scripts do, from here on."""

    #: A line that only one script has.
    MARKS = {
        "publish": "HINCRBY', KEYS[1] .. ':meta', 'bus'", "take": "keep(queued(queue))", "give": "call('DEL', turn_key)",
        "commit": "local id_key", "scan": "ZRANGEBYLEX",
    }  # fmt: skip

    def __init__(self, redis):
        self.connection = socket.create_connection(("127.0.0.1", redis.port), timeout=60)
        self.connection.sendall(b"MONITOR\r\n")
        assert self.connection.recv(5) == b"+OK\r\n"
        self.commands, self.names = [], {}
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        with self.connection.makefile("rb") as lines:
            for line in lines:
                match = re.match(rb"\+[\d.]+ \[\d+ (\S+)\] (.*)\r\n", line)
                if match is None or match[1] == b"lua":
                    continue
                words = [codecs.escape_decode(word)[0] for word in re.findall(rb'"((?:[^"\\]|\\.)*)"', match[2])]
                if words[0] == b"ECHO":
                    self.commands.append(("mark", words[1].decode(), b""))
                elif words[:2] == [b"SCRIPT", b"LOAD"]:
                    digest = hashlib.sha1(words[2]).hexdigest()
                    marks = [name for name, mark in self.MARKS.items() if mark.encode() in words[2]]
                    self.names[digest] = marks[0] if marks else "other"
                else:
                    kind, text = words[0].decode(), b" ".join(words[1:])
                    if kind.startswith("EVALSHA"):
                        kind = self.names.get(words[1].decode(), "unknown")
                    self.commands.append((kind, "", text))

    def during(self, redis, name, table, body):
        """The kinds of the commands about rows of that table that `body` caused."""
        redis.ask("ECHO", f"{name} begins")
        body()
        # What nobody waits for comes behind.
        time.sleep(0.3)
        redis.ask("ECHO", f"{name} ends")
        deadline = time.monotonic() + 60
        while ("mark", f"{name} ends", b"") not in self.commands:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        begin, end = (self.commands.index(("mark", f"{name} {word}", b"")) for word in ("begins", "ends"))
        return Counter(kind for kind, _, text in self.commands[begin:end] if table in text or kind == "unknown")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.shutdown(socket.SHUT_RDWR)
        self.thread.join(60)
        self.connection.close()


def say(peer, text):
    """Sends a message, and waits for its answer."""
    peer.say("MESG", channel_url="talk", message=text, req_id=text)
    while True:
        command, payload = peer.receive()
        if command == "MESG" and payload.get("req_id") == text:
            return


@pytest.mark.parametrize("senders", ["one", "by turns"])
def test_a_message_waits_for_four_trips_also_where_processes_send_by_turns(redis, senders):
    """It takes a turn, reads, commits, and hears its own announcement. Nothing waits until the turn is given back."""
    with Monitor(redis) as monitor, node(redis, "a") as first, node(redis, "b") as second:
        for user in ("ann", "bob"):
            platform(first, "/v3/users", {"user_id": user, "nickname": user, "profile_url": ""})
        platform(first, "/v3/group_channels", {"channel_url": "talk", "user_ids": ["ann", "bob"]})
        with client(first, "ann") as ann, client(second, "bob") as bob:
            peers = [ann] if senders == "one" else [ann, bob]

            def talk(name, count):
                for number in range(count):
                    say(peers[number % len(peers)], f"{name} {number}")

            talk("before", 6)
            assert monitor.thread.is_alive()
            kinds = monitor.during(redis, "talk", b"sendbird.", lambda: talk("now", COUNT))
            assert kinds["commit"] == kinds["HMGET"] == COUNT and kinds["scan"] == 0, kinds
            # On a busy machine a process asks for its turn again.
            assert COUNT <= kinds["take"] <= COUNT + 3, kinds


def test_a_call_that_exists_is_got_with_at_most_six_trips(redis):
    with Monitor(redis) as monitor, node(redis, "a") as first, node(redis, "b") as second:
        body = {"data": {"members": [{"user_id": "ann"}]}}

        def get(count):
            for number in range(count):
                call = rest((first, second)[number % 2], "POST", "/video/call/default/kept", body, stream.mint("ann"))
                assert call["call"]["id"] == "kept"

        get(6)
        kinds = monitor.during(redis, "get", b"stream.", lambda: get(COUNT))
        # An announcement, if there is one, is the sixth.
        assert COUNT <= sum(kinds[kind] for kind in ("HMGET", "scan", "take", "commit", "unknown")) <= 5 * COUNT, kinds

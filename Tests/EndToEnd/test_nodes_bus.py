"""Several `postern serve --node-name` on one Redis: the clients of all receive each announcement, in one order, and an order to
one process reaches the sessions of all."""

import json
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

import stream
from clients import Client, Refused, control, request
from gateway import SECRET, Gateway, halt, token
from sendbird import APPLICATION, SendbirdClient, session_token, subprotocol
from test_order import platform
from test_store_nodes import KILLED, eventually, rest, serve, stop
from test_store_redis import Redis, flags_of

CALL = "default:talk"
PATIENCE = 60


@pytest.fixture
def redis(tmp_path):
    with Redis(tmp_path) as server:
        yield server


def node(redis, name, *flags, **options):
    flags = ["--stream-api-key", stream.KEY, "--stream-sfu", "off", "--sendbird-app-id", APPLICATION, *flags]
    return Gateway(*flags_of(redis), "--node-name", name, *flags, **options)


class Member:
    """A client of the plain dialect in a call. A thread of its own records its messages."""

    def __init__(self, gateway, user):
        self.client = Client(gateway, token=token(user)).__enter__()
        self.client.receive("connected")
        assert self.client.ask("join", cid=CALL)["type"] == "joined"
        self.heard, self.closed = [], None
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        try:
            while True:
                message = json.loads(self.client.socket.recv())
                if message["type"] == "message":
                    self.heard.append(message["content"])
        except ConnectionClosed as end:
            self.closed = end.rcvd and end.rcvd.code

    def say(self, content):
        self.client.socket.send(json.dumps({"type": "publish", "cid": CALL, "content": content}))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.__exit__(None, None, None)
        self.thread.join(PATIENCE)


def common(one, other):
    """The messages that both have received until now, in the order of each; nothing twice."""
    one, other = list(one), list(other)
    assert len(one) == len(set(one)) and len(other) == len(set(other)), "heard twice"
    return [m for m in one if m in set(other)], [m for m in other if m in set(one)]


def metric(gateway, line):
    text = request(gateway.control_url, "GET", "/metrics", document=None).body.decode()
    return next(float(row.rsplit(" ", 1)[1]) for row in text.splitlines() if row.startswith(line))


def test_members_of_a_call_on_two_processes_hear_each_message_once_and_in_one_order(redis):
    with node(redis, "a") as first, node(redis, "b") as second:
        with Member(first, "ann") as ann, Member(second, "bob") as bob, Member(second, "cat") as cat:
            members = [ann, bob, cat]
            said = [f"{number} of {index}" for number in range(300) for index in range(3)]
            threads = [
                threading.Thread(target=lambda m=member, i=index: [m.say(f"{n} of {i}") for n in range(300)])
                for index, member in enumerate(members)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            eventually(lambda: all(len(member.heard) >= 900 for member in members))
            assert ann.heard == bob.heard == cat.heard and sorted(ann.heard) == sorted(said)
            for index in range(3):
                assert [m for m in ann.heard if m.endswith(f"of {index}")] == [f"{n} of {index}" for n in range(300)]
        for gateway in (first, second):
            assert metric(gateway, "postern_bus_gaps_total") == 0
            assert metric(gateway, 'postern_bus_messages_total{outcome="lost"}') == 0


def test_garbage_on_the_channel_ends_no_process_and_disturbs_no_message(redis):
    generator = random.Random(33)
    with node(redis, "a") as first, node(redis, "b") as second:
        with Member(first, "ann") as ann, Member(second, "bob") as bob:
            for number in range(200):
                redis.ask("PUBLISH", "{postern}:bus", generator.randbytes(generator.choice([0, 1, 8, 9, 40, 5000])))
                ann.say(str(number))
            eventually(lambda: len(ann.heard) >= 200 and len(bob.heard) >= 200)
            assert ann.heard == bob.heard == [str(number) for number in range(200)]
            assert metric(second, 'postern_bus_messages_total{outcome="refused"}') == 200
            assert metric(second, "postern_bus_gaps_total") == 0


def test_a_redis_killed_during_announcements_closes_no_connection_and_no_message_arrives_twice(redis):
    with node(redis, "a") as first, node(redis, "b") as second:
        with Member(first, "ann") as ann, Member(second, "bob") as bob:
            ends = threading.Event()

            def talk(member, name):
                number = 0
                while not ends.is_set():
                    member.say(f"{name}{number}")
                    number += 1
                    time.sleep(0.001)

            threads = [threading.Thread(target=talk, args=pair) for pair in ((ann, "a"), (bob, "b"))]
            for thread in threads:
                thread.start()
            time.sleep(1)
            for _ in range(2):
                redis.kill()
                time.sleep(1)
                redis.start()
                for gateway in (first, second):
                    eventually(lambda g=gateway: control(g, "GET", "/ready").status == 200)
                before = len(ann.heard), len(bob.heard)
                eventually(lambda: len(ann.heard) > before[0] + 100 and len(bob.heard) > before[1] + 100)
            ends.set()
            for thread in threads:
                thread.join()
            ann.say("last")
            eventually(lambda: "last" in ann.heard and "last" in bob.heard)
            one, other = common(ann.heard, bob.heard)
            assert one == other and len(one) > 200, "one order on both"
            assert ann.closed is None and bob.closed is None
        for gateway in (first, second):
            assert metric(gateway, "postern_bus_gaps_total") >= 2
            gateway.logged("event=announcements_missed")


def test_a_stopped_process_receives_messages_late_and_a_killed_one_affects_no_other(redis):
    with node(redis, "a") as first, node(redis, "b", expected_exit=KILLED) as second:
        with Member(first, "ann") as ann, Member(second, "bob") as bob:
            halt(second.process)
            for number in range(100):
                ann.say(str(number))
            eventually(lambda: len(ann.heard) == 100)
            # With a reserve until its lease ends.
            time.sleep(1)
            assert bob.heard == []
            second.process.send_signal(signal.SIGCONT)
            # Redis has kept what the socket did not take, or the process has noticed the lost connection and reports a gap.
            eventually(lambda: len(bob.heard) == 100 or metric(second, "postern_bus_gaps_total"))
            one, other = common(ann.heard, bob.heard)
            assert one == other
            stop(second)
            for number in range(100, 200):
                ann.say(str(number))
            eventually(lambda: len(ann.heard) == 200)
            assert ann.heard == [str(number) for number in range(200)]


def test_streams_events_reach_the_members_on_another_process(redis):
    with node(redis, "a") as first, node(redis, "b") as second:
        with stream.javascript(first, stream.mint("ann")), stream.javascript(second, stream.mint("bob"), "bob") as bob:
            connection = bob.hear("connection.ok")["connection_id"]
            path = "/video/call/default/kept"
            rest(first, "POST", path, {"data": {"members": [{"user_id": "ann"}, {"user_id": "bob"}]}}, stream.mint("ann"))
            assert bob.hear("call.created")["call_cid"] == "default:kept"
            # The request may arrive at the other process; it names the user's connection.
            rest(first, "GET", path, None, stream.mint("bob"), connection)
            rest(first, "POST", f"{path}/event", {"custom": {"number": 7}}, stream.mint("ann"))
            assert bob.hear("custom")["custom"] == {"number": 7}


def test_a_message_of_sendbird_reaches_the_members_on_another_process_in_one_order(redis):
    def client(gateway, user):
        socket = SendbirdClient(
            gateway, {"p": "JS", "pv": "noAgent", "sv": "4.22.7", "ai": APPLICATION, "user_id": user},
            subprotocol(token=session_token(user)),
        )
        socket.receive("LOGI")
        return socket

    with node(redis, "a") as first, node(redis, "b") as second:
        with client(first, "ann") as ann, client(second, "bob") as bob:
            platform(second, "/v3/group_channels", {"channel_url": "talk", "user_ids": ["ann"]})
            # The second process knows the channel already, and the first one adds a member.
            platform(second, "/v3/group_channels/talk/messages", {"message_type": "MESG", "user_id": "ann", "message": "0"})
            platform(first, "/v3/group_channels/talk/invite", {"user_ids": ["bob"]})
            for number in range(1, 41):
                at = (first, second)[number % 2]
                body = {"message_type": "MESG", "user_id": "ann", "message": str(number)}
                platform(at, "/v3/group_channels/talk/messages", body)

            def heard(socket):
                texts = []
                while not texts or texts[-1] != "40":
                    command, payload = socket.receive()
                    if command == "MESG":
                        texts.append(payload["message"])
                return texts

            assert heard(bob) == [str(number) for number in range(1, 41)]
            assert heard(ann)[-40:] == [str(number) for number in range(1, 41)]
            # Both processes count the same unread messages.
            for at in (first, second):
                unread = request(
                    at.http_url, "GET", "/v3/users/bob/unread_message_count", headers={"Api-Token": SECRET}, document=None
                ).json
                assert unread["unread_count"] == 40


def test_a_revocation_is_applied_on_every_process_when_it_is_answered(redis):
    with node(redis, "a") as first, node(redis, "b") as second:
        revoked = token("ann", iat=time.time() - 5)
        with Client(second, token=revoked) as ann, Client(second, token=token("bob")) as bob:
            ann.receive("connected"), bob.receive("connected")
            answer = control(first, "POST", "/revocations", {"user_id": "ann"})
            assert answer.status == 200 and reached(answer.json, 1)
            # A process that needed more than two seconds, on a busy machine, applies it later.
            is_late = "nodes_missing" in answer.json
            if is_late:
                ann.receive("refresh_required")
            with pytest.raises(Refused, match="token_revoked"):
                Client(second, token=revoked).__enter__()
            if not is_late:
                ann.receive("refresh_required")
            assert bob.is_alive()


def test_orders_reach_the_sessions_of_every_process_and_an_answer_names_the_process_that_it_lacks(redis):
    with node(redis, "a") as first, node(redis, "b") as second:
        with Client(first, token=token("ann")) as here, Client(second, token=token("ann")) as there:
            here.receive("connected")
            other = there.receive("connected")["connection_id"]
            assert reached(control(first, "POST", "/users/ann/refresh").json, 2)
            here.receive("refresh_required"), there.receive("refresh_required")
            assert here.ask("refresh", token=token("ann"))["type"] == "refreshed"
            assert there.ask("refresh", token=token("ann"))["type"] == "refreshed"
            assert reached(control(first, "POST", f"/sessions/{other}/refresh").json, 1)
            there.receive("refresh_required")
            halt(second.process)
            answer = control(first, "POST", "/users/ann/disconnect").json
            second.process.send_signal(signal.SIGCONT)
            assert answer == {"sessions": 1, "nodes_missing": ["b"]}
            assert here.until_closed()[0] == 4005
            # The order was late there, and not lost.
            assert there.until_closed()[0] == 4005


def reached(answer, sessions):
    """Whether an order has reached that many sessions. On a busy machine a process may need more than the two seconds that the
    others wait for it; the answer names it, and it carries the order out later."""
    return answer == {"sessions": sessions} or answer["sessions"] < sessions and answer["nodes_missing"] == ["b"]


def nodes(gateway):
    return [{name: one[name] for name in one if name != "boot"} for one in control(gateway, "GET", "/nodes").json["nodes"]]


def test_the_processes_of_a_store_are_shown_with_their_sessions_and_one_that_does_not_answer_as_silent(redis):
    with Gateway() as alone:
        assert nodes(alone) == [{"slot": 0, "state": "live", "sessions": 0, "is_this": True}]
    with node(redis, "a") as first, node(redis, "b") as second:
        with Client(second, token=token("ann")) as ann:
            ann.receive("connected")
            a = {"slot": 0, "name": "a", "state": "live", "sessions": 0, "is_this": True}
            b = {"slot": 1, "name": "b", "state": "live", "sessions": 1, "is_this": False}
            # On a busy machine a process may be silent for a moment.
            eventually(lambda: nodes(first) == [a, b])
            eventually(lambda: nodes(second) == [{**a, "is_this": False}, {**b, "is_this": True}])

            def table():
                command = [os.environ["POSTERN"], "ctl", "--url", first.control_url, "nodes"]
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                return [line.split() for line in done.stdout.splitlines()]

            eventually(lambda: table() == [
                ["BOOT", "IS_THIS", "NAME", "SESSIONS", "SLOT", "STATE"],
                ["0", "yes", "a", "0", "0", "live"], ["0", "no", "b", "1", "1", "live"],
            ])
            halt(second.process)
            silent = {name: b[name] for name in b if name != "sessions"}
            assert nodes(first) == [a, {**silent, "state": "silent"}]
            second.process.send_signal(signal.SIGCONT)


def test_a_user_of_redis_without_the_rights_for_announcements_is_refused_with_what_to_give(redis, tmp_path):
    page = (Path(__file__).parents[2] / "Docs/redis.md").read_text()
    line = next(line.split() for line in page.splitlines() if "user postern on >PASSWORD" in line)
    (tmp_path / "password").write_text("secret")
    flags = ["--store-user", "postern", "--store-password-file", str(tmp_path / "password")]
    rules = [word.replace("PASSWORD", "secret") for word in line[1:]]
    for missing, is_whole in (("&{postern}*", False), ("+publish", False), ("+subscribe", False), ("", True)):
        assert redis.ask("ACL", "SETUSER", "postern", "reset") == b"+OK\r\n"
        assert redis.ask("ACL", "SETUSER", *[word for word in rules[:1] + rules[1:] if word != missing]) == b"+OK\r\n"
        if is_whole:
            with node(redis, "a", *flags) as first, node(redis, "b", *flags) as second:
                with Member(first, "ann") as ann, Member(second, "bob") as bob:
                    ann.say("hello")
                    eventually(lambda: bob.heard == ["hello"])
        else:
            with Gateway(*flags_of(redis), *flags):
                pass
            refused = serve(flags_of(redis), "--node-name", "a", *flags)
            assert refused.returncode == 3 and "+publish +subscribe +ping" in refused.stderr, (missing, refused.stderr)

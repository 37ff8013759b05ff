"""The control port of several `postern serve --node-name` on one Redis: each of them answers for all, and says whose part is
missing."""

import json
import os
import signal
import subprocess
import threading

import pytest

from clients import Client, control, request
from gateway import Gateway, halt, token
from test_nodes_bus import reached
from test_store_nodes import KILLED, eventually, stop
from test_store_redis import Redis, flags_of


@pytest.fixture
def redis(tmp_path):
    with Redis(tmp_path) as server:
        yield server


def node(redis, name, **options):
    return Gateway(*flags_of(redis), "--node-name", name, "--journal", "--faults", loops=1, **options)


def ctl(gateway, *words, status=0):
    command = [os.environ["POSTERN"], "ctl", "--url", gateway.control_url, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, (done.stdout, done.stderr)
    return done.stdout + done.stderr


def hear_notice(client):
    """The operator's own message, which no document describes."""
    assert json.loads(client.socket.recv())["type"] == "notice"


def whole(gateway, path):
    """The answer of all processes. On a busy machine one may need more than the two seconds that the others wait for it."""
    return eventually(lambda: (answer := control(gateway, "GET", path).json) and "nodes_missing" not in answer and answer)


def users(page):
    return sorted(session["user_id"] for session in page.get("sessions", []))


def whole_journal(gateway, limit=1000):
    """All lines, page by page, each once."""
    lines, after = [], 0
    while True:
        page = whole(gateway, f"/journal?limit={limit}&after={after}")
        lines += page["lines"]
        if page["next"] == page["last"] or not page["lines"]:
            return lines
        after = page["next"]


def test_any_process_answers_for_the_sessions_and_the_journal_of_all(redis):
    with node(redis, "a") as first, node(redis, "b") as second:
        with Client(first, token=token("ann", 600)) as ann, Client(second, token=token("bob", 600)) as bob:
            ann.receive("connected")
            there = bob.receive("connected")["connection_id"]
            for gateway in (first, second):
                page = whole(gateway, "/sessions")
                assert [(one["user_id"], one["node"]) for one in page["sessions"]] == [("ann", "a"), ("bob", "b")]
                eventually(lambda g=gateway: control(g, "GET", f"/sessions/{there}").json.get("node") == "b")
                eventually(lambda g=gateway: users(control(g, "GET", "/sessions?node=b").json) == ["bob"])
                assert whole(gateway, "/horizon")["within"]["3600"] == 2
            assert reached(control(first, "POST", "/sessions/say", {"text": '{"type":"notice"}'}).json, 2)
            hear_notice(ann), hear_notice(bob)
            assert reached(control(first, "POST", f"/sessions/{there}/say", {"text": '{"type":"notice"}'}).json, 1)
            hear_notice(bob)

            def last_column():
                return [line.split()[-1] for line in ctl(first, "sessions").splitlines()]

            eventually(lambda: last_column() == ["NODE", "a", "b"])
            # A fault belongs to one process.
            order = {"fault": "drop", "what": "reply:refresh", "times": 1}
            assert control(first, "POST", "/faults?node=b", order).status == 201
            assert control(first, "GET", "/faults").json == {"faults": []}
            assert control(second, "GET", "/faults").json["faults"][0]["fault"] == "drop"
            assert "drop" in ctl(first, "faults", "--node", "b")
            # A wait at one process ends by an event at the other.
            place = whole(first, "/journal?limit=1000")["next"]
            answers = []
            order = {"kind": "logged_in", "user": "cat", "after": place, "within_ms": 60_000}
            waiter = threading.Thread(target=lambda: answers.append(control(first, "POST", "/journal/await", order).json))
            waiter.start()
            with Client(second, token=token("cat")) as cat:
                cat.receive("connected")
                waiter.join()
            assert answers[0]["met"] and answers[0]["lines"][0]["node"] == "b"
            ctl(first, "await", "logged_in", "--user", "cat", "--after", place)
            ctl(second, "expect", "single_flight", "--user", "cat")
            lines = whole_journal(first)
            assert lines == whole_journal(second, limit=3)[: len(lines)]
            assert {line["node"] for line in lines} == {"a", "b"}
            times = [line["time"] for line in lines]
            assert times == sorted(times)
            text = request(second.control_url, "GET", "/journal/export", document=None).body.decode()
            exported = [json.loads(line) for line in text.splitlines()]
            assert {(one["node"], one["n"]) for one in lines} <= {(one["node"], one["n"]) for one in exported}


def test_a_process_that_is_stopped_is_named_in_every_answer_and_answers_again_when_it_runs(redis):
    with node(redis, "a") as first, node(redis, "b") as second:
        with Client(first, token=token("ann")) as ann, Client(second, token=token("bob")) as bob:
            ann.receive("connected"), bob.receive("connected")
            place = whole(first, "/journal?limit=1000")["next"]
            asked = [
                ("GET", "/sessions", None), ("GET", "/horizon", None), ("GET", "/journal", None),
                ("GET", "/journal/counts?user=ann", None), ("POST", "/sessions/say", {"text": '{"type":"notice"}'}),
                ("POST", "/journal/expect", {"expect": "single_flight", "user": "ann"}),
                ("POST", "/journal/await", {"kind": "closed", "user": "bob", "within_ms": 10}),
            ]

            def stopped(ask):
                """What the first process answers while the second is stopped, for much less than its lease."""
                whole(first, "/sessions")
                halt(second.process)
                try:
                    return ask()
                finally:
                    second.process.send_signal(signal.SIGCONT)

            answers = [stopped(lambda one=one: control(first, *one).json) for one in asked]
            shown = stopped(lambda: ctl(first, "sessions"))
            late = stopped(lambda: request(first.control_url, "GET", "/sessions?node=b", document=None))
            assert [answer.get("nodes_missing") for answer in answers] == [["b"]] * len(asked)
            assert users(answers[0]) == ["ann"] and answers[5]["verdict"] == "undecided"
            assert "no answer from b" in shown
            assert late.status == 503 and "'b'" in late.json["error"]["message"]
            # Announcements of that time arrive late; nothing is lost for good.
            hear_notice(bob)
            eventually(lambda: "nodes_missing" not in control(first, "GET", "/sessions").json)
            assert users(control(first, "GET", "/sessions").json) == ["ann", "bob"]
            page = control(first, "GET", f"/journal?after={place}&limit=1000").json
            assert {line["node"] for line in page["lines"]} == {"a", "b"}


def test_a_process_that_is_killed_is_missed_until_it_counts_as_dead_and_its_place_in_the_journal_is_dropped(redis):
    with node(redis, "a") as first, node(redis, "b", expected_exit=KILLED) as second:
        with Client(first, token=token("ann")) as ann, Client(second, token=token("bob")) as bob:
            ann.receive("connected"), bob.receive("connected")
            place = whole(first, "/journal?limit=1000")["next"]
            stop(second)
            page = control(first, "GET", "/sessions").json
            assert users(page) == ["ann"] and page["nodes_missing"] == ["b"]
            eventually(lambda: "nodes_missing" not in control(first, "GET", "/sessions").json)
            page = control(first, "GET", f"/journal?after={place}&limit=1000").json
            assert "nodes_missing" not in page and {line["node"] for line in page["lines"]} <= {"a"}
            # The process begins a new journal when it starts again, and the old position is not valid in it.
            with node(redis, "b") as third, Client(third, token=token("cat")) as cat:
                cat.receive("connected")
                lines = whole(first, f"/journal?after={place}&kind=logged_in")["lines"]
                assert [line["user"] for line in lines if line["node"] == "b"] == ["cat"]
                eventually(lambda: users(control(first, "GET", "/sessions?node=b").json) == ["cat"])


def test_one_process_is_drained_by_its_name_and_all_one_after_the_other(redis):
    with node(redis, "a") as first, node(redis, "b") as second, node(redis, "c") as third:
        with Client(second, token=token("bob")) as bob, Client(third, token=token("cat")) as cat:
            bob.receive("connected"), cat.receive("connected")
            assert ctl(first, "drain", "--node", "c", "--window", "0s").strip() == "draining"
            assert third.process.wait(timeout=60) == 0 and second.process.poll() is None
            assert cat.until_closed()[0] == 1012
            eventually(lambda: len(control(first, "GET", "/nodes").json["nodes"]) == 2)
            answer = control(first, "POST", "/drain", {"window_s": 0, "nodes": "all"})
            assert (answer.status, answer.json) == (202, {"nodes": ["b", "a"]})
            assert second.process.wait(timeout=60) == 0
            assert bob.until_closed()[0] == 1012
            assert first.process.wait(timeout=60) == 0


def test_without_other_processes_a_node_is_not_asked_for():
    with Gateway("--journal", loops=1) as alone:
        answer = control(alone, "GET", "/sessions?node=a")
        assert answer.status == 400 and "--node-name" in answer.json["error"]["message"]
        assert control(alone, "POST", "/drain", {"nodes": "all"}).status == 400
        assert control(alone, "GET", "/journal").json["next"] == 0

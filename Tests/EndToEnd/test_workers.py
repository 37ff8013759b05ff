"""Parts of a storm on other machines: one report, and an end for everything whoever dies first."""

import contextlib
import hashlib
import hmac
import json
import os
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

import storms
from clients import control
from gateway import Gateway
from storms import value

SECRET = "a secret of storms and workers"


@pytest.fixture
def secret(tmp_path):
    file = tmp_path / "workers"
    file.write_text(SECRET + "\n")
    return str(file)


@contextlib.contextmanager
def worker(secret, *flags):
    """A worker on a free port; yields its address and its process."""
    command = [os.environ["POSTERN"], "worker", "--listen", "127.0.0.1:0", "--secret-file", secret, *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        ready = json.loads(process.stdout.readline())
        assert ready["event"] == "ready" and ready["pid"] == process.pid
        yield f"127.0.0.1:{ready['port']}", process
    finally:
        process.terminate()
        said = process.communicate(timeout=20)[1]
        assert process.returncode in (0, -9), said
        assert SECRET not in said


def children(process):
    """The numbers of the processes that it has started and that are still there."""
    threads = Path(f"/proc/{process.pid}/task")
    while True:
        try:
            return [int(n) for thread in threads.iterdir() for n in (thread / "children").read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            # A thread has ended meanwhile, and has left its children to another.
            if not threads.exists():
                raise


def until(condition, patience=60):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def refused(*flags):
    """What a storm says on standard error that comes to no report."""
    done = subprocess.run([os.environ["POSTERN"], "storm", "--json", *flags], capture_output=True, text=True, timeout=60)
    assert done.returncode in (1, 2) and done.stdout == "", (done.returncode, done.stdout)
    return done.stderr


def flags(gateway, *addresses, secret, clients=60):
    words = ["--url", gateway.url, "--control-url", gateway.control_url, "--clients", str(clients), "--rate", "200"]
    for address in addresses:
        words += ["--worker", address]
    return words + ["--worker-secret-file", secret]


def test_two_workers_make_one_report(gateway, secret):
    with worker(secret) as (one, first), worker(secret) as (other, second):
        seen = set()

        def look():
            while not seen >= {first.pid, second.pid}:
                seen.update(process.pid for process in (first, second) if children(process))
                time.sleep(0.02)

        watch = threading.Thread(target=look, daemon=True)
        watch.start()
        report = storms.run(*flags(gateway, one, other, secret=secret), "--hold", "1s")
        watch.join(timeout=1)
        # Each had a process of its own, and neither has one left.
        assert seen == {first.pid, second.pid}
        until(lambda: not children(first) and not children(second))
    assert value(report, "connects.ok") == value(report, "refresh.accepted") == value(report, "provider.granted") / 2 == 60
    assert report["plan"]["processes"] == 2 and storms.caveats(report) == []


def test_what_a_worker_says_of_a_part_that_cannot_be_carried_out_is_told(gateway, secret):
    with worker(secret, "--parts-max", "1") as (address, _):
        words = flags(gateway, address, secret=secret)
        assert "as many parts as it may (--parts-max)" in refused(*words, "--processes", "3", "--hold", "3s")
        # The worker is as good as before.
        storms.run(*words, "--hold", "1s")


def test_a_worker_that_cannot_be_had_is_a_sentence(gateway, secret, tmp_path):
    def said(address, file=secret):
        return refused(*flags(gateway, address, secret=file))

    other = tmp_path / "other"
    other.write_text("another secret, as long as that")
    short = tmp_path / "short"
    short.write_text("short")
    with worker(secret) as (address, _):
        assert f"--worker {address}: the worker has another secret" in said(address, str(other))
        assert "at least 16 characters" in said(address, str(short))
    assert "127.0.0.1:1: Connection refused" in said("127.0.0.1:1")
    # A port of HTTP, which waits for a request.
    assert "it says nothing" in said(f"127.0.0.1:{gateway.port}")
    assert "expected HOST:PORT" in said("127.0.0.1")
    with_none = storms.run("--url", gateway.url, "--worker", "127.0.0.1:1", expected=(2,))
    assert "--worker needs --worker-secret-file" in with_none


def test_a_worker_that_dies_spoils_the_storm_at_once_and_says_which(gateway, secret):
    with worker(secret) as (one, first), worker(secret) as (other, second):
        with storms.Running(*flags(gateway, one, other, secret=secret), "--hold", "60s") as storm:
            until(lambda: children(first) and children(second))
            orphan = children(first)[0]
            first.kill()
            out, err = storm.process.communicate(timeout=20)
            assert storm.process.returncode == 1, (out, err)
            assert f"--worker {one}: it is gone" in err
        until(lambda: not children(second))
        # Nor is the part left behind whose worker was killed.
        until(lambda: not Path(f"/proc/{orphan}").exists())


def test_a_storm_that_dies_leaves_no_part_behind_and_one_that_is_interrupted_reports(gateway, secret):
    with worker(secret) as (address, process):
        with storms.Running(*flags(gateway, address, secret=secret), "--hold", "60s") as storm:
            until(lambda: children(process))
            time.sleep(1)
            storm.process.kill()
            storm.process.wait()
        until(lambda: not children(process))
        with storms.Running(*flags(gateway, address, secret=secret), "--hold", "60s") as storm:
            until(lambda: len(control(gateway, "GET", "/sessions?limit=100").json["sessions"]) == 60)
            # The clients hear of their logins a moment later.
            time.sleep(1)
            storm.process.terminate()
            out, err = storm.process.communicate(timeout=20)
        assert storm.process.returncode == 1, err
        report = storms.report_of(out)
        assert report["result"]["was_interrupted"] and value(report, "connects.ok") == 60


def test_a_worker_that_is_told_to_end_ends_its_parts_which_still_tell_what_they_came_to(gateway, secret):
    with worker(secret) as (address, process):
        with storms.Running(*flags(gateway, address, secret=secret), "--hold", "60s") as storm:
            until(lambda: len(control(gateway, "GET", "/sessions?limit=100").json["sessions"]) == 60)
            # The clients hear of their logins a moment later.
            time.sleep(1)
            process.terminate()
            assert process.wait(timeout=20) == 0
            out, err = storm.process.communicate(timeout=20)
        assert storms.report_of(out)["result"]["was_interrupted"], err


class Talk:
    """A connection to a worker, line by line."""

    def __init__(self, address):
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.lines = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def hear(self):
        line = self.lines.readline()
        return json.loads(line) if line else None

    def say(self, message):
        self.socket.sendall(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    def prove(self, secret=SECRET):
        theirs = self.hear()["greeting"]["nonce"]
        code = hmac.new(secret.encode(), f"postern storm mine {theirs}".encode(), hashlib.sha256).hexdigest()
        self.say({"claim": {"nonce": "mine", "proof": code}})
        return theirs


def test_the_secret_never_goes_over_the_wire_and_both_sides_prove_that_they_know_it(secret):
    with worker(secret) as (address, _):
        with Talk(address) as talk:
            theirs = talk.prove()
            code = hmac.new(SECRET.encode(), f"postern worker {theirs} mine".encode(), hashlib.sha256).hexdigest()
            assert talk.hear() == {"acceptance": {"proof": code}}
        with Talk(address) as talk:
            talk.prove("another secret than that")
            assert "another secret" in talk.hear()["refusal"]["_0"]
            assert talk.hear() is None


def test_storms_that_order_at_once_have_no_more_parts_than_there_are_places(gateway, secret):
    part = {"process": 0, "processes": 1, "startsAt": time.time_ns(), "clockError": 0, "run": "5f", "pins": []}
    order = {"words": ["--url", gateway.url, "--clients", "1", "--hold", "60s"], "environment": {}, "part": part}
    with worker(secret, "--parts-max", "4") as (address, process), contextlib.ExitStack() as stack:
        talks = [stack.enter_context(Talk(address)) for _ in range(8)]
        for talk in talks:
            talk.prove()
            assert "acceptance" in talk.hear()
        line = json.dumps({"order": {"_0": order}}).encode() + b"\n"
        for talk in talks:
            talk.say(line[:-1])
        for talk in talks:
            talk.say(line[-1:])
        first = [talk.hear() for talk in talks]
        refused = [message for message in first if "refusal" in message]
        assert len(refused) == 4 == len(children(process)), first
        assert all("--parts-max" in message["refusal"]["_0"] for message in refused)


def test_whoever_talks_nonsense_to_a_worker_is_shown_out(gateway, secret):
    deep = b"[" * 900 + b"\n"
    nonsense = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\n", b"\0" * 50 + b"\n", b"x" * 5000, deep, b'{"claim":{}}\n',
        b'{"order":{"words":[],"environment":{},"part":{"process":0,"processes":1,"startsAt":0,"clockError":0}}}\n',
    ]
    orders = [
        {"words": ["--no-such-flag"], "environment": {}, "part": {"process": 0, "processes": 1, "startsAt": 0, "clockError": 0}},
        {"words": ["--url", "ws://127.0.0.1:1"], "environment": {"PATH": "/nowhere", "POSTERN_NONSENSE": "1"},
         "part": {"process": 0, "processes": 1, "startsAt": 0, "clockError": 0}},
        {"words": ["--url", gateway.url], "environment": {},
         "part": {"process": 5, "processes": 1, "startsAt": -(1 << 63), "clockError": (1 << 63) - 1}},
        {"words": ["--url", gateway.url, "--clients", "3", "--timeout", "1s"], "environment": {},
         "part": {"process": 0, "processes": 1, "startsAt": (1 << 63) - 1, "clockError": -(1 << 63)}},
        {"words": ["x" * 100_000], "environment": {"POSTERN_X\0": "y\0"}, "part": {}},
    ]
    with worker(secret) as (address, process):
        for bytes in nonsense:
            with Talk(address) as talk:
                talk.hear()
                talk.say(bytes)
                answer = talk.hear()
                assert answer is None or "refusal" in answer, (bytes, answer)
        silent = [Talk(address) for _ in range(40)]
        for order in orders:
            for talk in silent:
                talk.__exit__()
            silent = []
            time.sleep(0.2)
            with Talk(address) as talk:
                talk.prove()
                assert "acceptance" in talk.hear()
                talk.say({"order": {"_0": order}})
                # Whatever it is, there is an end to it, and the worker lives.
                answer = talk.hear()
                while answer is not None and not {"ended", "refusal"} & answer.keys():
                    answer = talk.hear()
                assert process.poll() is None
        until(lambda: not children(process))
        storms.run(*flags(gateway, address, secret=secret, clients=5), "--hold", "1s")


def test_connections_that_say_nothing_keep_no_storm_out_of_a_worker(gateway, secret):
    with worker(secret, "--parts-max", "1") as (address, process), contextlib.ExitStack() as stack:
        silent = [stack.enter_context(Talk(address)) for _ in range(100)]
        storms.run(*flags(gateway, address, secret=secret, clients=10), "--hold", "1s")
        # The oldest made room for the newest, and are told no more than the greeting.
        assert len([*iter(silent[0].hear, None)]) <= 1
        threads = len(os.listdir(f"/proc/{process.pid}/task"))
        assert threads < 100, threads


def test_a_clock_that_is_wrong_is_corrected_and_told():
    """A worker of the test's own, whose clock is an hour ahead."""
    heard = {}

    def serve(listener):
        connection, _ = listener.accept()
        lines = connection.makefile("rwb")

        def say(message):
            lines.write(json.dumps(message).encode() + b"\n")
            lines.flush()

        say({"greeting": {"version": "1.0.0", "nonce": "theirs"}})
        claim = json.loads(lines.readline())["claim"]
        proof = hmac.new(SECRET.encode(), f"postern worker theirs {claim['nonce']}".encode(), hashlib.sha256).hexdigest()
        say({"acceptance": {"proof": proof}})
        while True:
            message = json.loads(lines.readline())
            if "clockAsked" not in message:
                break
            say({"clock": {"nanoseconds": time.time_ns() + 3600 * 10**9}})
        heard.update(message["order"]["_0"])
        say({"refusal": {"_0": "that was all"}})
        connection.close()

    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listener, Gateway() as gateway:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        file = Path(gateway.folder.name, "workers")
        file.write_text(SECRET)
        words = flags(gateway, f"127.0.0.1:{listener.getsockname()[1]}", secret=str(file))
        said = refused(*words)
        thread.join(timeout=5)
    assert "that was all" in said
    assert heard["part"]["clockError"] == pytest.approx(3600e9, abs=1e9)
    assert heard["words"][: len(words)] == ["--json", *words][: len(words)] and heard["part"]["processes"] == 1

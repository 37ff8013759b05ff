"""Parts of a storm on other machines: one report, and every process ends, whichever ends first."""

import contextlib
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
from ports import free_port
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
    listen = [] if "--listen" in flags else ["--listen", "127.0.0.1:0"]
    command = [os.environ["POSTERN"], "worker", *listen, "--secret-file", secret, *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        ready = json.loads(process.stdout.readline())
        assert ready["event"] == "ready" and ready["pid"] == process.pid
        yield f"127.0.0.1:{ready['port']}", process
    finally:
        process.terminate()
        said = process.communicate(timeout=60)[1]
        assert process.returncode in (0, -9), said
        assert SECRET not in said


def children(process):
    """The ids of its child processes that still run."""
    threads = Path(f"/proc/{process.pid}/task")
    while True:
        try:
            return [int(n) for thread in threads.iterdir() for n in (thread / "children").read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            # A thread has ended in between, and its children have moved to another.
            if not threads.exists():
                raise


def until(condition, patience=60):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def refused(*flags):
    """The output on standard error of a storm without a report."""
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
        report = storms.run(*flags(gateway, one, other, secret=secret), "--hold", "3s")
        watch.join(timeout=1)
        # Each had a process of its own, and none is left.
        assert seen == {first.pid, second.pid}
        until(lambda: not children(first) and not children(second))
    assert value(report, "connects.ok") == value(report, "refresh.accepted") == value(report, "provider.granted") / 2 == 60
    assert report["plan"]["processes"] == 2 and storms.caveats(report) == []


def test_more_parts_than_a_worker_carries_out_are_refused_before_the_storm_begins(gateway, secret):
    with worker(secret, "--parts-max", "1") as (address, process):
        words = flags(gateway, address, secret=secret)
        assert "it carries out 1 parts at once (--parts-max), and 3 are wanted" in refused(*words, "--processes", "3")
        assert not children(process)
        storms.run(*words, "--hold", "3s")


def test_a_worker_that_cannot_be_had_is_a_sentence(gateway, secret, tmp_path):
    def said(address, file=secret):
        return refused(*flags(gateway, address, secret=file))

    other = tmp_path / "other"
    other.write_text("another secret, as long as that")
    short = tmp_path / "short"
    short.write_text("short")
    with worker(secret) as (address, _):
        assert f"--worker {address}: the worker has another secret" in said(address, str(other))
        # The worker has no TLS.
        assert "tls" in said(f"https://{address}").lower()
        assert "at least 16 characters" in said(address, str(short))
    assert "127.0.0.1:1: connect: Connection refused" in said("127.0.0.1:1")
    assert "no postern worker answers there (HTTP 404)" in said(f"127.0.0.1:{gateway.port}")
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as silent:
        assert "it says nothing" in said(f"127.0.0.1:{silent.getsockname()[1]}")
    assert "give https://" in said("http://10.0.0.7:7300")
    assert "expected HOST:PORT" in said("127.0.0.1")
    with_none = storms.run("--url", gateway.url, "--worker", "127.0.0.1:1", expected=(2,))
    assert "--worker needs --worker-secret-file" in with_none


def test_a_worker_that_dies_spoils_the_storm_at_once_and_says_which(gateway, secret):
    with worker(secret) as (one, first), worker(secret) as (other, second):
        with storms.Running(*flags(gateway, one, other, secret=secret), "--hold", "60s") as storm:
            until(lambda: children(first) and children(second))
            # By then the storm has the answers of both workers.
            until(lambda: len(control(gateway, "GET", "/sessions?limit=100").json["sessions"]) == 60)
            orphan = children(first)[0]
            first.kill()
            out, err = storm.process.communicate(timeout=60)
            assert storm.process.returncode == 1, (out, err)
            assert f"--worker {one}: it is gone" in err
        until(lambda: not children(second))
        # The part of a killed worker does not stay behind either.
        until(lambda: not Path(f"/proc/{orphan}").exists())


def test_a_storm_that_dies_leaves_no_part_behind_and_one_that_is_interrupted_reports(gateway, secret):
    with worker(secret) as (address, process):
        with storms.Running(*flags(gateway, address, secret=secret), "--hold", "60s") as storm:
            until(lambda: children(process))
            time.sleep(1)
            storm.process.kill()
            storm.process.wait()
        until(lambda: not children(process))
        with storms.Running(*flags(gateway, address, secret=secret), "--hold", "60s", "--live", "0") as storm:
            until(lambda: len(control(gateway, "GET", "/sessions?limit=100").json["sessions"]) == 60)
            storm.until(60)
            storm.process.terminate()
            out, err = storm.process.communicate(timeout=60)
        assert storm.process.returncode == 1, err
        report = storms.report_of(out)
        assert report["result"]["was_interrupted"] and value(report, "connects.ok") == 60


def test_a_worker_that_is_told_to_end_ends_its_parts_which_still_tell_what_they_came_to(gateway, secret):
    with worker(secret) as (address, process):
        with storms.Running(*flags(gateway, address, secret=secret), "--hold", "60s", "--live", "0") as storm:
            until(lambda: len(control(gateway, "GET", "/sessions?limit=100").json["sessions"]) == 60)
            storm.until(60)
            process.terminate()
            assert process.wait(timeout=60) == 0
            out, err = storm.process.communicate(timeout=60)
        assert storms.report_of(out)["result"]["was_interrupted"], err


def test_a_storm_waits_for_workers_that_are_not_there_yet(gateway, secret):
    port = free_port()
    words = flags(gateway, f"127.0.0.1:{port}", secret=secret)
    assert "Connection refused" in refused(*words, "--worker-wait", "1s")
    with storms.Running(*words, "--worker-wait", "60s", "--hold", "3s") as storm:
        time.sleep(1)
        with worker(secret, "--listen", f"127.0.0.1:{port}", "--once") as (_, process):
            out, err = storm.process.communicate(timeout=60)
            assert storm.process.returncode == 0, err
            assert value(storms.report_of(out), "connects.ok") == 60
            # As a job of a cluster it has ended by then.
            assert process.wait(timeout=60) == 0

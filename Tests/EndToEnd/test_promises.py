"""`loadtest/promises`: its quick rows hold for this program, and it notices a gateway that breaks its promises."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "loadtest/peers"))
import redis_relay  # noqa: E402

# A gateway whose store forgets: it takes the append-only file away from its Redis server.
FORGETFUL = """#!/usr/bin/env python3
import os, socket, sys
port = int(sys.argv[sys.argv.index("--store") + 1].rpartition(":")[2])
with socket.create_connection(("127.0.0.1", port)) as link:
    link.sendall(b"CONFIG SET appendonly no\\r\\n")
    assert link.recv(100).startswith(b"+OK")
os.execv("{program}", ["{program}", *sys.argv[1:], "--store-allow-volatile"])
"""


def promises(program, rows, report, **options):
    command = [ROOT / "loadtest/promises", program, "--rows", rows, "--report", report]
    return subprocess.run(command, capture_output=True, text=True, timeout=560, **options)


def lines(done):
    """The words of each row's line, by its name."""
    found = re.findall(r"^(holds |FAILED)  ([\w-]+): (.*)$", done.stdout, re.MULTILINE)
    assert len(found) == len(done.stdout.splitlines()), done.stdout + done.stderr
    return {name: (word.strip(), text) for word, name, text in found}


def test_promises_hold_while_a_node_is_stopped_redis_is_killed_and_its_disk_is_full(tmp_path):
    names = ["stopped-5", "redis-killed-always", "disk-full"]
    done = promises(os.environ["POSTERN"], ",".join(names), tmp_path / "report")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((tmp_path / "report/promises.json").read_text())["rows"]
    said = lines(done)
    assert list(rows) == list(said) == names
    for name, row in rows.items():
        word, text = said[name]
        assert word == "holds" and row["holds"] and row["faults"] == []
        assert row["accepted"] >= 20 and row["lost"] == 0 and row["closed"] == []
        assert row["revoked"] >= 2 and row["tried_after_revocation"] > 4 and row["admitted_after_revocation"] == 0
        assert f"accepted {row['accepted']}, lost 0, revoked {row['revoked']}" in text and "closed of a: none" in text
        assert row["in_redis"] >= row["accepted"]
    assert [event["event"] for event in rows["stopped-5"]["events"]] == ["SIGSTOP of a", "SIGCONT of a"]
    assert "kill -9 of Redis" in [event["event"] for event in rows["redis-killed-always"]["events"]]
    assert "503" in said["disk-full"][1]


def test_a_gateway_whose_store_forgets_does_not_pass(tmp_path):
    program = tmp_path / "forgetful"
    program.write_text(FORGETFUL.format(program=os.environ["POSTERN"]))
    program.chmod(0o755)
    done = promises(program, "redis-killed-always", tmp_path / "report")
    assert done.returncode == 1, done.stdout + done.stderr
    word, text = lines(done)["redis-killed-always"]
    assert word == "FAILED" and re.search(r"[1-9]\d* acknowledged tokens are lost", text)
    row = json.loads((tmp_path / "report/promises.json").read_text())["rows"]["redis-killed-always"]
    assert not row["holds"] and row["lost"] > 0
    assert sum(end["code"] == 1012 for end in row["closed"] if end["node"] in ("a", "b")) == 60
    assert "event=node_lost" in (tmp_path / "report/redis-killed-always-node-a.log").read_text()


def test_a_program_that_does_not_start_fails_the_row(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho no gateway >&2\nexit 2\n")
    program.chmod(0o755)
    done = promises(program, "stopped-5", tmp_path / "report")
    assert done.returncode == 1 and lines(done)["stopped-5"][0] == "FAILED", done.stdout + done.stderr
    assert "no gateway" in done.stdout


def test_a_run_that_is_interrupted_while_a_node_is_stopped_ends_everything_that_it_has_started(tmp_path):
    command = [ROOT / "loadtest/promises", os.environ["POSTERN"], "--rows", "stopped-60"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"TMPDIR": str(tmp_path)})

    def started():
        """Its processes: a node's command line names its folder, and the Redis server runs there."""
        return [path for path in Path("/proc").glob("[0-9]*") if str(tmp_path) in traces(path)]

    deadline = time.monotonic() + 90
    while len(started()) < 3 or not any(is_stopped(process) for process in started()):
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=90) == 130
    assert started() == [] and list(tmp_path.iterdir()) == []


def traces(process):
    """The command line of a process and the folder where it runs, if it still runs."""
    try:
        return (process / "cmdline").read_text(errors="replace") + os.readlink(process / "cwd")
    except OSError:
        return ""


def is_stopped(process):
    """Whether a process has the state T, as proc(5) has it."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


@pytest.fixture
def echo():
    """The port of a server that sends back what one connection sends."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            link, _ = server.accept()
            with link:
                while data := link.recv(1000):
                    link.sendall(data)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        thread.join(60)


def test_the_relay_delays_keeps_the_order_and_holds_what_is_sent_while_it_is_cut(echo):
    with redis_relay.Relay(echo) as relay, socket.create_connection(("127.0.0.1", relay.port), timeout=60) as link:

        def back(text):
            begun = time.monotonic()
            link.sendall(text)
            received = b""
            while len(received) < len(text):
                received += link.recv(1000)
            assert received == text
            return time.monotonic() - begun

        back(b"once")
        relay.set("slow")
        assert back(b"late") >= 0.4
        for number in range(50):
            link.sendall(b"%02d" % number)
            time.sleep(0.01)
        received = b""
        while len(received) < 100:
            received += link.recv(1000)
        assert received == b"".join(b"%02d" % number for number in range(50))
        relay.set("cut")
        time.sleep(0.2)
        link.sendall(b"held")
        link.settimeout(1)
        with pytest.raises(TimeoutError):
            link.recv(1000)
        link.settimeout(60)
        relay.set("pass")
        assert link.recv(1000) == b"held"

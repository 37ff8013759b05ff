"""Servers that are hostile to the commands that connect to them: each command ends by itself, with a message, within bounds."""

import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

import storms
from clients import control
from gateway import Gateway

PATIENCE = 60
HUGE_CHUNK = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7FFFFFFFFFFFFFFF\r\n"


class Hostile:
    """A server of the test: it reads a request's head, and then treats the connection as the test says."""

    def __init__(self, deed):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.deed = deed

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        with peer:
            try:
                peer.settimeout(PATIENCE)
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = peer.recv(4096)
                    if not piece:
                        return
                    head += piece
                self.deed(peer, head)
            except OSError:
                pass


def say(answer):
    return lambda peer, _: peer.sendall(answer)


def without_end(piece):
    def deed(peer, _):
        while True:
            peer.sendall(piece * 1000)

    return deed


def run(*words):
    """Runs a command. Returns its status, its output, and its peak memory in megabytes."""
    process = subprocess.Popen([os.environ["POSTERN"], *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    return process.returncode, out + err, usage.ru_maxrss / 1024


def commands(port, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("a secret of thirty-two bytes, or more")
    url = f"http://127.0.0.1:{port}"
    tokens = tmp_path / "tokens.json"
    tokens.write_text('{"tokens": 1, "request": {"url": "/t"}, "answer": {"token": "/t"}}')
    storm = ["storm", "--clients", "2", "--timeout", "2s", "--provider", url]
    return {
        "ctl": ["ctl", "--url", url, "sessions"],
        "connect": ["connect", "--url", f"ws://127.0.0.1:{port}", "--provider", url],
        "storm": [*storm, "--url", f"ws://127.0.0.1:{port}", "--control-url", url],
        "provider-only": [*storm, "--provider-only", "--tokens", str(tokens)],
    }


@pytest.mark.parametrize("command", ["ctl", "connect", "storm", "provider-only"])
def test_a_chunk_size_near_the_largest_number_ends_no_command_by_a_trap(command, tmp_path):
    with Hostile(say(HUGE_CHUNK)) as server:
        status, said, _ = run(*commands(server.port, tmp_path)[command])
    assert status in (1, 2), (status, said)
    assert said


def test_100_continue_without_end_is_refused_at_once_and_takes_no_memory(tmp_path):
    with Hostile(without_end(b"HTTP/1.1 100 Continue\r\n\r\n")) as server:
        status, said, megabytes = run(*commands(server.port, tmp_path)["ctl"])
    # After its own timeout the message would be another.
    assert status in (1, 2) and "head is above" in said, (status, said)
    assert megabytes < 150, megabytes


def test_a_storm_one_of_whose_processes_is_killed_reports_what_was_measured():
    with Gateway() as gateway:
        words = ["--url", gateway.url, "--control-url", gateway.control_url, "--clients", "40", "--rate", "200"]
        with storms.Running(*words, "--processes", "2", "--hold", "60s", "--live", "0") as storm:
            tasks = Path(f"/proc/{storm.process.pid}/task")
            storm.until(40)
            parts = [part for task in tasks.glob("*/children") for part in task.read_text().split()]
            os.kill(int(parts[0]), signal.SIGKILL)
            out, err = storm.process.communicate(timeout=PATIENCE)
            assert storm.process.returncode == 1, err
    report = storms.report_of(out)
    assert "1 of 2 processes ended without a result" in err
    assert any("1 of 2 processes ended without a result" in caveat for caveat in report["caveats"])
    assert report["result"]["was_interrupted"] and 20 <= storms.value(report, "connects.ok") <= 40


def test_a_storm_in_one_process_that_is_killed_leaves_what_was_measured_in_its_report(tmp_path):
    file = tmp_path / "reports" / "storm.json"
    with Gateway() as gateway:
        words = ["--url", gateway.url, "--control-url", gateway.control_url, "--clients", "40", "--rate", "200"]
        with storms.Running(*words, "--hold", "120s", "--report", str(file.parent)) as storm:
            end = time.monotonic() + PATIENCE
            while not file.exists() or storms.value(storms.report_of(file.read_text()), "connects.ok") < 40:
                assert time.monotonic() < end and storm.process.poll() is None
                time.sleep(0.1)
            storm.process.kill()
            storm.process.wait()
    report = storms.report_of(file.read_text())
    assert storms.value(report, "connects.ok") == 40 and not report["passes"] and report["result"]["was_interrupted"]
    assert report["caveats"][0].startswith("the storm had not ended when this was written")

"""A gateway whose standard error or standard output is closed, full, or not read still serves."""

import fcntl
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from clients import Client, control
from gateway import SECRET, token

POSTERN = os.environ["POSTERN"]


class Started:
    """A gateway with the given standard error; `redirections` are the shell's."""

    def __init__(self, *flags, redirections="", stdout=subprocess.PIPE, stderr=None, port_file=None):
        self.folder = tempfile.TemporaryDirectory(prefix="postern-")
        secret = Path(self.folder.name, "secret")
        secret.write_text(SECRET)
        command = [POSTERN, "serve", "--port", "0", "--control-port", "0", "--loops", "2", "--drain-window", "1s"]
        command += ["--secret-file", str(secret), *flags]
        shell = ["sh", "-c", f'exec "$0" "$@" {redirections}']
        self.process = subprocess.Popen(shell + command, stdout=stdout, stderr=stderr)
        if stdout == subprocess.PIPE and ">" not in redirections.replace("2>", ""):
            self.read_ready(self.process.stdout.readline())

    def read_ready(self, line):
        ready = json.loads(line)
        self.url, self.http_url, self.port = ready["url"], ready["http_url"], ready["port"]
        self.control_url = ready["control_url"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        self.folder.cleanup()

    def ends(self):
        """The exit status after a SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def metric(self, name):
        text = control(self, "GET", "/metrics").body.decode()
        return float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE).group(1))


def refuse_some(gateway, count):
    """Logins that are refused. Each writes a line to the log."""
    for _ in range(count):
        with Client(gateway) as client:
            client.ask("connect", token="no.token.this")


def serves_and_drains(gateway):
    with Client(gateway, token=token("ann")) as client:
        client.receive("connected")
        refuse_some(gateway, 5)
        assert client.is_alive()
        gateway.process.send_signal(signal.SIGTERM)
        closing = client.receive("closing")
        assert closing["reason"]["name"] == "service_restart"
    assert gateway.process.wait(timeout=60) == 0


@pytest.mark.parametrize("redirections", ["2>&-", "2>/dev/full", "0<&- 2>&-"])
def test_standard_error_that_takes_nothing_ends_nothing(redirections):
    with Started(redirections=redirections) as gateway:
        assert os.path.exists(f"/proc/{gateway.process.pid}/fd/2")
        serves_and_drains(gateway)


def test_lines_that_standard_error_refuses_are_counted():
    with Started(redirections="2>/dev/full") as gateway:
        refuse_some(gateway, 3)
        deadline = time.monotonic() + 60
        while gateway.metric("postern_log_lines_lost_total") < 3 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert gateway.metric("postern_log_lines_lost_total") >= 3
        assert gateway.ends() == 0


def test_a_drain_works_although_the_reader_of_standard_error_is_gone():
    read, write = os.pipe()
    with Started(stderr=write) as gateway:
        os.close(write)
        os.close(read)
        serves_and_drains(gateway)


def test_a_reader_of_standard_error_that_stopped_reading_stops_no_loop_and_no_exit():
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    with Started("--log-level", "debug", stderr=write) as gateway:
        os.close(write)
        # Each login writes a line or two. The pipe holds about forty.
        for _ in range(3):
            refuse_some(gateway, 40)
        serves_and_drains(gateway)
        os.close(read)


def test_standard_output_that_takes_nothing_ends_nothing():
    for redirections in [">&-", ">/dev/full"]:
        with tempfile.NamedTemporaryFile("r") as log, Started(redirections=redirections, stderr=log.fileno()) as gateway:
            deadline = time.monotonic() + 60
            while "event=ready" not in (text := Path(log.name).read_text()) and time.monotonic() < deadline:
                time.sleep(0.05)
            line = next(line for line in text.splitlines() if "event=ready" in line)
            ready = dict(field.split("=", 1) for field in line.split() if "=" in field)
            gateway.http_url, gateway.port = f"http://127.0.0.1:{ready['port']}", int(ready["port"])
            gateway.url, gateway.control_url = f"ws://127.0.0.1:{ready['port']}", f"http://127.0.0.1:{ready['control_port']}"
            serves_and_drains(gateway)


def run(*words, redirections="", **options):
    return subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {redirections}', POSTERN, *words], capture_output=True, text=True, timeout=60, **options
    )


def test_a_command_whose_result_is_not_read_reports_it_and_fails(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    mint = ["token", "mint", "--secret-file", str(secret), "--user", "ann"]
    assert run(*mint).returncode == 0
    full = run(*mint, redirections=">/dev/full")
    assert full.returncode == 1 and "cannot write to standard output: No space left" in full.stderr
    read, write = os.pipe()
    os.close(read)
    gone = subprocess.run([POSTERN, *mint], stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(write)
    # A reader that stops early, like `| head`, is no failure.
    assert gone.returncode == 0 and gone.stderr == ""
    # A stream that was closed from the start is ignored: it is neither a failure nor another file.
    assert run(*mint, redirections=">&- 2>&-").returncode == 0


def test_a_wrong_command_line_ends_although_the_reason_is_not_read():
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    os.write(write, b"x" * 4096)
    process = subprocess.Popen([POSTERN, "serve", "--nonsense"], stderr=write)
    assert process.wait(timeout=60) == 2
    os.close(read)
    os.close(write)


LINE = re.compile(r'time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z level=(error|warning|info|debug) event=\w+( \w+=("[^"]*"|[^\s"]+))*')


def test_the_log_names_refused_disconnected_and_ordered_clients(tmp_path):
    log = tmp_path / "log"
    with log.open("wb") as stderr, Started("--any-refresh-timeout", "--refresh-timeout", "5s", stderr=stderr) as gateway:
        refuse_some(gateway, 1)
        with Client(gateway, token=token("eve\n\x1b[31mevent=ready")) as client:
            client.receive("connected")
            control(gateway, "POST", "/sessions/expire")
            client.receive("refresh_required")
            client.until_closed()
        control(gateway, "POST", "/revocations", {"user_id": "ann"})
        assert gateway.ends() == 0
    lines = log.read_text().splitlines()
    assert all(LINE.fullmatch(line) for line in lines), lines
    # A machine may have few descriptors.
    lines = [line for line in lines if "event=few_descriptors" not in line]
    events = [re.search(r" event=(\w+)", line).group(1) for line in lines]
    assert events == ["ready", "login_refused", "order", "cut_off", "revocation", "drain_begun", "drain_ended", "stopped"]
    assert 'user="eve\\n\\u001b[31mevent=ready" reason=refresh_timeout' in lines[3]
    assert "order=expire sessions=1" in lines[2] and "user=ann sessions=0" in lines[4]
    assert "no.token.this" not in log.read_text() and "eyJ" not in log.read_text()


def test_the_log_is_as_long_and_of_the_form_that_the_flags_say(tmp_path):
    log = tmp_path / "log"
    with log.open("wb") as stderr, Started("--log-level", "debug", "--log-format", "json", stderr=stderr) as gateway:
        with Client(gateway, token=token("ann")) as client:
            client.receive("connected")
        assert gateway.ends() == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    login = next(line for line in lines if line["event"] == "logged_in")
    assert {"user": "ann", "level": "debug", "dialect": "plain"}.items() <= login.items()
    with log.open("wb") as stderr, Started("--log-level", "error", stderr=stderr) as gateway:
        refuse_some(gateway, 1)
        assert gateway.ends() == 0
    assert log.read_text() == ""


def test_a_report_above_the_file_size_limit_ends_the_storm_with_a_message_and_not_by_a_signal(tmp_path):
    tokens = tmp_path / "tokens.json"
    tokens.write_text('{"tokens": 1, "request": {"url": "/t"}, "answer": {"token": "/t"}}')
    # Nothing listens there. The measurement is that no client was accepted.
    words = ["storm", "--provider-only", "--tokens", str(tokens), "--provider", "http://127.0.0.1:1", "--clients", "1", "--hold", "1s"]
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 0; exec "$0" "$@"', POSTERN, *words, "--timeout", "1s", "--report", str(tmp_path / "report")],
        capture_output=True, text=True, timeout=120)
    assert done.returncode in (1, 2), done
    assert "File too large" in done.stderr, done.stderr

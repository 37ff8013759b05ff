"""`postern ctl conform`: a correct client, and clients that each do one thing wrong."""

import concurrent.futures
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import uuid
import xml.etree.ElementTree
from pathlib import Path

import pytest

from at_once import working
from clients import control
from gateway import Gateway
from orders import until

CLIENT = Path(__file__).with_name("conform_client.py")


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway
        assert control(gateway, "GET", "/spaces").json["spaces"] == []


def command(kind, mark=""):
    return shlex.join(["exec", sys.executable, str(CLIENT), kind, *([mark] if mark else [])])


def arguments(host, run, *flags):
    return [os.environ["POSTERN"], "ctl", "conform", "--url", host.control_url, "--run", run, *flags]


def conform(host, run, *only, flags=(), patience=1800):
    chosen = [part for name in only for part in ("--only", name)]
    return subprocess.run(
        arguments(host, run, *chosen, *flags), capture_output=True, text=True, timeout=patience, errors="replace")


def verdicts(done):
    """The verdict of each behaviour in the table."""
    rows = done.stdout.split("\n\n")[0].splitlines()[1:]
    words = ("passed", "failed", "undecided", "not applicable")
    return {row.split()[0]: next(word for word in words if f"  {word}" in row) for row in rows}


def is_passed(done):
    """Whether the one behaviour passed, or the output says that a slow machine left it undecided."""
    told = verdicts(done)
    return told == {"refresh-at-expiry": "passed"} or (told == {"refresh-at-expiry": "undecided"} and "the machine was" in done.stdout)


def processes(mark):
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in folder.joinpath("cmdline").read_bytes().decode(errors="replace"):
                found.append(folder.name)
        except OSError:
            pass
    return found


def test_a_client_that_does_all_right_passes_all(host, runs, endless, tmp_path):
    # These run at the same time: all mostly wait.
    results = tmp_path / "results.xml"
    done = conform(host, command("good"), flags=["--jobs", "6", "--junit", results, "--journals", tmp_path / "journals"])
    assert done.returncode == 0, done.stdout + done.stderr
    listed = subprocess.run(
        [os.environ["POSTERN"], "ctl", "conform", "--list"], capture_output=True, text=True, check=True, timeout=90).stdout
    names = [line.split()[0] for line in listed.split("\n\n")[0].splitlines()]
    told = verdicts(done)
    # A verdict that a slow machine may have changed is undecided.
    slow = [name for name, verdict in told.items() if verdict == "undecided"]
    assert list(told) == names and all(verdict == "passed" for name, verdict in told.items() if name not in slow), done.stdout
    assert len(slow) == done.stdout.count("the machine was"), done.stdout
    suite = xml.etree.ElementTree.parse(results).getroot()
    assert [case.get("name") for case in suite] == names and suite.get("tests") == str(len(names))
    assert suite.get("failures") == "0" and suite.get("skipped") == str(len(slow))
    assert not list(tmp_path.glob("journals/*"))


# Each run takes seconds of real time in a space of its own, so several run at the same time.
@pytest.mark.parametrize(
    "kind, behaviour, sentence",
    [
        ("asks-twice", "refresh-at-expiry", "one_provider_call_per_expiry failed: 2 provider calls for one refresh"),
        ("asks-at-once", "lost-while-asking", "single_flight failed: the provider was asked again"),
        ("loops", "closed-for-good", "no_attempt_after_terminal failed: 1 attempt to connect after close 4500"),
        ("loops", "revoked-for-good", "stops_after failed"),
        ("hasty", "retry-later", "waits_at_least failed: the client waited"),
        ("hasty", "request-twice", "single_flight failed: a second token was presented"),
        ("hasty", "provider-busy", "waits_at_least failed: the client waited"),
        ("asks-once", "failing-provider", "look at what the client does when its request for a token fails"),
        ("loops", "provider-refuses", "provider calls, where 6 may be"),
        ("loops", "token-refused", "refreshes, where 3 may be"),
        ("loops", "forbidden", "no_attempt_after_terminal failed"),
        ("in-step", "restart", "backoff_has_jitter failed: waits after closed differ by"),
        ("in-step", "return-band", "backoff_has_jitter failed: waits after closed differ by"),
        ("insists", "expired-in-request", "requests of its own, where 10 may be"),
        ("believes-its-clock", "wrong-clock", "provider calls, where 4 may be"),
        ("leaks", "late-end", "the client has 2 connections, where it is to have 1"),
        ("silent", "refresh-at-expiry", "refreshed_in_time failed: the connection ended before its request was answered"),
        ("silent", "refresh-at-lead", "refreshed_in_time failed: the connection ended before its request was answered"),
    ],
)
def test_a_client_that_does_one_thing_wrong_fails_what_shows_it(runs, request, kind, behaviour, sentence):
    done, folder = runs[request.node.callspec.id].result()
    if verdicts(done) == {behaviour: "undecided"} and "the machine was" in done.stdout:
        # The output says so, and accuses no client.
        return
    assert done.returncode == 1, done.stdout + done.stderr
    assert verdicts(done) == {behaviour: "failed"} and sentence in done.stdout
    (failure,) = xml.etree.ElementTree.parse(folder / "results.xml").getroot().iter("failure")
    assert sentence in failure.get("message") and sentence in failure.text
    assert re.search(r"^    \d+  \d+\.\d{3} s  \w+", failure.text, re.MULTILINE), "no line proves it"
    journal = (folder / f"{behaviour}.jsonl").read_text()
    assert '"kind":"logged_in"' in journal and "eyJ" not in journal


@pytest.fixture(scope="module")
def endless(host):
    """The run of a client that only prints without end. It gets half a minute."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        yield pool.submit(conform, host, "yes is what it says; exit 1", "refresh-at-expiry")


@pytest.fixture(scope="module")
def runs(host, request, tmp_path_factory):
    """The runs of all clients that do one thing wrong, and the folder of each with its results."""

    def run(kind, behaviour, sentence):
        folder = tmp_path_factory.mktemp(kind)
        return conform(host, command(kind), behaviour, flags=["--junit", folder / "results.xml", "--journals", folder]), folder

    with working(request, test_a_client_that_does_one_thing_wrong_fails_what_shows_it, run, 4) as runs:
        yield runs


def test_a_client_that_will_not_end_is_ended_with_all_that_it_has_started(host):
    mark = uuid.uuid4().hex
    done = conform(host, command("stubborn", mark), "refresh-at-expiry")
    assert is_passed(done), done.stdout
    # A process that has been killed ends when it gets a processor.
    until(lambda: processes(mark) == [])


def test_posterns_own_client_can_be_run_as_it_is_typed(host):
    done = conform(host, f"exec {shlex.quote(os.environ['POSTERN'])} connect", "refresh-at-expiry", "refresh-at-lead")
    assert done.returncode == 0, done.stdout + done.stderr
    slow = "the machine was" in done.stdout
    assert all(verdict == "passed" or slow for verdict in verdicts(done).values()), done.stdout


def test_a_client_that_ends_at_once_is_seen_to_have_ended(host):
    done = conform(host, "echo no such client >&2; exit 3", "refresh-at-expiry")
    assert done.returncode == 1
    assert "the client's process ended before that: the client did not log in within 30 s" in done.stdout
    assert "1 of 1: " in done.stderr
    assert "| no such client" in done.stdout and "ended by itself, with status 3" in done.stdout


@pytest.mark.parametrize("run", ["/nowhere/client", "/etc/hostname", "no-such-program-anywhere"])
def test_a_command_that_cannot_start_ends_the_run_at_once_with_status_2(host, run):
    began = time.monotonic()
    done = conform(host, run, flags=("--jobs", "2"))
    assert done.returncode == 2 and "--run: the command cannot start: " in done.stderr and done.stdout == "", done
    assert time.monotonic() - began < 60


def test_a_list_that_is_not_read_to_its_end_ends_quietly():
    line = '"$0" ctl conform --list | head -1'
    done = subprocess.run(
        ["bash", "-c", f"{line}; echo ${{PIPESTATUS[0]}}", os.environ["POSTERN"]], capture_output=True, text=True, timeout=90)
    assert done.stderr == "" and done.stdout.splitlines()[-1] == "0" and "refresh-at-lead" in done.stdout, done


def test_a_client_of_another_user_is_not_the_one_that_is_judged(host):
    done = conform(host, command("somebody-else"), "refresh-at-expiry")
    assert verdicts(done) == {"refresh-at-expiry": "failed"}
    assert "the client did not log in within 30 s" in done.stdout, done.stdout


def test_a_client_that_prints_without_end_is_heard_to_its_last_words_only(host):
    done = conform(host, command("chatty"), "refresh-at-expiry")
    assert is_passed(done), done.stdout


def test_a_client_that_prints_and_never_logs_in_is_given_up(endless):
    done = endless.result()
    assert verdicts(done) == {"refresh-at-expiry": "failed"}
    assert "| is what it says" in done.stdout and len(done.stdout) < 20_000


def await_processes(run, mark):
    """Waits until a client with this mark runs. The command that runs it has the mark too."""
    end = time.monotonic() + 60
    while len(processes(mark)) < 2:
        assert time.monotonic() < end and run.poll() is None
        time.sleep(0.05)


def test_a_run_that_is_stopped_ends_its_clients(host):
    mark = uuid.uuid4().hex
    run = subprocess.Popen(
        arguments(host, command("good", mark), "--only", "revoked-for-good", "--only", "restart", "--jobs", "1"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    await_processes(run, mark)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 1 and "the run was stopped" in out and "1 behaviours have not been tried" in err
    until(lambda: processes(mark) == [])


def test_a_run_of_which_the_last_behaviour_was_stopped_is_no_success(host):
    mark = uuid.uuid4().hex
    run = subprocess.Popen(arguments(host, f"sleep 100; : {mark}", "--only", "restart"), stdout=subprocess.PIPE, text=True)
    await_processes(run, mark)
    run.send_signal(signal.SIGTERM)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 1 and "the run was stopped" in out, out


@pytest.mark.parametrize(
    "flags, told",
    [
        (["--only", "nothing"], "one of refresh-at-lead"), (["--dialect", "morse"], "one of plain, "), (["--dialect", "sendbrid"], "did you mean 'sendbird'?"),
        (["--only", "refresh-at-expirry"], "did you mean 'refresh-at-expiry'?"),
        (["--jobs", "0"], "1 to 64"), (["--space", "t1"], "has no effect with ctl conform"),
        (["--junit", "/nowhere/results.xml"], "there is no such directory"), (["--junit", "/"], "is a directory"),
        (["--journals", "/dev/null"], "a folder"), (["--journals", "/proc/nowhere"], "a folder"),
    ],
)
def test_a_wrong_request_is_reported(host, flags, told):
    done = conform(host, "true", flags=flags, patience=90)
    assert done.returncode == 2 and told in done.stderr


def test_the_old_name_of_a_behaviour_is_accepted_with_a_notice():
    done = subprocess.run(
        [os.environ["POSTERN"], "ctl", "conform", "--list", "--only", "cut-off-by-time-out"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("cut-off-by-timeout (E2, P1, R10): "), done
    assert "its name is cut-off-by-timeout now" in done.stderr


def test_a_run_needs_a_client_and_a_gateway_with_spaces(host, gateway):
    bare = subprocess.run(
        [os.environ["POSTERN"], "ctl", "conform", "--url", host.control_url], capture_output=True, text=True, timeout=90)
    assert bare.returncode == 2 and "--run COMMAND" in bare.stderr
    done = conform(gateway, "true", patience=90)
    assert done.returncode == 1 and "start it with --spaces" in done.stderr
    host_gone = subprocess.run(
        [os.environ["POSTERN"], "ctl", "conform", "--url", "http://127.0.0.1:1", "--run", "true"], capture_output=True,
        text=True, timeout=300)
    assert host_gone.returncode == 1 and "no gateway answers" in host_gone.stderr

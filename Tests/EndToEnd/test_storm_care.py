"""Storms of systems that are not this machine. 0.0.0.0 is not one of its names, but leads here."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

import storms
from gateway import Gateway
from http_server import HTTPServer
from storms import run, value

TOKENS = str(Path(__file__).resolve().parents[2] / "Deploy" / "tokens" / "postern.json")
THEIRS = ["--i-may-storm", "0.0.0.0"]
STORM = ["--clients", "60", "--hold", "3s", "--refresh-timeout", "10s", "--rate", "200"]


@pytest.fixture(scope="module")
def gateway():
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "10s") as gateway:
        yield gateway


def headers(endpoint):
    return [request.headers for request in endpoint.requests]


def theirs(gateway):
    return f"ws://0.0.0.0:{gateway.port}"


def test_one_client_goes_first_and_the_fleet_follows(gateway):
    report = run("--url", theirs(gateway), *THEIRS, *STORM)
    assert report["passes"] and value(report, "connects.ok") == 60
    assert report["plan"]["fetch_rate"] == 50 and value(report, "provider.login_peak") <= 55 * (1 + value(report, "generator.late.max"))


def test_no_fleet_starts_if_the_first_client_is_refused(gateway):
    with HTTPServer(lambda _: (200, b'{"wrong": 1}')) as endpoint:
        command = [os.environ["POSTERN"], "storm", "--url", theirs(gateway)]
        command += ["--provider", f"http://0.0.0.0:{endpoint.port}", *THEIRS, *STORM]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr.count("\n") == 1 and "could not log in: provider_no_token" in done.stderr
        assert len(endpoint.requests) == 1
        fields = {name.lower(): text for name, text in endpoint.requests[0].headers.items()}
        assert fields["user-agent"].startswith("postern-storm/") and len(fields["postern-storm"]) == 16


@pytest.mark.parametrize("processes", ["1", "2"])
def test_all_parts_of_a_run_have_one_name_and_only_this_machine_is_spared_it(gateway, processes):
    def stormed(endpoint, *more):
        flags = ["--url", gateway.url, "--provider", endpoint.url, "--clients", "20"]
        return run(*flags, "--processes", processes, "--timeout", "6s", *more, expected=(1,))

    with HTTPServer(lambda _: (500, b"")) as endpoint:
        report = stormed(endpoint)
        names = {fields.get("postern-storm") or fields.get("Postern-Storm") for fields in headers(endpoint)}
        assert names == {report["run"]}
    # Its own endpoint: a call of the first storm may arrive after that storm's end.
    with HTTPServer(lambda _: (500, b"")) as endpoint:
        assert "run" not in stormed(endpoint, "--unmarked")
        assert endpoint.requests
        for fields in headers(endpoint):
            assert not {"postern-storm", "user-agent"} & {name.lower() for name in fields}


def test_a_storm_that_meets_nothing_but_failures_ends_itself_and_says_why(gateway):
    # The first call is that of the single client that goes ahead.
    with HTTPServer(lambda _: (500, b"")) as endpoint:
        report = run(
            "--url", gateway.url, "--provider", endpoint.url, "--clients", "100", "--rate", "20",
            "--stop-when", "provider.refused.share > 50% over 2s", expected=(1,),
        )
        # All hundred would have come in five seconds, and tried for a minute. How soon after two seconds it ends depends on the
        # machine.
        assert report["result"]["seconds"] < 30 and not report["result"]["was_interrupted"]
        assert any("brought no token within 2.00 s" in caveat for caveat in report["caveats"])


def test_the_first_failure_is_told_while_clients_still_try(gateway):
    with HTTPServer(lambda _: (200, b'{"access_token": "x"}')) as endpoint:
        storm = storms.Running(
            "--url", gateway.url, "--provider", endpoint.url, "--clients", "5", "--timeout", "60s"
        )
        with storm:
            start = time.monotonic()
            line = storm.process.stderr.readline()
            assert "no token for a login, no_token" in line
            # It goes on until its time is over.
            assert storm.process.poll() is None and time.monotonic() - start < 59


def test_calls_of_the_endpoint_keep_to_their_rate(gateway):
    with HTTPServer(lambda _: (403, b"")) as endpoint:
        report = run("--url", gateway.url, "--provider", endpoint.url, "--clients", "60", "--rate", "500",
            "--fetch-rate", "20", "--timeout", "60s", expected=(1,))
        assert len(endpoint.requests) == 60
    # By the storm's own clock: how late calls arrive depends on the machine.
    assert value(report, "provider.login_peak") <= 22 * (1 + value(report, "generator.late.max"))


@pytest.mark.parametrize("endpoint", ["nobody listens", "no token in its answers"])
def test_a_storm_of_this_machine_ends_itself_if_no_try_can_bring_a_token(endpoint, tmp_path):
    with HTTPServer(lambda _: (200, b'{"acces": "x"}')) as server:
        url = server.url if endpoint == "no token in its answers" else "http://127.0.0.1:1"
        command = ["storm", "--provider-only", "--tokens", TOKENS, "--provider", url, "--clients", "200", "--report", tmp_path]
        began = time.monotonic()
        done = subprocess.run([os.environ["POSTERN"], *command], capture_output=True, text=True, timeout=120)
        assert done.returncode == 1 and time.monotonic() - began < 40, "without a rule it tries for 50 s"
    report = json.loads((tmp_path / "storm.json").read_text())
    # Calls in flight are counted in the report too.
    told = re.fullmatch(r"none of (\d+) calls of the token provider brought a token, the first: .*", report["result"]["stopped"])
    assert told and 10 <= int(told[1]) <= value(report, "provider.calls") and told[0] in done.stdout
    assert ("Connection refused" in done.stdout) == (endpoint == "nobody listens")
    assert "--stop-when never" in done.stdout


def test_a_storm_continues_without_tokens_if_a_flag_says_so():
    flags = ["--clients", "20", "--timeout", "6s", "--stop-when", "never"]
    report = run("--provider-only", "--tokens", TOKENS, "--provider", "http://127.0.0.1:1", *flags, expected=(1,))
    assert "stopped" not in report["result"] and report["result"]["seconds"] >= 5.9

"""`postern ctl conform` and clients that are right or wrong on purpose: nobody right fails, and nobody wrong passes.

`--conform-runs 20` holds each client to each behaviour twenty times."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from at_once import working
from gateway import Gateway

CLIENT = Path(__file__).with_name("corpus_client.py")
DIALECTS = {"asking": "plain", "timer": "plain", "returning": "stream-video"}
RENEWALS = ["refresh-at-expiry", "refresh-after-revocation", "keys-withdrawn", "short-life", "refresh-all-day"]
# What a client does that gets its first token from its provider was failed where the first call was counted too.
BEGINNINGS = ["provider-silent", "cut-off-by-time-out", "turned-away-once", "lost-while-asking"]
REFUSALS = ["revoked-and-closed", "expired-token", "expired-while-away", "token-of-another"]
# A wire without refreshes refuses no token on the connection.
RETURN_REFUSALS = [name for name in REFUSALS if name != "token-of-another"]

RIGHT = [
    ("asking", "good", RENEWALS + ["failing-provider", "closed-for-good", "expired-token"]),
    ("asking", "at-provider", BEGINNINGS + ["refresh-at-expiry", "expired-token"]),
    ("timer", "good", RENEWALS + REFUSALS),
    ("timer", "patient", ["refresh-at-expiry", "restart", "provider-busy"]),
    ("returning", "good", RENEWALS + RETURN_REFUSALS + ["same-token", "provider-busy", "failing-provider"]),
    ("returning", "at-provider", BEGINNINGS + RENEWALS),
    ("returning", "stale-once", ["refresh-at-expiry", "revoked-and-closed", "expired-while-away"]),
]
WRONG = [
    ("asking", "asks-twice", RENEWALS),
    ("asking", "asks-ahead", ["refresh-at-expiry", "refresh-all-day"]),
    ("asking", "growing", ["restart"]),
    ("asking", "in-step", ["restart"]),
    ("asking", "hammers", ["failing-provider"]),
    ("asking", "silent", ["refresh-at-expiry", "short-life"]),
    ("asking", "loops", ["closed-for-good", "forbidden"]),
    ("timer", "asks-twice", ["refresh-at-expiry", "refresh-all-day"]),
    ("timer", "many-at-once", ["lost-while-asking", "cut-off-by-time-out"]),
    ("returning", "asks-twice", RENEWALS),
    ("returning", "many-at-once", ["refresh-at-expiry", "refresh-all-day"]),
    ("returning", "keeps-token", ["revoked-and-closed", "refresh-all-day"]),
    ("returning", "hammers", ["failing-provider", "same-token"]),
    ("returning", "silent", ["refresh-all-day"]),
]


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def runs(host, request):
    with working(request, test_nobody_right_fails_and_nobody_wrong_passes, run_of(host), 4) as runs:
        yield runs


def run_of(host):
    def run(wire, kind, behaviours, is_right):
        command = shlex.join(["exec", sys.executable, str(CLIENT), wire, kind])
        chosen = [part for name in behaviours for part in ("--only", name)]
        return subprocess.run(
            [os.environ["POSTERN"], "ctl", "conform", "--url", host.control_url, "--dialect", DIALECTS[wire], "--run", command,
             "--jobs", "6", *chosen],
            capture_output=True, text=True, timeout=600, errors="replace")

    return run


def verdicts(done):
    rows = done.stdout.split("\n\n")[0].splitlines()[1:]
    words = ("passed", "failed", "undecided", "not applicable")
    return {row.split()[0]: next(word for word in words if f"  {word}" in row) for row in rows}


def cases():
    for clients, is_right in ((RIGHT, True), (WRONG, False)):
        for wire, kind, behaviours in clients:
            name = f"{'right' if is_right else 'wrong'}-{wire}-{kind}"
            yield pytest.param(wire, kind, behaviours, is_right, id=name)


@pytest.mark.parametrize("wire, kind, behaviours, is_right", list(cases()))
def test_nobody_right_fails_and_nobody_wrong_passes(host, runs, request, wire, kind, behaviours, is_right):
    name = request.node.callspec.id
    for number in range(request.config.getoption("--conform-runs")):
        # The first has begun with those of the others.
        done = runs[name].result() if number == 0 else run_of(host)(wire, kind, behaviours, is_right)
        told = verdicts(done)
        assert list(told) and set(told) == set(behaviours), done.stdout + done.stderr
        slow = "the machine was" in done.stdout
        for behaviour, verdict in told.items():
            if is_right:
                assert verdict == "passed" or (verdict == "undecided" and slow), done.stdout
            else:
                assert verdict == "failed" or (verdict == "undecided" and slow), done.stdout

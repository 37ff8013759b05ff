"""`postern ctl conform` and clients that are correct or faulty on purpose: no correct client fails, and no faulty one passes.

`--conform-runs 20` holds each client to each behaviour twenty times, with the long ones that are left out otherwise."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from at_once import working
from conformance import chosen, verdicts
from gateway import Gateway

CLIENT = Path(__file__).with_name("corpus_client.py")
DIALECTS = {"asking": "plain", "timer": "plain", "returning": "stream-video"}

# By the kind of client, in the order of `ctl conform --list`. The later ones are of wires that ask for a token.
RENEWALS = ["refresh-at-expiry", "refresh-after-revocation", "keys-withdrawn", "short-life", "refresh-all-day"]
ASKED = ["refresh-at-lead", "very-long-life"]
# Behaviours that failed clients with a first token from their provider, when the first call was counted too.
BEGINNINGS = ["dead-on-arrival", "provider-silent", "cut-off-by-timeout", "turned-away-once", "lost-while-asking"]
REFUSALS = ["revoked-and-closed", "expired-token", "expired-while-away", "malformed-token", "early-token"]
ASKED_REFUSALS = ["token-of-another", "token-refused", "refused-for-now"]
PROVIDERS = ["failing-provider", "provider-refuses", "provider-busy", "same-token"]
MESSAGES = ["request-lost", "request-twice", "reply-lost", "reply-late", "reply-twice", "unknown-message", "slow-line", "last-tick"]
RETURNS = ["restart", "going-away", "overload", "connection-reset", "return-band"]
LOST = ["half-open", "unfinished-close", "never-answered", "welcome-lost", "short-silence", "late-end"]
ENDS = ["closed-for-good", "closed-by-policy", "forbidden", "wrong-family", "refused-in-words", "retry-later", "wrong-clock"]
ASKED_ENDS = ["refresh-signalled", "grace-runs-out", "closed-before-reply"]
ALL = [*RENEWALS, *BEGINNINGS, *REFUSALS, *PROVIDERS, *RETURNS, *LOST, *ENDS, "revoked-for-good"]
ALL_ASKED = [*ALL, *ASKED, *ASKED_REFUSALS, *MESSAGES, *ASKED_ENDS]

# Runs that take a quarter of a minute each are left to `--conform-runs`.
LONG = {
    "failing-provider", "provider-refuses", "provider-silent", "same-token", "token-refused", "going-away", "overload",
    "connection-reset", "late-end", "half-open", "return-band", "request-lost", "very-long-life", "revoked-for-good",
}
# Except these clients, which are quick at something else.
SHORT = {("asking", "patient"), ("returning", "patient"), ("asking", "loops"), ("returning", "loops")}
# If a client of two kinds does the same, it is tried once.
ALIKE = {("timer", "good"): [*RENEWALS, *REFUSALS]}

RIGHT = [
    ("asking", "good", ALL_ASKED),
    ("asking", "at-provider", [*BEGINNINGS, "refresh-at-expiry", "expired-token", "revoked-for-good"]),
    ("asking", "patient", ["revoked-for-good", "restart", "closed-for-good"]),
    # A client that reconnects within milliseconds was back before its token had been ended.
    ("asking", "prompt", ["expired-while-away", "revoked-and-closed", "refresh-at-expiry"]),
    ("timer", "good", ALL_ASKED),
    ("timer", "at-provider", [*BEGINNINGS, "refresh-at-expiry", "refresh-all-day"]),
    ("timer", "patient", ["refresh-at-expiry", "restart", "provider-busy"]),
    ("returning", "good", ALL),
    ("returning", "at-provider", [*BEGINNINGS, *RENEWALS]),
    ("returning", "patient", ["revoked-for-good", "restart", "refresh-at-expiry"]),
    ("returning", "prompt", ["expired-while-away", "revoked-and-closed", "refresh-at-expiry"]),
    ("returning", "stale-once", ["refresh-at-expiry", "revoked-and-closed", "expired-while-away"]),
]
WRONG = [
    ("asking", "asks-twice", [*RENEWALS, *ASKED, "request-twice", "reply-lost", "reply-late", "reply-twice", "slow-line", "last-tick"]),
    ("asking", "asks-ahead", ["refresh-at-expiry", "refresh-all-day"]),
    ("asking", "many-at-once", [
        "lost-while-asking", "cut-off-by-timeout", "provider-silent", "provider-busy", "provider-refuses", "expired-token",
        "malformed-token", "early-token", "token-of-another", "token-refused", "wrong-clock"]),
    ("asking", "growing", ["restart"]),
    ("asking", "in-step", ["restart"]),
    ("asking", "hammers", [*RETURNS, "failing-provider", "revoked-for-good", "same-token"]),
    ("asking", "silent", ["refresh-at-expiry", "refresh-at-lead", "short-life", "refused-for-now"]),
    ("asking", "keeps-token", ["dead-on-arrival", "expired-while-away", "revoked-and-closed", "turned-away-once"]),
    ("asking", "loops", ["closed-for-good", "closed-by-policy", "forbidden", "revoked-for-good"]),
    ("asking", "stays-away", [
        "half-open", "unfinished-close", "never-answered", "welcome-lost", "wrong-family", "closed-before-reply", "refused-in-words",
        "request-lost", "refresh-signalled", "grace-runs-out"]),
    ("asking", "deaf", ["half-open", "never-answered", "welcome-lost"]),
    ("asking", "hasty", ["retry-later", "provider-busy"]),
    ("asking", "leaks", ["short-silence", "late-end"]),
    ("asking", "strict", ["unknown-message"]),
    ("timer", "asks-twice", ["refresh-at-expiry", "refresh-all-day"]),
    ("timer", "many-at-once", ["lost-while-asking", "cut-off-by-timeout"]),
    ("timer", "silent", ["refresh-at-expiry", "short-life"]),
    ("timer", "loops", ["closed-for-good", "forbidden"]),
    ("timer", "stays-away", ["restart", "never-answered"]),
    ("returning", "asks-twice", RENEWALS),
    ("returning", "many-at-once", ["refresh-at-expiry", "refresh-all-day", "lost-while-asking"]),
    ("returning", "keeps-token", [
        "dead-on-arrival", "refresh-at-expiry", "expired-while-away", "revoked-and-closed", "refresh-all-day",
        "turned-away-once", "wrong-clock", "revoked-for-good"]),
    ("returning", "hammers", [*RETURNS, "failing-provider", "same-token", "revoked-for-good"]),
    ("returning", "silent", [
        *RENEWALS, "cut-off-by-timeout", "provider-silent", "provider-busy", "provider-refuses", "expired-token",
        "malformed-token", "early-token"]),
    ("returning", "loops", ["closed-for-good", "closed-by-policy", "forbidden", "revoked-for-good"]),
    ("returning", "stays-away", [
        "half-open", "unfinished-close", "never-answered", "welcome-lost", "wrong-family", "refused-in-words"]),
    ("returning", "deaf", ["half-open", "never-answered", "welcome-lost"]),
    ("returning", "hasty", ["retry-later", "provider-busy"]),
    ("returning", "leaks", ["short-silence", "late-end"]),
]


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def runs(host, request):
    with working(request, test_no_correct_client_fails_and_no_faulty_client_passes, run_of(host), 6) as runs:
        yield runs


def run_of(host):
    def run(wire, kind, behaviours, is_right):
        command = shlex.join(["exec", sys.executable, str(CLIENT), wire, kind])
        return subprocess.run(
            [os.environ["POSTERN"], "ctl", "conform", "--url", host.control_url, "--dialect", DIALECTS[wire], "--run", command,
             "--jobs", "6", *chosen(behaviours)],
            capture_output=True, text=True, timeout=1200, errors="replace")

    return run


def cases(config):
    is_long = config.getoption("--conform-runs") > 1
    for clients, is_right in ((RIGHT, True), (WRONG, False)):
        for wire, kind, behaviours in clients:
            # The run waits for a deaf client until its time is over.
            quick = ALIKE.get((wire, kind), behaviours)
            tried = [name for name in behaviours if is_long or (name in quick and (name not in LONG or (wire, kind) in SHORT))]
            name = f"{'right' if is_right else 'wrong'}-{wire}-{kind}"
            if tried and (is_long or kind != "deaf"):
                yield pytest.param(wire, kind, tried, is_right, id=name)


def pytest_generate_tests(metafunc):
    if "behaviours" in metafunc.fixturenames:
        metafunc.parametrize("wire, kind, behaviours, is_right", list(cases(metafunc.config)))


def test_no_correct_client_fails_and_no_faulty_client_passes(host, runs, request, wire, kind, behaviours, is_right):
    name = request.node.callspec.id
    for number in range(request.config.getoption("--conform-runs")):
        # The first has started with the runs of the others.
        done = runs[name].result() if number == 0 else run_of(host)(wire, kind, behaviours, is_right)
        told = verdicts(done)
        assert list(told) and set(told) == set(behaviours), done.stdout + done.stderr
        slow = "the machine was" in done.stdout
        for behaviour, verdict in told.items():
            if is_right:
                assert verdict == "passed" or (verdict == "undecided" and slow), done.stdout
            else:
                assert verdict == "failed" or (verdict == "undecided" and slow), done.stdout

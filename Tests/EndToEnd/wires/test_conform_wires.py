"""`postern ctl conform --wire`: unmodified clients of described wires, and applications that are wrong on purpose."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from at_once import working
from conformance import chosen, verdicts
from gateway import Gateway

CLIENT = Path(__file__).parents[1] / "wire_client.py"

# Each wire renews in a way of its own: on a timer, by coming back, and by coming back with the token in the upgrade.
RIGHT = [
    ("centrifugo", "centrifuge", [
        "refresh-at-expiry", "refresh-all-day", "very-long-life", "dead-on-arrival", "expired-while-away", "lost-while-asking",
        "revoked-and-closed", "provider-busy", "expired-token", "restart", "closed-for-good"]),
    ("socketio", "socketio", [
        "refresh-at-expiry", "refresh-all-day", "dead-on-arrival", "expired-while-away", "revoked-and-closed", "provider-busy",
        "expired-token", "restart"]),
    ("close-4401", "websockets", [
        "refresh-at-expiry", "refresh-all-day", "expired-while-away", "revoked-and-closed", "provider-busy", "expired-token",
        "restart", "closed-for-good"]),
]
WRONG = [
    ("centrifugo", "centrifuge", "twice", ["refresh-at-expiry", "refresh-all-day"]),
    ("centrifugo", "centrifuge", "at-once", ["refresh-at-expiry"]),
    ("centrifugo", "centrifuge", "at-once-again", ["lost-while-asking"]),
    ("centrifugo", "centrifuge", "silent", ["refresh-at-expiry", "expired-token"]),
    ("socketio", "socketio", "twice", ["refresh-at-expiry", "refresh-all-day"]),
    ("socketio", "socketio", "at-once", ["refresh-at-expiry"]),
    ("socketio", "socketio", "stays-away", ["restart", "refresh-at-expiry"]),
    ("close-4401", "websockets", "old", ["refresh-at-expiry", "revoked-and-closed"]),
    ("close-4401", "websockets", "twice", ["refresh-at-expiry"]),
    ("close-4401", "websockets", "loops", ["closed-for-good"]),
]
CASES = [
    *(pytest.param(wire, library, "", behaviours, "passed", id=f"right-{wire}") for wire, library, behaviours in RIGHT),
    *(pytest.param(wire, library, fault, behaviours, "failed", id=f"wrong-{wire}-{fault}") for wire, library, fault, behaviours in WRONG),
]


def conform(host, wire, *flags):
    return subprocess.run(
        [os.environ["POSTERN"], "ctl", "conform", "--url", host.control_url, "--wire", wire, *flags],
        capture_output=True, text=True, timeout=900, errors="replace")


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def runs(host, request):
    def run(wire, library, fault, behaviours, wanted):
        command = shlex.join(["exec", sys.executable, str(CLIENT), library, *filter(None, [fault])])
        return conform(host, wire, "--run", command, "--jobs", "6", *chosen(behaviours))

    with working(request, test_a_right_client_passes_and_a_wrong_one_fails, run, 4) as runs:
        yield runs


@pytest.mark.parametrize("wire, library, fault, behaviours, wanted", CASES)
def test_a_right_client_passes_and_a_wrong_one_fails(runs, request, wire, library, fault, behaviours, wanted):
    done = runs[request.node.callspec.id].result()
    told = verdicts(done)
    assert set(told) == set(behaviours), done.stdout + done.stderr
    slow = "the machine was" in done.stdout
    assert all(verdict == wanted or (verdict == "undecided" and slow) for verdict in told.values()), done.stdout


def test_a_behaviour_that_a_wire_cannot_show_is_not_applicable_with_a_reason(host):
    names = {
        "refresh-at-lead": "renew on a timer",
        "malformed-token": "refuses a bad token for good",
        "forbidden": "does not say what an upgrade refused with 403 means",
        "closed-by-policy": "means retry",
        "unknown-message": "built-in dialect",
    }
    done = conform(host, "centrifugo", "--run", "sleep 60", *chosen(names))
    assert done.returncode == 0 and set(verdicts(done).values()) == {"not applicable"}, done.stdout + done.stderr
    for name, reason in names.items():
        assert any(line.startswith(f"{name}: ") and reason in line for line in done.stdout.splitlines()), done.stdout


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--dialect", "plain"], "--dialect"),
        (["--template-secret", "a=b"], "b"),
    ],
    ids=["dialect", "secret"],
)
def test_flags_that_do_not_go_together_are_refused(host, flags, told):
    done = conform(host, "centrifugo", "--run", "true", *flags)
    assert done.returncode == 2 and told in done.stderr, done.stderr


def test_a_description_that_cannot_be_played_is_refused_before_a_client_starts(host, tmp_path):
    path = tmp_path / "bare.json"
    path.write_text('{"wire": 1, "name": "bare", "connect": {"path": "/"}, "say": {"login": {"text": "{{token}}"}}, "at_open": {"say": "login"}, '
                    '"hear": [{"when": {"text": "in"}, "is": "logged_in"}]}')
    done = conform(host, str(path), "--run", "true")
    assert done.returncode == 2 and "nobody can play the gateway" in done.stderr, done.stderr

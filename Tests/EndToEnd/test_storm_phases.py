"""The counts of a scenario's phases, compared with a relay between storm and gateway that counts by the time of day."""

import contextlib
import json
import time

import pytest

import storms
from gateway import Gateway
from test_workers import secret, worker  # noqa: F401
from wiretap import Wiretap

PHASES = [
    {"name": "calm", "for_s": 1.5},
    {"name": "revoked", "for_s": 2, "order": "revoke"},
    {"name": "again", "for_s": 2, "order": "revoke"},
    {"name": "restart", "for_s": 2, "order": "restart"},
]
BOOKS = {
    "refresh.asked": ("gateway", "refresh_required"),
    "refresh.accepted": ("gateway", "refreshed"),
    "cut_off": ("gateway closes", 1012),
}
# The effect of an order, and the phase that gave it.
CAUSED = [("refresh.asked", 1), ("refresh.accepted", 1), ("cut_off", 3)]
CLIENTS = 40
# In seconds: how long a message may be in flight between the relay and a storm that is never late itself.
UNDER_WAY = 1


@contextlib.contextmanager
def kinds_of_storm(kind, secret):  # noqa: F811
    """The flags of a storm in one process, in several, or on workers."""
    if kind == "workers":
        with worker(secret) as (one, _), worker(secret) as (other, _):
            yield ["--worker", one, "--worker", other, "--worker-secret-file", secret]
    else:
        yield {"loops": ["--loops", "2"], "processes": ["--processes", "2"]}[kind]


@pytest.mark.parametrize("kind", ["loops", "processes", "workers"])
def test_a_phase_counts_what_a_relay_saw_between_its_boundaries(kind, tmp_path, secret):  # noqa: F811
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps({"phases": PHASES}))
    flags = ["--any-refresh-timeout", "--refresh-timeout", "60s"]
    with Gateway(*flags, loops=1) as gateway, Wiretap(gateway.port) as tap, kinds_of_storm(kind, secret) as more:
        # By then every process of the storm is there.
        start = time.time() + 10
        offset = time.monotonic() - time.time()
        report = storms.run(
            "--url", f"ws://127.0.0.1:{tap.port}", "--control-url", gateway.control_url, "--clients", str(CLIENTS),
            "--rate", "400", "--hold", "60s", "--life", "10m", "--reconnect", "--scenario", str(file),
            "--start-at", f"{start:.3f}", "--threshold", "lost == 0", *more)
    boundaries = [start + offset + phase["from_s"] for phase in report["phases"]]
    assert [phase["name"] for phase in report["phases"]] == [phase["name"] for phase in PHASES]
    counted = {name: [phase["figures"][name]["value"] or 0 for phase in report["phases"]] for name in BOOKS}
    for name, book in BOOKS.items():
        times = tap.times[book]
        # None is lost or counted twice, in any phase.
        assert len(times) == storms.value(report, name) == sum(counted[name]), (name, len(times), counted)
    for name, first in CAUSED:
        # The phase began before the order, so nothing that the order caused is counted before it.
        assert tap.times[BOOKS[name]] and min(tap.times[BOOKS[name]]) >= boundaries[first], name
        assert sum(counted[name][:first]) == 0, (name, counted)
    late = storms.value(report, "generator.late.max") + tap.late + UNDER_WAY
    for number, boundary in enumerate(boundaries[1:], 1):
        for name, book in BOOKS.items():
            times = tap.times[book]
            if not any(boundary - late <= moment < boundary for moment in times):
                # Nothing was in flight when the phase began, so both sides have the same counts.
                seen = sum(moment < boundary for moment in times)
                assert sum(counted[name][:number]) == seen, (name, number, counted, seen)

"""Outages of the token provider: simulated fleets against an independent count, and the outage that tips one by that count."""

import json
import os
import random
import subprocess

import pytest

import outage_model


def simulate(tmp_path, scenario):
    """What the model counts, of `postern simulate`; and when the fleet had recovered."""
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", str(file), "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1), (done.returncode, done.stdout[-2000:], done.stderr)
    report = json.loads(done.stdout)
    seen = {name: figure["value"] for name, figure in report["figures"].items()}
    queue, refused = report["result"]["queue"], report["result"]["provider"]["refused"]
    seen |= {name: queue[name] for name in ("made", "made_for_nobody", "length_peak")}
    return seen | {name: refused.get(name, 0) for name in ("http_503", "timed_out")}


def fleet(seed, share, **provider):
    """A fleet whose provider is away for that share of the time that clients wait, without randomness."""
    chance = random.Random(seed)
    load, life, patience = chance.choice([0.4, 0.5, 0.6]), chance.choice([61.3, 83.9]), chance.choice([4.3, 6.1])
    clients = round(10 * load * life)
    return {
        "clients": clients, "rate": clients / life, "expiry": "own", "life_s": life, "waves": 1000,
        "gateway": {"refresh_timeout_s": 1800},
        "client": {
            "fetch_timeout_s": patience, "login_tries": 1_000_000, "reconnect": True,
            "backoff": {"kind": "fixed", "base_s": chance.choice([0.537, 1.733])}},
        "provider": {
            "concurrency": 1, "latency_ms": 100, "queue_max": 200, "abandoned": "serve",
            "pauses": [{"at_s": 100.03, "for_s": round(share * patience, 3)}], **provider},
        "world": {"latency_ms": 7.1, "duration_s": 250, "seed": seed},
    }


@pytest.mark.parametrize("change", [
    {}, {"abandoned": "drop"}, {"queue_max": 30}, {"concurrency": 3, "latency_ms": 290},
    {"pauses": [{"at_s": 90.03, "for_s": 20, "refuses": True}, {"at_s": 150.01, "for_s": 4}]},
], ids=["long-queue", "drop", "short-queue", "places", "refuses"])
@pytest.mark.parametrize("seed", range(2))
def test_calls_timeouts_and_tokens_for_nobody_equal_an_independent_count(tmp_path, seed, change):
    scenario = fleet(seed, 1.4 + 0.7 * seed, **change)
    expected = outage_model.run(scenario)
    is_down = expected.pop("is_down")
    seen = simulate(tmp_path, scenario)
    assert {name: seen[name] for name in expected} == dict(expected), scenario
    assert (seen["recovered.after"] is None) == is_down, scenario


@pytest.mark.parametrize("seed", [1, 2])
def test_the_outage_that_tips_the_fleet_is_the_one_of_the_count(tmp_path, seed):
    recovers, tips = 0.5, 5.0
    while tips - recovers > 0.02:
        middle = (recovers + tips) / 2
        if outage_model.run(fleet(seed, middle))["is_down"]:
            tips = middle
        else:
            recovers = middle
    assert 1 < recovers < 4, recovers
    assert simulate(tmp_path, fleet(seed, recovers))["recovered.after"] is not None
    assert simulate(tmp_path, fleet(seed, tips))["recovered.after"] is None

"""Retry budgets and circuit breakers: simulated fleets against an independent count, and a real storm against the server's
count."""

import json
import os
import random
import subprocess

import pytest

import retry_model
import storms
from clients import control
from gateway import Gateway
from storms import value


def simulate(tmp_path, scenario, *flags, expected=(0, 1)):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", *flags, str(file)], capture_output=True, text=True, timeout=120)
    assert done.returncode in expected, (done.returncode, done.stdout[-2000:], done.stderr)
    return done


def draw(seed):
    """A fleet that logs in while its provider is away or full, without randomness."""
    chance = random.Random(seed)
    rule = {"per": chance.choice(["client", "fleet"])}
    if chance.random() < 0.7:
        rule["budget"] = {"deposit": chance.choice([0, 0.1, 0.25, 1.5]), "capacity": chance.choice([0, 1, 3, 20])}
    if "budget" not in rule or chance.random() < 0.5:
        of = chance.choice([1, 4, 10, 64])
        rule["breaker"] = {
            "failures": chance.randint(1, max(1, of // 2)), "of": of, "open_s": chance.choice([1.37, 7.1, 19]),
            "probes": chance.randint(1, 3),
        }
    return {
        "clients": 120, "rate": 8, "expire_after_s": 5000,
        "client": {"login_tries": 30, "backoff": {"kind": "fixed", "base_s": 1.733}, "retry": rule},
        "provider": {
            "places": 2, "latency_ms": chance.choice([3, 290]), "queue": chance.choice([0, 1, 5]),
            "pauses": [{"at_s": 1, "for_s": chance.choice([2.9, 7, 8.3]), "refuses": True}],
        },
        "world": {"latency_ms": 7.1, "duration_s": 90, "seed": seed},
    }


@pytest.mark.parametrize("seed", range(16))
def test_calls_and_held_back_calls_of_a_simulated_fleet_equal_an_independent_count(tmp_path, seed):
    scenario = draw(seed)
    report = json.loads(simulate(tmp_path, scenario, "--json").stdout)
    figures = {name: figure["value"] for name, figure in report["figures"].items()}
    expected = retry_model.run(scenario)
    assert {name: figures[name] for name in expected} == expected, scenario
    assert expected["provider.granted"] > 0


def test_a_storm_holds_the_calls_back_that_its_budget_does_not_allow(tmp_path):
    """The provider refuses half of all calls, so that every client retries until all budgets are spent."""
    scenario = {
        "clients": 300, "rate": 300, "hold_s": 3,
        "client": {"login_tries": 6, "backoff": {"base_s": 0.05, "cap_s": 0.2},
                   "retry": {"per": "fleet", "budget": {"deposit": 0.1, "capacity": 20}}},
    }
    file = tmp_path / "storm.json"
    file.write_text(json.dumps(scenario))
    with Gateway("--provider-failure-rate", "0.5", "--any-refresh-timeout", "--refresh-timeout", "6s") as gateway:
        report = storms.run(
            "--url", gateway.url, "--scenario", str(file), "--control-url", gateway.control_url, expected=(0, 1))
    calls, granted, held = (value(report, f"provider.{name}") for name in ("calls", "granted", "held_back"))
    assert held > 0
    # First calls belong to logins and refreshes. All calls beyond them are retries.
    retries = calls - 300 - report["result"]["provider"]["refresh_rounds"]
    assert retries <= 20 + granted // 10
    assert report["plan"]["retry"] == {"per": "fleet", "budget": {"deposit": 0.1, "capacity": 20}}


def test_a_wrong_rule_for_retries_says_its_place_and_what_would_be_right(tmp_path):
    for rule, words in (
        ({}, ["/client/retry", "\"breaker\""]), ({"per": "user", "budget": {}}, ["/client/retry/per", "client", "fleet"]),
        ({"budget": {"deposit": -1}}, ["/client/retry/budget/deposit", "0"]),
        ({"breaker": {"failures": 11, "of": 10}}, ["/client/retry/breaker/failures", "10"]),
        ({"breaker": {"open": 3}}, ["/client/retry/breaker/open", "open_s"]),
    ):
        failed = simulate(tmp_path, {"clients": 10, "client": {"retry": rule}}, expected=(2,))
        assert all(word in failed.stderr for word in words), failed.stderr


def test_backoff_compares_budgets_and_breakers_and_tells_which_keep_the_thresholds(tmp_path):
    scenario = {
        "clients": 1000, "rate": 100, "expire_after_s": 30, "life_s": 3600,
        "client": {"first_token": "in_hand"}, "provider": {"rate": 20, "queue": 100, "failures": 0.1},
        "thresholds": ["provider.calls <= 1000000000"],
    }
    answer = json.loads(simulate(tmp_path, scenario, "plan", "--ask", "backoff", "--json").stdout)
    names = [row["backoff"] for row in answer["rows"]]
    assert names == [
        "full", "equal", "exponential", "fixed", "full+budget", "full+budget-of-fleet", "full+breaker", "full+breaker-of-fleet"]
    calls = {row["backoff"]: row["figures"]["provider.calls"]["value"] for row in answer["rows"]}
    # A budget for each of many small clients has no effect (Brooker); one that all share has.
    assert abs(calls["full+budget"] / calls["full"] - 1) < 0.05
    assert calls["full+budget-of-fleet"] < 0.8 * calls["full"]
    assert answer["backoff"] == min(calls, key=calls.get)

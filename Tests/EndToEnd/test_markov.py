"""`postern simulate` against a second theory: absorbing Markov chains (`markov_model.py`), which share no code with it.

What a simulation must be so that a chain with discrete steps describes it:

- The fleet is small, all its clients are asked for a token in one moment, and their tokens outlive the test.
- Each request takes the provider the same time, 999 ms, and each client waits the same time after a failure: 998 ms and 2 ms on
  the way. So a refused client asks again one step of 1 s later, and a failed one two steps after its request began. The
  missing millisecond makes a place free before the next step's requests arrive; it moves no request to another step in the
  steps that such a fleet needs.
- Only the provider's failures are chance, each request by itself. Refusals carry no `Retry-After`. Clients do not give up.
- With a retry budget, clients begin one after the other, and each hears its answer before the next one asks.
"""

import concurrent.futures
import json
import os
import statistics
import subprocess

import markov_model
import pytest


def figures(tmp_path, scenario, seeds):
    """The figures of one simulation for each seed."""
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario))

    def run(seed):
        command = [os.environ["POSTERN"], "simulate", "--seed", str(seed), "--threads", "1", "--json", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode in (0, 1), done.stderr
        return {name: figure["value"] for name, figure in json.loads(done.stdout)["figures"].items()}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(run, range(1, seeds + 1)))


@pytest.mark.parametrize(
    ("clients", "places", "queue_max", "failing"), [(30, 1, 0, 0.3), (30, 2, 3, 0.4), (40, 3, 10, 0.5), (24, 1, 4, 0.2)])
def test_the_mean_time_to_recovery_is_that_of_the_chain(tmp_path, clients, places, queue_max, failing):
    scenario = {
        "clients": clients, "rate": 100_000, "expire_after_s": 2, "life_s": 36_000, "hold_s": 1,
        "gateway": {"refresh_timeout_s": 1800},
        "client": {"first_token": "in_hand", "fetch_timeout_s": 600, "backoff": {"kind": "fixed", "base_s": 0.998}},
        "provider": {
            "concurrency": places, "latency_ms": 999, "queue_max": queue_max, "failure_rate": failing, "retry_after": "none"},
        "world": {"latency_ms": 1, "duration_s": 600},
    }
    runs = figures(tmp_path, scenario, 60)
    assert all(run["refresh.accepted"] == clients for run in runs)
    chain = markov_model.Queue(clients, places, queue_max, failing)
    assert statistics.mean(run["refresh.max"] for run in runs) == pytest.approx(chain.mean(lambda _: 1), rel=0.05)
    assert statistics.mean(run["provider.calls"] for run in runs) == pytest.approx(chain.mean(lambda state: state[0]), rel=0.05)


@pytest.mark.parametrize(("clients", "capacity", "parts", "failing"), [(8, 6, 1, 0.4), (8, 4, 4, 0.25), (6, 4, 4, 0.3)])
def test_the_fleet_escapes_congestion_as_often_as_the_chain(tmp_path, clients, capacity, parts, failing):
    """The fleet's retry budget is a random walk: empty, it keeps the clients out for ever."""
    scenario = {
        "clients": clients, "rate": 20, "expire_after_s": 5000, "life_s": 36_000,
        "client": {
            "login_tries": 1000, "backoff": {"kind": "fixed", "base_s": 0.7},
            "retry": {"per": "fleet", "budget": {"deposit": 1 / parts, "capacity": capacity}}},
        "provider": {"concurrency": 1, "latency_ms": 2, "queue_max": 10, "failure_rate": failing, "retry_after": "none"},
        "world": {"latency_ms": 1, "duration_s": 12},
    }
    runs = figures(tmp_path, scenario, 240)
    chain = markov_model.Budget(clients, capacity, parts, failing)
    escaped = [run["provider.granted"] == clients for run in runs]
    assert 0.5 < statistics.mean(escaped) < 0.95
    assert statistics.mean(escaped) == pytest.approx(chain.chance(lambda state: not chain.is_stuck(state)), rel=0.05)
    assert statistics.mean(run["provider.calls"] for run in runs) == pytest.approx(chain.calls(), rel=0.05)


def test_the_chains_agree_with_what_is_known():
    # One client: the tries are geometric, and each takes two steps but the last.
    one = markov_model.Queue(1, 1, 0, 0.25)
    assert one.mean(lambda state: state[0]) == pytest.approx(4 / 3) and one.mean(lambda _: 1) == pytest.approx(2 * 4 / 3 - 1)
    # Without failures, one place and no queue serve one client in each step.
    assert markov_model.Queue(7, 1, 0, 0.0).mean(lambda _: 1) == pytest.approx(7)
    # One client with two retries and no refill to speak of.
    assert markov_model.Budget(1, 2, 1, 0.5).chance(lambda state: state[0] + state[1] == 0) == pytest.approx(1 - 0.5**3)


@pytest.mark.parametrize("failing", [0.05, 0.2, 0.5, 0.9, 1.0])
def test_the_curves_of_retries_and_budgets_are_those_that_were_published(tmp_path, failing):
    """Marc Brooker, "Fixing retries with token buckets and circuit breakers", 2022, compares clients by the share of requests
    that fail: those that do not retry, those that retry three times, and those whose successes each pay for a tenth of a retry.
    He says which load and which success each has; these are his words as formulas. His breaker stops retries alone, and
    Postern's stops all requests, so it is not compared."""
    clients = 2000

    def run(tries, **client):
        scenario = {
            "clients": clients, "rate": 400, "expire_after_s": 5000, "life_s": 36_000,
            "client": {"login_tries": tries, "backoff": {"kind": "fixed", "base_s": 0.5}, **client},
            "provider": {"concurrency": 1000, "latency_ms": 1, "queue_max": 10_000, "failure_rate": failing, "retry_after": "none"},
            "world": {"latency_ms": 1, "duration_s": 12},
        }
        (one,) = figures(tmp_path, scenario, 1)
        return one["provider.calls"] / clients, one["provider.granted"] / clients

    def near(value):
        # Chance moves the count of so many requests by less.
        return pytest.approx(value, rel=0.05, abs=0.03)

    assert run(1) == near((1, 1 - failing))
    assert run(4) == near((sum(failing**tries for tries in range(4)), 1 - failing**4))
    # The budget pays for a tenth of the successes, or for all retries if they are fewer.
    calls = min(1 / (1 - 0.1 * (1 - failing)), sum(failing**tries for tries in range(4)))
    adaptive = run(4, retry={"per": "fleet", "budget": {"deposit": 0.1, "capacity": 10}})
    assert adaptive == near((calls, min(calls * (1 - failing), 1)))

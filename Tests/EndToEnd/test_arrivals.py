"""Clients that come and go: simulated fleets against an independent count, and a real storm against a simulated one."""

import json
import os
import random
import statistics
import subprocess

import pytest

import arrivals_model
import storms
from gateway import Gateway
from storms import value


def simulate(tmp_path, scenario, *flags, expected=(0, 1)):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario))
    done = subprocess.run([os.environ["POSTERN"], "simulate", str(file), *flags], capture_output=True, text=True, timeout=300)
    assert done.returncode in expected, (done.returncode, done.stdout[-2000:], done.stderr)
    return done


def scenario(seed, **more):
    """A fleet that is at its maximum size at times."""
    return {
        "arrivals": [[0, 0], [7.3, 21.7], [40, 21.7], [40, 3.1], [55, 33], [80, 4]], "for_s": 100, "clients": 300, "stays": 19.37,
        "client": {"fetch_timeout_s": 60}, "provider": {"concurrency": 3, "latency_ms": 113, "queue_max": 5000},
        "world": {"latency_ms": 7.1, "seed": seed}, **more,
    }


def figures(report, names):
    return {name: report["figures"][name]["value"] for name in names}


@pytest.mark.parametrize("more", [{}, {"stays": 7.77, "life_s": 11.3}, {"clients": 45, "stays": 61.3}, {"arrivals": [[0, 0], [9, 0], [30, 40]], "for_s": 30},
                                  {"arrivals": [[0, 12.5]], "for_s": 77, "life_s": 13.7}])
def test_without_randomness_the_counts_equal_those_of_an_event_list(tmp_path, more):
    file = scenario(1, **more)
    expected = arrivals_model.run(file, lambda: file["stays"], lambda: file.get("life_s", 3600.0))
    report = json.loads(simulate(tmp_path, file, "--json").stdout)
    assert figures(report, expected) == expected
    assert expected["arrivals.started"] + expected["arrivals.not_started"] == expected["arrivals.planned"] > 400


@pytest.mark.parametrize("stays", [{"mean_s": 15}, [[3, 0.5], [30, 0.4], [90, 0.1]]])
def test_drawn_stays_are_within_four_standard_deviations_of_a_list_of_events(tmp_path, stays):
    file = scenario(1, stays=stays, clients=250, life_s=23.1)
    chance = random.Random(5)
    runs = [arrivals_model.run(file, arrivals_model.drawn_stay(stays, chance), lambda: 23.1) for _ in range(40)]
    for seed in (1, 2, 3):
        file["world"]["seed"] = seed
        report = json.loads(simulate(tmp_path, file, "--json").stdout)
        for name in runs[0]:
            values = [run[name] for run in runs]
            far = abs(report["figures"][name]["value"] - statistics.mean(values))
            assert far <= 4 * statistics.stdev(values) + 1e-9, (seed, name, far, statistics.stdev(values))


def test_the_same_seed_makes_the_same_report_in_any_number_of_threads(tmp_path):
    file = scenario(4, stays={"mean_s": 9}, lives=[[5, 0.5], [40, 0.5]])
    one, other = (simulate(tmp_path, file, "--json", "--threads", threads).stdout for threads in ("1", "2"))
    assert one == other


@pytest.mark.parametrize("change, says", [
    ({"arrivals": 5}, "/arrivals: a number; expected an array"),
    ({"arrivals": [[0, 0], [60]]}, "/arrivals/1: expected a time in seconds and a rate"),
    ({"arrivals": [[60, 1], [0, 1]]}, "/arrivals/1/0: 0.000 s is before the time ahead of it"),
    ({"arrivals": [[0, -1]]}, "/arrivals/0/1"),
    ({"arrivals": [[0, 5]], "for_s": None}, "add \"for_s\""),
    ({"arrivals": [[0, 0]]}, "nobody comes within"),
    ({"rate": 5}, "/rate: \"rate\" is of a fleet that comes once"),
    ({"expiry": "common"}, "expected \"own\""),
    ({"stays": [[30, 0.5]]}, "shares come to 1, not 0.500"),
    ({"stays": [[30, 0.5], [20, 0.5]]}, "is not after the time ahead of it"),
    ({"stays": {"mean": 3}}, "/stays"),
    ({"lives": [[30, 1]], "life_s": 3}, "not both"),
    ({"arrivals": None}, "needs \"arrivals\""),
    ({"arrivals": [[0, 1e6]], "for_s": 2592000}, "at most 20000000 are allowed"),
])
def test_a_wrong_key_is_refused_with_its_place_and_what_would_be_right(tmp_path, change, says):
    file = {name: given for name, given in {**scenario(1), **change}.items() if given is not None}
    error = simulate(tmp_path, file, expected=(2,)).stderr
    assert says in error, error


def test_questions_about_clients_that_come_and_go_are_refused_by_name(tmp_path):
    file = tmp_path / "open.json"
    file.write_text(json.dumps(scenario(1)))
    done = subprocess.run([os.environ["POSTERN"], "simulate", "plan", str(file), "--ask", "capacity"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "\"arrivals\"" in done.stderr, done.stderr


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_wire_and_machines_have_the_same_arrivals_losses_and_calls(tmp_path, seed):
    file = scenario(seed, stays=[[8, 0.5], [40, 0.5]], clients=220, life_s=12)
    one, other = (json.loads(simulate(tmp_path, file, "--json", "--fidelity", kind).stdout) for kind in ("machines", "wire"))
    planned = value(one, "arrivals.planned")
    assert value(other, "arrivals.planned") == planned
    for name in ("lost", "arrivals.not_started", "arrivals.left"):
        assert abs(value(one, name) - value(other, name)) <= planned / 100, name
    assert value(one, "provider.calls") == pytest.approx(value(other, "provider.calls"), rel=0.05)


@pytest.mark.parametrize("most", [5000, 350])
def test_a_real_storm_has_the_arrivals_of_a_simulated_one(tmp_path, most):
    file = {
        "arrivals": [[0, 20], [3, 120], [8, 120], [10, 20]], "for_s": 12, "clients": most,
        "stays": [[2, 0.5], [9, 0.5]], "life_s": 6, "thresholds": ["lost == 0"], "gateway": {"refresh_timeout_s": 10},
    }
    simulated = json.loads(simulate(tmp_path, file, "--json").stdout)
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "10s") as gateway:
        real = storms.run("--url", gateway.url, "--scenario", str(tmp_path / "scenario.json"), expected=(0, 1))
    planned = value(simulated, "arrivals.planned")
    assert value(real, "arrivals.planned") == planned
    assert value(real, "arrivals.started") + value(real, "arrivals.not_started") == planned
    assert value(real, "arrivals.unfinished") == value(real, "arrivals.started") - value(real, "connects.ok") and value(real, "connects.failed") == 0
    # The simulation is never late. On a busy machine the storm was late by its own report, or its gateway accepted clients
    # later.
    late = value(real, "generator.late.max") + (value(real, "connect.p99") or 0)
    if late > 0.5:
        return
    # In each second up to 120 clients come, and about as many leave.
    allowed = planned / 50 + 2 * 120 * late
    for name in ("lost", "arrivals.not_started", "arrivals.unfinished"):
        assert abs(value(simulated, name) - value(real, name)) <= allowed, (name, late)
    # The storm and the simulation do not end at the same tenth of a second.
    assert abs(value(simulated, "arrivals.left") - value(real, "arrivals.left")) <= 60 + allowed, late
    assert abs(value(real, "provider.calls") - value(simulated, "provider.calls")) <= 0.05 * value(simulated, "provider.calls") + allowed, late
    assert not real["result"]["ran_out_of_time"]


def test_flags_of_a_fleet_that_comes_once_are_refused_beside_arrivals(tmp_path):
    file = tmp_path / "open.json"
    file.write_text(json.dumps(scenario(1)))
    said = storms.run("--url", "ws://127.0.0.1:1", "--scenario", str(file), "--rate", "5", expected=(2,))
    assert "--rate: the scenario's \"arrivals\" says" in said

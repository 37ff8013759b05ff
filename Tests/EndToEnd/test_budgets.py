"""Clients that loop, and rate budgets: simulated fleets against an independent count, and a real storm against the server's
count."""

import json
import os
import random
import re
import subprocess

import pytest

import budget_model
import storms
from clients import control
from gateway import Gateway
from storms import value


def simulate(tmp_path, scenario, *flags, expected=(0, 1)):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", str(file), *flags], capture_output=True, text=True, timeout=120
    )
    assert done.returncode in expected, (done.returncode, done.stdout[-2000:], done.stderr)
    return done


def draw(seed):
    """A fleet of looping and other clients before budgets, without randomness."""
    chance = random.Random(seed)
    budgets = []
    for per in chance.sample(["user", "address", "all"], chance.randint(1, 3)):
        budget = {
            "per": per, "limit": chance.randint(2, 60 if per == "user" else 400), "window_s": chance.choice([1.7, 5, 11.3]),
            "kind": chance.choice(["fixed", "sliding"]), "retry_after": "none",
        }
        if chance.random() < 0.6:
            budget["ban"] = {
                "after": chance.randint(1, 200), "within_s": chance.choice([3, 20]), "for_s": chance.choice([2.3, 9, 31]),
            }
        budgets.append(budget)
    return {
        "clients": 40, "rate": 8, "expire_after_s": 5000, "behaviours": "well-behaved=4,hammering=1",
        "client": {
            "hammer_pause_s": chance.choice([0, 0.0137, 0.0419]), "users_per_address": chance.choice([3, 8, 40]),
            "login_tries": 30, "backoff": {"kind": "fixed", "base_s": 1.733},
        },
        "provider": {
            "concurrency": 2, "latency_ms": chance.choice([3, 90]), "queue_max": chance.choice([1, 5, 100]),
            "pauses": [{"at_s": 1, "for_s": chance.choice([7, 21]), "refuses": True}], "budgets": budgets,
        },
        "world": {"latency_ms": 7.1, "duration_s": 60, "seed": seed},
    }




@pytest.mark.parametrize("seed", range(10))
def test_calls_refusals_and_bans_of_a_simulated_fleet_equal_an_independent_count(tmp_path, seed):
    scenario = draw(seed)
    # Either every client hammers or none: in a mixed fleet the seed's shuffle decides which do.
    for mix, who in (("hammering=1", set(range(40))), ("well-behaved=1", set())):
        scenario["behaviours"] = mix
        report = json.loads(simulate(tmp_path, scenario, "--json").stdout)
        figures = {name: figure["value"] for name, figure in report["figures"].items()}
        expected = budget_model.run(scenario, who)
        assert {name: figures[name] for name in expected} == expected, (mix, scenario)
        assert figures["provider.limited"] + figures["provider.banned"] > 0 or mix == "well-behaved=1"


@pytest.mark.parametrize("seed", range(4))
def test_innocent_clients_refused_by_a_budget_equal_the_count_for_one_looper_among_them(tmp_path, seed):
    scenario = draw(100 + seed)
    scenario["behaviours"] = "well-behaved=39,hammering=1"
    scenario["client"]["hammer_pause_s"] = 0.0419
    report = json.loads(simulate(tmp_path, scenario, "--json").stdout)
    figures = {name: figure["value"] for name, figure in report["figures"].items()}
    # The seed selects one of the forty; no other has the same six figures.
    counts = [budget_model.run(scenario, {who}) for who in range(40)]
    assert {name: figures[name] for name in counts[0]} in counts, (figures, counts[0])


def counted(gateway):
    """The server's metrics of the provider's requests, by result."""
    page = control(gateway, "GET", "/metrics").body.decode()
    return {name: int(float(n)) for name, n in re.findall(r'postern_provider_requests_total\{result="(\w+)"\} (\S+)', page)}


# The tokens expire some seconds after the last login, so that a slow machine has everybody connected by then.
LOOP = {
    "clients": 60, "rate": 200, "hold_s": 6, "behaviours": "well-behaved=50,hammering=10",
    "gateway": {"refresh_timeout_s": 6}, "client": {"hammer_pause_s": 0.02, "users_per_address": 20},
}


@pytest.mark.parametrize(
    "budgets", [["user=1/6500ms"], ["address=15/2s,retry-after=1"], ["user=1/8s,ban=5/60s:1s", "all=55/1s,retry-after=none"]]
)
def test_a_storms_refusals_equal_the_servers_own_count(tmp_path, budgets):
    file = tmp_path / "loop.json"
    file.write_text(json.dumps(LOOP))
    flags = [word for budget in budgets for word in ("--provider-budget", budget)]
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "6s", *flags) as gateway:
        settings = control(gateway, "GET", "/settings").json["provider"]
        assert len(settings["budgets"]) == len(budgets)
        report = storms.run("--url", gateway.url, "--scenario", str(file), "--control-url", gateway.control_url, expected=(0, 1))
        seen = counted(gateway)
    heard = {"limited": value(report, "provider.limited"), "banned": value(report, "provider.banned"), "minted": value(report, "provider.granted")}
    assert sum(heard.values()) == value(report, "provider.calls") - value(report, "provider.unanswered")
    # The server may have answered a call that the storm no longer heard the answer of.
    unheard = [seen[name] - count for name, count in heard.items()]
    assert min(unheard) >= 0 and sum(unheard) <= value(report, "provider.unanswered"), (seen, heard)
    tally = report["result"]["provider"]["budgets"]
    assert sum(tally["answers"].values()) == heard["limited"] + heard["banned"] > 0
    innocent = tally["answers"].get("well-behaved", 0)
    assert innocent == value(report, "provider.limited.innocent")
    assert tally["clients"].get("well-behaved", 0) == value(report, "provider.limited.clients") <= 50


def test_clients_that_hammer_in_vain_are_refused_by_the_provider_and_counted_by_the_budget(tmp_path):
    scenario = LOOP | {"client": LOOP["client"] | {"hammer_in_vain": True}}
    file = tmp_path / "vain.json"
    file.write_text(json.dumps(scenario))
    budget = "user=20/60s,retry-after=none"
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "6s", "--provider-budget", budget) as gateway:
        report = storms.run("--url", gateway.url, "--scenario", str(file), expected=(0,))
        seen = counted(gateway)
    # Each looping client names one invalid user in all renewals. Twenty are refused as invalid, all others by the budget.
    assert report["result"]["provider"]["refused"]["http_400"] == 10 * 20
    unanswered = value(report, "provider.unanswered")
    assert value(report, "provider.limited") == value(report, "provider.calls") - 60 - 50 - 10 * 20 - unanswered
    assert 0 <= seen["limited"] - value(report, "provider.limited") <= unanswered
    assert value(report, "lost.expected") == 10 and value(report, "lost") == 0
    assert value(report, "provider.limited.innocent") == value(report, "provider.limited.clients") == 0
    # All but the well-behaved clients' logins and renewals. How many there are, depends on the machine.
    calls = value(report, "provider.calls")
    assert value(report, "provider.hammering.share") == pytest.approx((calls - 2 * 50) / calls)


@pytest.mark.parametrize(
    "member, complaint",
    [
        ({"per": "house"}, "/provider/budgets/0/per: no such sharer of a budget 'house'"),
        ({"limit": 0}, "/provider/budgets/0/limit: 0; expected a whole number from 1"),
        ({"window_s": -1}, "/provider/budgets/0/window_s: -1; expected a number from 0.001"),
        ({"status": 503}, "/provider/budgets/0/status: a budget answers 429 or 403, not 503"),
        ({"retry_after": "soon"}, "/provider/budgets/0/retry_after: no such Retry-After 'soon'"),
        ({"retry_after": [9, 5]}, "/provider/budgets/0/retry_after: the least is above the most"),
        ({"ban": {"after": 5}}, "/provider/budgets/0/ban: lacks \"within_s\""),
        ({"windows": 5}, "/provider/budgets/0/windows: no such key 'windows'; did you mean 'window_s'?"),
        ({"per": "address"}, "/provider: a budget by address needs \"users_per_address\""),
    ],
)
def test_a_wrong_budget_of_a_file_is_refused_with_its_place_and_what_would_be_right(tmp_path, member, complaint):
    budget = {"per": "user", "limit": 5, "window_s": 60} | member
    error = simulate(tmp_path, {"clients": 5, "provider": {"rate": 5, "budgets": [budget]}}, expected=(2,)).stderr
    assert re.search(r"scenario\.json:1:\d+ ", error) and complaint in error, error


@pytest.mark.parametrize("fidelity", ["machines", "wire"])
def test_the_same_seed_says_the_same_of_loops_and_budgets_in_both_worlds(tmp_path, fidelity):
    budget = {"per": "address", "limit": 15, "window_s": 2, "retry_after": [1, 2], "ban": {"after": 30, "within_s": 60, "for_s": 2}}
    scenario = LOOP | {"provider": {"concurrency": 5, "latency_ms": 5, "budgets": [budget]}}
    flags = ["--json", "--fidelity", fidelity, "--seeds", "3"]
    told = {simulate(tmp_path, scenario, *flags, "--threads", threads).stdout for threads in ("1", "3")}
    assert len(told) == 1
    report = storms.report_of(told.pop())
    assert value(report, "provider.limited") > 0 and value(report, "provider.banned") > 0

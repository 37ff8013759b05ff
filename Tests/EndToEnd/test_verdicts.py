"""Twenty fleets that are each built for one verdict get it, with the loop that keeps them down.

`POSTERN_SEEDS=200` tries each with as many seeds, and also the fleets that are pushed in every way, which take minutes each.
"""

import json
import os
import subprocess

import pytest

from verdict_fleets import FLEETS, RATE, fleet, restarted

SEEDS = os.environ.get("POSTERN_SEEDS", "5")
# A fleet that is not kept down is pushed in every way, by some two hundred worlds.
TRIED = [one for one in FLEETS if "POSTERN_SEEDS" in os.environ or one[2] or one[1] == "overloaded"]

long = pytest.mark.skipif("POSTERN_SEEDS" not in os.environ, reason="only with POSTERN_SEEDS")


def ask(tmp_path, question, scenario, *flags, expected=(0, 1)):
    file = tmp_path / "fleet.json"
    file.write_text(json.dumps(scenario))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", "plan", "--ask", question, *flags, "--json", str(file)],
        capture_output=True, text=True, timeout=3000)
    assert done.returncode in expected, (done.returncode, done.stdout[-2000:], done.stderr)
    return json.loads(done.stdout), done.returncode


@pytest.mark.parametrize(("name", "verdict", "by", "scenario"), TRIED, ids=[one[0] for one in TRIED])
def test_a_fleet_built_to_be_one_thing_is_named_so_with_its_cause(tmp_path, name, verdict, by, scenario):
    answer, status = ask(tmp_path, "verdict", scenario, "--within", "300s", "--seeds", SEEDS)
    assert answer["verdict"] == verdict, answer
    assert status == (1 if verdict in ("overloaded", "metastable") else 0)
    sustained = answer.get("sustained_by")
    if by == "slow":
        assert sustained["recovers_after_s"] > 300, answer
    elif by:
        assert sustained == {"loop": by}, answer
        assert answer["own"]["stayed_down"] == int(SEEDS), answer
    else:
        assert sustained is None
        assert "own" not in answer or answer["own"]["stayed_down"] == 0


@long
def test_a_gateway_that_accepts_more_than_its_provider_makes_is_not_what_keeps_the_fleet_down(tmp_path):
    answers = [ask(tmp_path, "verdict", restarted(accepts), "--within", "300s", "--seeds", "1")[0]
               for accepts in (RATE + 1, 100 * RATE)]
    for answer in answers:
        assert answer["verdict"] == "metastable" and answer["sustained_by"] == {"loop": "abandoned requests"}, answer
    # Neither is ever busy: only the provider's tokens bring clients back, and all figures are the same.
    assert answers[0]["own"] == answers[1]["own"]


@long
@pytest.mark.parametrize("push", [
    {"expiry": "common", "expire_after_s": 300, "waves": 1},
    {"phases": [{"name": "calm"}, {"name": "restart", "from": "start", "after_s": 360, "for_s": 1, "order": "restart"}]},
], ids=["herd", "restart"])
def test_a_fleet_that_its_provider_serves_within_seconds_recovers_from_its_own_disturbance(tmp_path, push):
    scenario = fleet(0.04, provider={"rate": 100}) | push
    answer, status = ask(tmp_path, "verdict", scenario, "--within", "300s", "--seeds", "1")
    assert (answer["verdict"], status) == ("stable", 0), answer
    assert answer["own"]["recovered"] == 1 and answer["own"]["recovered_after_most"] < 10, answer


def test_there_are_twenty_fleets_of_all_four_kinds():
    assert len(FLEETS) == len({one[0] for one in FLEETS}) == 20
    assert {one[1] for one in FLEETS} == {"stable", "vulnerable", "metastable", "overloaded"}

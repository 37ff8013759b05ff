"""Twenty fleets that are each built for one verdict get it, with the loop that keeps them down.

`POSTERN_SEEDS=200` tries each with as many seeds, and also the fleets that are pushed in every way, which take minutes each.
"""

import json
import os
import subprocess

import pytest

from verdict_fleets import FLEETS

SEEDS = os.environ.get("POSTERN_SEEDS", "5")
# A fleet that is not kept down is pushed in every way, by some two hundred worlds.
TRIED = [fleet for fleet in FLEETS if "POSTERN_SEEDS" in os.environ or fleet[2] or fleet[1] == "overloaded"]


def ask(tmp_path, question, scenario, *flags, expected=(0, 1)):
    file = tmp_path / "fleet.json"
    file.write_text(json.dumps(scenario))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", "plan", "--ask", question, *flags, "--json", str(file)],
        capture_output=True, text=True, timeout=3000)
    assert done.returncode in expected, (done.returncode, done.stdout[-2000:], done.stderr)
    return json.loads(done.stdout), done.returncode


@pytest.mark.parametrize(("name", "verdict", "by", "scenario"), TRIED, ids=[fleet[0] for fleet in TRIED])
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


def test_there_are_twenty_fleets_of_all_four_kinds():
    assert len(FLEETS) == len({fleet[0] for fleet in FLEETS}) == 20
    assert {fleet[1] for fleet in FLEETS} == {"stable", "vulnerable", "metastable", "overloaded"}

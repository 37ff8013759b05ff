"""Storms with phases: orders and faults at their times, and figures for each phase, compared with the gateway's own journal."""

import collections
import json

import pytest

import storms
from clients import control
from gateway import Gateway

STORM = ["--clients", "40", "--rate", "400", "--seed", "3"]


@pytest.fixture(scope="module")
def gateway():
    with Gateway("--faults", "--journal", "--any-refresh-timeout", "--refresh-timeout", "20s", loops=1) as gateway:
        yield gateway


def storm(gateway, tmp_path, phases, *flags, expected=(0,)):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps({"phases": phases}))
    before = journal(gateway)
    report = storms.run(
        "--url", gateway.url, "--control-url", gateway.control_url, *STORM, *flags, "--scenario", str(file),
        expected=expected,
    )
    if expected == (2,):
        return report
    after = journal(gateway)
    report["journal"] = {kind: after[kind] - before[kind] for kind in after}
    assert control(gateway, "GET", "/faults").json["faults"] == [], "nothing that was ordered is left"
    return report


def journal(gateway):
    lines = control(gateway, "GET", "/journal/export").body.decode().splitlines()
    return collections.Counter(json.loads(line)["kind"] for line in lines)


def figures(report, phase):
    found = [one for one in report["phases"] if one["name"] == phase]
    return {name: figure["value"] for name, figure in found[0]["figures"].items()}


def total(report, name):
    return sum(figures(report, phase["name"])[name] or 0 for phase in report["phases"])


def test_a_provider_that_is_away_in_one_phase_refuses_in_that_phase_alone(gateway, tmp_path):
    report = storm(gateway, tmp_path, [
        {"name": "calm", "thresholds": ["cut_off == 0", "provider.refused == 0"]},
        {"name": "away", "from": "wave", "after_s": -0.5, "for_s": 3, "faults": [{"fault": "mint_refused", "status": 503}],
         "thresholds": ["refresh.accepted == 0", "provider.refused > 0"]},
        {"name": "back", "for_s": 8, "thresholds": ["refresh.accepted == 40"]},
    ], "--hold", "5s")
    assert report["passes"], report["thresholds"]
    away, back = figures(report, "away"), figures(report, "back")
    assert away["refresh.asked"] == 40 and away["provider.refused"] >= 40
    assert back["refresh.accepted"] == 40 and back["refresh.p50"] > 2
    for name in ["connects.ok", "refresh.asked", "refresh.accepted", "provider.calls", "provider.refused", "cut_off"]:
        assert total(report, name) == storms.value(report, name), name
    assert report["journal"]["refreshed"] == 40


def test_phases_revoke_all_tokens_and_end_all_connections_at_their_time(gateway, tmp_path):
    report = storm(gateway, tmp_path, [
        {"name": "calm", "for_s": 4},
        {"name": "revoked", "for_s": 6, "order": "revoke", "thresholds": ["refresh.accepted == 40", "cut_off == 0"]},
        {"name": "restart", "for_s": 12, "order": "restart", "thresholds": ["cut_off == 40", "returned == 40"]},
    ], "--hold", "60s", "--life", "10m", "--reconnect", "--threshold", "lost == 0")
    assert report["passes"], report["thresholds"]
    assert figures(report, "calm")["refresh.asked"] == 0 and figures(report, "calm")["connects.ok"] == 40
    assert report["result"]["disconnects"] == {"1012 restart": 40} or sum(report["result"]["disconnects"].values()) == 40
    assert report["journal"]["refreshed"] == 40
    assert [round(phase["from_s"], 3) for phase in report["phases"]] == [0, 4, 10]
    assert 21 < report["result"]["seconds"] < 120


def test_a_threshold_of_a_phase_decides_and_so_does_an_order_that_is_refused(gateway, tmp_path):
    report = storm(gateway, tmp_path, [{"name": "all", "thresholds": ["refresh.asked == 0"]}], "--hold", "5s", expected=(1,))
    failed = [outcome for outcome in report["thresholds"] if not outcome["holds"]]
    assert [outcome["threshold"] for outcome in failed] == ["all: refresh.asked == 0"] and failed[0]["actual"] == "40"
    report = storm(gateway, tmp_path, [{"name": "all", "faults": [{"fault": "no_such"}]}], "--hold", "1s", expected=(1,))
    assert not report["passes"] and "the phase 'all' was not as the scenario has it" in report["caveats"][0]
    report = storm(
        gateway, tmp_path, [{"name": "a"}, {"name": "b", "from": "wave", "after_s": 50, "thresholds": ["cut_off == 0"]}],
        "--hold", "1s", "--timeout", "10s", expected=(1,))
    assert report["thresholds"][-1]["why"] == "the storm was over before this phase"


@pytest.mark.parametrize("phases, says", [
    ([{"name": "a", "form": "wave"}], "/phases/0/form: no such key 'form'; did you mean 'from'?"),
    ([{"name": "a", "thresholds": ["lost == 0"]}], "lost is known only of a whole storm"),
    ([{"name": "a", "thresholds": ["nothing == 0"]}], "names no metric"),
    ([{"name": 3}], "/phases/0/name"),
    ([{"name": "a", "from": "wave"}, {"name": "b", "from": "start"}], "before the one ahead of it"),
])
def test_a_scenario_that_cannot_be_carried_out_is_refused_before_the_storm(gateway, tmp_path, phases, says):
    told = storm(gateway, tmp_path, phases, expected=(2,))
    assert says in told and "scenario.json" in told or says in told and "phase" in told, told

"""Rotating refresh tokens: simulated fleets against an independent count, and real storms against the provider's count."""

import json
import os
import random
import re
import subprocess

import pytest

import rotation_model
import storms
from clients import api, control
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


def figures(report):
    return {name: figure["value"] for name, figure in report["figures"].items()}


def draw(seed):
    """Tabs that share refresh tokens before a provider that is too slow at times, without randomness."""
    chance = random.Random(seed)
    return {
        "clients": 36, "rate": 9.7, "expiry": "own", "life_s": chance.choice([11.3, 13.9]), "waves": 1000,
        "gateway": {"refresh_timeout_s": chance.choice([7.7, 9.1])},
        "client": {
            "tabs": chance.choice([1, 2, 3]), "devices": chance.choice([1, 2]),
            "single_flight": chance.choice(["none", "tab", "device", "user"]), "signed_out": "gone",
            "fetch_timeout_s": chance.choice([1.31, 2.3]), "backoff": {"kind": "fixed", "base_s": 0.733},
        },
        "provider": {
            "concurrency": chance.choice([1, 2]), "latency_ms": chance.choice([131, 257, 419]), "queue_max": 100000,
            "rotation": {
                "grace_s": chance.choice([0, 0, 1.9, 6]), "replay": chance.choice(["same", "new", "refuse"]),
                "revokes": chance.choice(["family", "user", "nothing"]),
            },
        },
        "world": {"latency_ms": 7.1, "duration_s": 60, "seed": seed},
    }


@pytest.mark.parametrize("seed", range(24))
def test_calls_and_sign_outs_of_a_simulated_fleet_equal_an_independent_count(tmp_path, seed):
    scenario = draw(seed)
    seen = figures(json.loads(simulate(tmp_path, scenario, "--json").stdout))
    expected = rotation_model.run(scenario)
    if expected.pop("logins") > expected.pop("devices"):
        # Overlapping logins of one device have a family each, and the device keeps one of them. The simulation has only that
        # one.
        for name in ("provider.replays", "provider.replays.forgiven", "provider.families_revoked"):
            expected.pop(name)
    assert {name: seen[name] for name in expected} == expected, scenario


def counted(gateway):
    """The server's metrics of its refresh tokens and of its answers."""
    page = control(gateway, "GET", "/metrics").body.decode()
    names = {
        "minted": r'postern_provider_requests_total\{result="minted"\}', "denied": r'postern_provider_requests_total\{result="denied"\}',
        "forgiven": r'postern_provider_refresh_replays_total\{result="forgiven"\}',
        "refused": r'postern_provider_refresh_replays_total\{result="refused"\}',
        "revoked": "postern_provider_families_revoked_total", "lost": "postern_provider_replies_lost_total",
    }
    return {name: int(float(re.search("^" + pattern + r" (\S+)", page, re.MULTILINE)[1])) for name, pattern in names.items()}


def login(gateway, user="ann", **more):
    return api(gateway, "POST", "/v1/tokens", {"user_id": user, **more}).json


def renew(gateway, refresh_token, **more):
    return api(gateway, "POST", "/v1/tokens", {"refresh_token": refresh_token, **more})


def test_a_refresh_token_is_used_once_and_a_second_use_ends_its_login():
    with Gateway("--provider-rotation", "strict") as gateway:
        first, other = login(gateway, life_s=60), login(gateway)
        second = renew(gateway, first["refresh_token"], life_s=120)
        assert second.status == 200 and second.json["user_id"] == "ann" and second.json["expires_in_s"] == 120
        assert second.json["refresh_token"] != first["refresh_token"]
        again = renew(gateway, first["refresh_token"])
        assert (again.status, again.json) == (400, {"error": "invalid_grant"})
        # This login has ended, and the user's other one has not.
        assert renew(gateway, second.json["refresh_token"]).json == {"error": "invalid_grant"}
        assert renew(gateway, other["refresh_token"]).status == 200
        for wrong in ("", "x", "A" * 48, first["refresh_token"][:-1], first["refresh_token"] + "A"):
            assert renew(gateway, wrong).json == {"error": "invalid_grant"}, wrong
        both = renew(gateway, other["refresh_token"], user_id="ann")
        assert both.status == 400 and both.json["error"]["name"] == "invalid_parameter"
        assert "refresh_token" not in login(gateway, user="!anon", kind="anonymous", life_s=60)
        seen = counted(gateway)
        assert (seen["refused"], seen["revoked"], seen["forgiven"]) == (1, 1, 0) and seen["denied"] == 7
        settings = control(gateway, "GET", "/settings").json["provider"]
        assert settings["rotation"] == "grace=0s,replay=same,revokes=family"


def test_a_replay_within_the_grace_gets_the_same_successor_another_one_or_a_refusal_that_ends_nothing():
    for replay in ("same", "new", "refuse"):
        with Gateway("--provider-rotation", f"grace=60s,replay={replay}") as gateway:
            first = login(gateway)["refresh_token"]
            second = renew(gateway, first).json["refresh_token"]
            again = renew(gateway, first)
            if replay == "refuse":
                assert again.json == {"error": "invalid_grant"}
            else:
                assert (again.json["refresh_token"] == second) == (replay == "same")
            assert renew(gateway, second).status == 200, replay


def test_a_provider_without_rotation_gives_no_refresh_token_and_takes_none():
    with Gateway() as gateway:
        assert "refresh_token" not in login(gateway)
        answer = renew(gateway, "x")
        assert answer.status == 400 and answer.json["error"]["name"] == "invalid_parameter"
        assert "postern_provider_refresh_replays" not in control(gateway, "GET", "/metrics").body.decode()


@pytest.mark.parametrize(
    "flag, complaint",
    [
        ("grace=2d", "grace=2d: expected a duration from 0s to 1d"), ("replay=resend", "replay=resend: expected same, new or refuse"),
        ("strict,grace=1s", "'strict' is not name=value"),
    ],
)
def test_a_wrong_rotation_is_refused_with_what_would_be_right(flag, complaint):
    done = subprocess.run(
        [os.environ["POSTERN"], "serve", "--provider-rotation", flag], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 2 and complaint in done.stderr, done.stderr


TABS = {
    "clients": 90, "rate": 300, "hold_s": 3, "gateway": {"refresh_timeout_s": 12},
    "client": {"tabs": 3, "single_flight": "none", "fetch_timeout_s": 3, "backoff": {"kind": "fixed", "base_s": 0.3}},
}


def storm(tmp_path, scenario, rotation, *flags):
    file = tmp_path / "tabs.json"
    file.write_text(json.dumps(scenario))
    with Gateway(
        "--any-refresh-timeout", "--refresh-timeout", "12s", "--provider-rotation", rotation, *flags
    ) as gateway:
        report = storms.run(
            "--url", gateway.url, "--tokens", "postern-rotating", "--scenario", str(file), expected=(0, 1))
        return report, counted(gateway)


@pytest.mark.parametrize("rotation, flight", [
    ("strict", "none"), ("strict", "device"), ("grace=30s,replay=same", "none"), ("grace=30s,replay=new", "none"),
    ("grace=30s,replay=refuse", "tab"),
])
def test_sign_outs_of_a_storm_equal_the_providers_count(tmp_path, rotation, flight):
    scenario = TABS | {"client": TABS["client"] | {"single_flight": flight}}
    # Logins are so far apart that each device logs in once.
    scenario |= {"rate": 30, "hold_s": 5}
    report, seen = storm(tmp_path, scenario, rotation, "--provider-latency", "20ms", "--provider-concurrency", "1")
    assert value(report, "signed_out") == seen["revoked"] == (30 if (rotation, flight) == ("strict", "none") else 0)
    assert seen["minted"] == value(report, "provider.granted")
    assert seen["denied"] == report["result"]["tokens"]["refresh"]["refused"].get("http_400 invalid_grant", 0)
    if rotation == "strict":
        assert seen["refused"] == value(report, "signed_out")
        assert value(report, "signed_out.race") == value(report, "signed_out")
    if flight == "none" and rotation != "strict":
        assert seen["forgiven"] >= 60 and seen["refused"] == 0 and value(report, "lost") == 0
    if flight == "device":
        assert seen["forgiven"] == seen["refused"] == 0
        # One first token for each tab, and one for all three.
        assert report["result"]["tokens"]["refresh"]["calls"] >= 30


def test_a_reply_that_is_lost_after_the_commit_signs_its_device_out_and_a_grace_forgives_it(tmp_path):
    scenario = {
        "clients": 60, "rate": 100, "hold_s": 4, "gateway": {"refresh_timeout_s": 12},
        "client": {"signed_out": "gone", "fetch_timeout_s": 1, "backoff": {"kind": "fixed", "base_s": 0.2}},
    }
    strict, seen = storm(tmp_path, scenario, "strict", "--provider-replies-lost", "0.25")
    assert value(strict, "signed_out") == value(strict, "signed_out.lost_reply") == seen["revoked"] > 0
    again = strict["result"]["sign_outs"]
    assert again["shown_again"] == again["shown_again_refused"] == seen["refused"]
    sentence = f"{again['shown_again']} refresh tokens were shown again after no answer; the endpoint refused {again['shown_again']} of them"
    assert sentence in strict["caveats"]
    forgiving, seen = storm(tmp_path, scenario, "grace=30s", "--provider-replies-lost", "0.25")
    assert value(forgiving, "signed_out") == seen["revoked"] == 0 and value(forgiving, "lost") == 0
    assert seen["forgiven"] == forgiving["result"]["sign_outs"]["shown_again"] > 0


def herd(**client):
    return {
        "clients": 1200, "rate": 60, "expire_after_s": 40, "life_s": 7200, "gateway": {"refresh_timeout_s": 300},
        "client": {"tabs": 3, "fetch_timeout_s": 5, **client},
        "provider": {"concurrency": 4, "latency_ms": 50, "queue_max": 100000, "rotation": {"grace_s": 0}},
    }


@pytest.mark.parametrize("flight", ["none", "tab", "device"])
@pytest.mark.parametrize("rotation", [
    {"grace_s": 0}, {"grace_s": 30, "replay": "refuse"}, {"grace_s": 30, "replay": "new"}, {"grace_s": 30, "replay": "same"},
])
def test_both_simulated_worlds_sign_out_the_same_share_with_the_same_calls(tmp_path, rotation, flight):
    scenario = herd(single_flight=flight)
    scenario["provider"]["rotation"] = rotation
    seen = {}
    for fidelity in ("machines", "wire"):
        report = json.loads(simulate(tmp_path, scenario, "--json", "--fidelity", fidelity).stdout)
        seen[fidelity] = figures(report)
    machines, wire = seen["machines"], seen["wire"]
    assert abs(machines["signed_out.share"] - wire["signed_out.share"]) <= 0.01, (machines, wire)
    assert abs((machines["lost.share"] or 0) - (wire["lost.share"] or 0)) <= 0.01, (machines, wire)
    assert abs(machines["provider.calls"] - wire["provider.calls"]) <= 0.05 * machines["provider.calls"]


def test_the_planner_finds_the_least_grace_and_compares_the_policies(tmp_path):
    scenario = herd(tabs=1)
    scenario["clients"] = 600
    file = tmp_path / "herd.json"
    file.write_text(json.dumps(scenario))

    def plan(*flags):
        done = subprocess.run(
            [os.environ["POSTERN"], "simulate", "plan", str(file), *flags], capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    status, out, err = plan("--ask", "grace", "--json", "--threshold", "signed_out == 0")
    assert status == 0, (out, err)
    answer = json.loads(out)
    # A replay waits too, so the grace is about as long as one wait of 5 s, or longer.
    assert 4.5 < answer["answer"] < 60 and answer["holds"]["figures"]["signed_out"]["value"] == 0
    assert answer["fails"]["figures"]["signed_out"]["value"] > 0
    status, out, err = plan("--ask", "rotation", "--threshold", "signed_out.share <= 1%")
    assert status == 0 and out.count("flight") == 13 and "strict, flight none" in out, (out, err)
    scenario["provider"].pop("rotation")
    scenario["client"].pop("tabs")
    file.write_text(json.dumps(scenario))
    assert "has no \"rotation\"" in plan("--ask", "rotation")[2]


@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"rotation": {"replay": "resend"}}, "/provider/rotation/replay: no such answer to a replay 'resend'"),
        ({"rotation": {"grace": 3}}, "/provider/rotation/grace: no such key 'grace'"),
        ({"rotation": {"idle_s": 0}}, "/provider/rotation/idle_s: 0; expected a number from 1"),
        ({"replies_lost": 2}, "/provider/replies_lost: 2; expected a number from 0"),
    ],
)
def test_a_mistake_in_a_scenario_is_told_with_its_place(tmp_path, change, complaint):
    scenario = herd()
    scenario["provider"] |= change
    assert complaint in simulate(tmp_path, scenario, expected=(2,)).stderr


def test_tabs_without_refresh_tokens_are_refused(tmp_path):
    scenario = herd()
    scenario["provider"].pop("rotation")
    assert "rotates none" in simulate(tmp_path, scenario, expected=(2,)).stderr
    file = tmp_path / "scenario.json"
    with Gateway() as gateway:
        said = storms.run("--url", gateway.url, "--scenario", str(file), expected=(2,))
        assert "there are none without --tokens" in said
        said = storms.run("--url", gateway.url, "--scenario", str(file), "--tokens", "postern", expected=(2,))
        assert 'no "renew" of --tokens shows one' in said

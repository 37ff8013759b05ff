"""Several fleets in one scenario: simulated ones against a count of our own, and what a file without fleets keeps."""

import json
import os
import random
import subprocess

import pytest

import cohorts_model


def simulate(tmp_path, scenario, *flags, expected=(0, 1)):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario))
    done = subprocess.run([os.environ["POSTERN"], "simulate", str(file), *flags], capture_output=True, text=True, timeout=300)
    assert done.returncode in expected, (done.returncode, done.stdout[-2000:], done.stderr)
    return done


def report(tmp_path, scenario, *flags):
    return json.loads(simulate(tmp_path, scenario, "--json", *flags).stdout)


def draw(seed):
    """Two or three fleets, of which some have a provider of their own, in which nothing is left to chance."""
    chance = random.Random(seed)

    def provider():
        return {"concurrency": chance.choice([1, 2]), "latency_ms": chance.choice([131, 257]), "queue_max": 100000}

    fleets = []
    for name in ["web", "mobile", "kiosk"][: chance.choice([2, 2, 3])]:
        fleet = {
            "name": name, "clients": chance.randint(7, 40), "rate": chance.choice([3.1, 9.7, 23.3]), "expiry": "own",
            "life_s": chance.choice([11.3, 13.9, 17.77]), "waves": 1000, "client": {"fetch_timeout_s": 60},
        }
        if fleets and chance.random() < 0.4:
            fleet["provider"] = provider()
        fleets.append(fleet)
    return {"fleets": fleets, "provider": provider(), "world": {"latency_ms": 7.1, "duration_s": 90, "seed": seed}}


@pytest.mark.parametrize("seed", range(24))
def test_counts_of_each_fleet_are_those_of_a_list_of_events_that_shares_no_code(tmp_path, seed):
    scenario = draw(seed)
    seen = report(tmp_path, scenario)
    counts, longest = cohorts_model.run(scenario)
    assert [fleet["name"] for fleet in seen["fleets"]] == list(counts)
    for fleet in seen["fleets"]:
        figures = {name: figure["value"] for name, figure in fleet["figures"].items()}
        expected = counts[fleet["name"]]
        assert {name: figures[name] for name in expected} == dict(expected), (fleet["name"], scenario)
        # The report keeps latencies in steps of 3.2 %.
        assert figures["refresh.max"] == pytest.approx(longest[fleet["name"]], rel=0.033)
    for name in ("connects.ok", "provider.calls", "refresh.accepted"):
        assert seen["figures"][name]["value"] == sum(count[name] for count in counts.values())


def test_two_fleets_at_one_provider_wait_for_each_other_and_with_two_providers_they_do_not(tmp_path):
    fleet = {"clients": 60, "rate": 100, "expire_after_s": 10, "life_s": 3600, "client": {"fetch_timeout_s": 60}}
    provider = {"rate": 10, "queue_max": 1000}
    shared = {"fleets": [{**fleet, "name": "web"}, {**fleet, "name": "mobile"}], "provider": provider}
    alone = {"fleets": [{**fleet, "name": "web"}, {**fleet, "name": "mobile", "provider": provider}], "provider": provider}
    slowest = {name: [part["figures"]["refresh.max"]["value"] for part in report(tmp_path, file)["fleets"]]
               for name, file in (("shared", shared), ("alone", alone))}
    # 120 tokens at 10 a second, or 60.
    assert max(slowest["shared"]) == pytest.approx(12, abs=0.6)
    assert slowest["alone"] == pytest.approx([6, 6], abs=0.4)


def test_a_further_fleet_with_its_own_provider_and_gateway_changes_no_figure_of_the_others(tmp_path):
    web = {"name": "web", "clients": 200, "rate": 40, "expiry": "own", "life_s": 20, "jitter": 0.3, "waves": 1000,
           "behaviours": "well-behaved=8,slow=1,stale=1", "client": {"reconnect": True}}
    kiosk = {"name": "kiosk", "clients": 90, "rate": 11, "life_s": 7, "expiry": "own", "waves": 1000,
             "provider": {"rate": 9, "queue_max": 10}, "gateway": {"refresh_timeout_s": 5}}
    file = {"fleets": [web], "provider": {"concurrency": 2, "latency_ms": [20, 300], "queue_max": 50},
            "world": {"duration_s": 70, "seed": 3}}
    one = report(tmp_path, file)
    both = report(tmp_path, {**file, "fleets": [web, kiosk]})
    assert one["fleets"][0] == both["fleets"][0]
    assert one["fleets"][0]["figures"]["provider.refused"]["value"] > 0
    other = report(tmp_path, {**file, "fleets": [{**web, "name": "internet"}]})
    assert other["fleets"][0]["figures"] != one["fleets"][0]["figures"], "another name is another seed"


def test_sdk_shares_make_a_fleet_for_each_and_a_sum(tmp_path):
    file = {"fleets": [
        {"name": "web", "clients": 80, "dialect": "stream-video", "sdk": "javascript"},
        {"name": "mobile", "clients": 50, "dialect": "stream-video", "sdks": {"swift": 0.6, "android": 0.3, "flutter": 0.1},
         "thresholds": ["lost == 0"]},
    ], "provider": {"rate": 100}, "thresholds": ["web:lost == 0", "mobile.android:lost == 0", "lost == 0"]}
    seen = report(tmp_path, file)
    assert [(part["name"], part.get("group"), part["plan"]["clients"], part["sdk"]) for part in seen["fleets"]] == [
        ("web", None, 80, "javascript"), ("mobile.swift", "mobile", 30, "swift"), ("mobile.android", "mobile", 15, "android"),
        ("mobile.flutter", "mobile", 5, "flutter")]
    assert seen["passes"] and [line["threshold"] for line in seen["thresholds"]] == [
        "web:lost == 0", "mobile.android:lost == 0", "lost == 0", "mobile:lost == 0"]
    table = simulate(tmp_path, file).stdout
    assert "4 fleets" in table
    rows = [line.split() for line in table.split("\nFleets\n")[1].split("\n\n")[0].splitlines()]
    assert [row[:2] for row in rows[1:]] == [["web", "80"], ["mobile", "50"], ["mobile.swift", "30"], ["mobile.android", "15"], ["mobile.flutter", "5"]]


def test_a_threshold_of_a_fleet_decides_by_that_fleet_alone(tmp_path):
    fleet = {"clients": 40, "rate": 100, "expire_after_s": 10, "life_s": 3600}
    file = {"fleets": [{**fleet, "name": "web"},
                       {**fleet, "name": "kiosk", "provider": {"rate": 1, "queue_max": 5}, "client": {"login_tries": 1}}]}
    good = simulate(tmp_path, file, "--threshold", "web:lost == 0", "--threshold", "web:connects.ok == 40", expected=(0,))
    assert "web:lost == 0" in good.stdout
    bad = simulate(tmp_path, file, "--threshold", "kiosk:connects.ok == 40", expected=(1,))
    assert "kiosk:connects.ok == 40" in bad.stdout and "FAILS" in bad.stdout


def test_flags_resize_a_fleet_by_its_name(tmp_path):
    file = {"fleets": [{"name": "web", "clients": 80}, {"name": "mobile", "clients": 40}]}
    seen = report(tmp_path, file, "--clients", "web=10", "--clients", "mobile=20")
    assert [part["plan"]["clients"] for part in seen["fleets"]] == [10, 20] and seen["plan"]["clients"] == 30


@pytest.mark.parametrize("text, flags, said", [
    ('{"fleets": [{"name": "web"}], "clients": 5}', [], ':1:42 /clients: belongs to a fleet; "fleets" is given, so put it there'),
    ('{"fleets": [{"name": "web"},\n  {"name": "web"}]}', [], ":2:3 /fleets/1: two fleets are called 'web'"),
    ('{"fleets": [{"name": "web", "cleints": 5}]}', [], ":1:29 /fleets/0/cleints: no such key 'cleints'; did you mean 'clients'"),
    ('{"fleets": [{"clients": 5}]}', [], '/fleets/0: lacks "name"'),
    ('{"fleets": [{"name": "a b"}]}', [], "/fleets/0/name: 'a b' is no name of a fleet; expected 1 to 40 letters, digits, - and _"),
    ('{"fleets": []}', [], "/fleets: expected 1 to 64 fleets, not 0"),
    ('{"fleets": [{"name": "web", "sdks": {"swift": 0.5}}]}', [], "/fleets/0/sdks: expected the share of each SDK"),
    ('{"fleets": [{"name": "web", "sdk": "swift", "sdks": {"swift": 1}}]}', [], '/fleets/0/sdks: "sdk" is one for all'),
    ('{"fleets": [{"name": "web", "thresholds": ["web:lost == 0"]}]}', [], "leave the name out"),
    ('{"fleets": [{"name": "web"}], "thresholds": ["wep:lost == 0"]}', [], "/thresholds/0: no such fleet 'wep'; did you mean 'web'"),
    ('{"fleets": [{"name": "web"}]}', ["--threshold", "kiosk:lost == 0"], "there is no fleet 'kiosk'; there are web"),
    ('{"clients": 5}', ["--threshold", "web:lost == 0"], "there is no fleet 'web'; there is one fleet, without a name"),
    ('{"fleets": [{"name": "web"}, {"name": "tv"}, {"name": "app"}]}', ["--clients", "500"], "--clients: FILE has 3 fleets; say --clients web=500"),
    ('{"fleets": [{"name": "web"}]}', ["--clients", "tv=5"], "--clients: FILE has no fleet 'tv'; there are web"),
    ('{"clients": 5}', ["--clients", "web=5"], '--clients: FILE has no "fleets"; say --clients 5'),
    ('{"fleets": [{"name": "web", "wire": "socketio"}]}', [], "the fleet 'web': \"wire\" needs a gateway"),
    ('{"fleets": [{"name": "web", "tokens": "kiosk.json"}]}', [], "the fleet 'web': tokens means a provider of its own"),
    ('{"fleets": [{"name": "web"}, {"name": "tv", "provider": {"concurrency": 1, "latency_ms": 5}}], "world": {"fidelity": "wire"}}', [],
     "--fidelity wire: all fleets have one gateway and one provider there"),
    ('{"fleets": [{"name": "web", "life_s": 1, "expiry": "common", "rate": 0.001, "expire_after_s": 1}]}', [], "the fleet 'web': the first tokens would expire"),
    ('{"fleets": [{"name": "web"}], "phases": [{"name": "x", "from": "start", "thresholds": ["web:lost == 0"]}]}', [], "the thresholds of a phase are of all fleets"),
])
def test_a_wrong_file_or_flag_is_told_with_its_place_and_what_would_be_right(tmp_path, text, flags, said):
    file = tmp_path / "shop.json"
    file.write_text(text)
    done = subprocess.run([os.environ["POSTERN"], "simulate", str(file), *flags], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr, done.stderr


def test_the_planner_does_not_play_fleets_and_says_so(tmp_path):
    file = tmp_path / "shop.json"
    file.write_text('{"fleets": [{"name": "web"}]}')
    done = subprocess.run([os.environ["POSTERN"], "simulate", "plan", "--ask", "capacity", str(file)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "fleets" in done.stderr, done.stderr


def test_a_report_without_fleets_names_none(tmp_path):
    text = simulate(tmp_path, {"clients": 20}, "--json").stdout
    assert '"fleets"' not in text and '"fleet"' not in text

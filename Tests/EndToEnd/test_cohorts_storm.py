"""Several fleets of real clients against a gateway of this machine: counted by the gateway, and beside the simulation of the
same file."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import storms
from clients import control
from gateway import Gateway
from storms import value

DEPLOY = Path(__file__).parent.parent.parent / "Deploy"


def write(tmp_path, scenario):
    file = tmp_path / "shop.json"
    file.write_text(json.dumps(scenario))
    return str(file)


def simulate(file, *flags):
    done = subprocess.run([os.environ["POSTERN"], "simulate", file, "--json", *flags], capture_output=True, text=True, timeout=300)
    assert done.returncode < 2, done.stderr
    return storms.report_of(done.stdout)


def metric(gateway, name):
    """The sum of a metric over all labels that `name` leaves open."""
    page = control(gateway, "GET", "/metrics").body.decode()
    return sum(int(float(number)) for number in re.findall(rf"^{name}[^ ]* (\S+)$", page, re.MULTILINE))


def minted(gateway):
    return metric(gateway, 'postern_provider_requests_total{result="minted"')


def shop(**more):
    """Tabs of the gateway's own dialect, and phones of two SDKs, whose tokens end while the tabs renew theirs."""
    fleet = {"rate": 100, "life_s": 3600, "client": {"fetch_timeout_s": 60}}
    return {
        "fleets": [
            {**fleet, "name": "web", "clients": 200, "expire_after_s": 24},
            {**fleet, "name": "mobile", "clients": 100, "expire_after_s": 25, "dialect": "stream-video", "sdks": {"javascript": 0.6, "python": 0.4},
             "thresholds": ["lost == 0"]},
        ],
        "provider": {"concurrency": 1, "latency_ms": 25, "queue_max": 1000}, "world": {"latency_ms": 0.1},
        "thresholds": ["web:lost == 0", "connects.failed == 0"], **more,
    }


SLOW = ["--provider-latency", "25ms", "--provider-concurrency", "1"]
PARTS = ["web", "mobile.javascript", "mobile.python"]


def test_a_storm_of_two_dialects_has_the_counts_of_its_simulation_and_of_the_gateway(tmp_path):
    file = write(tmp_path, shop())
    simulated = simulate(file)
    with Gateway(*SLOW) as gateway:
        folder = tmp_path / "report"
        real = storms.run("--url", f"ws://127.0.0.1:{gateway.port}", "--control-url", gateway.control_url, "--scenario", file, "--report", str(folder),
                          "--csv", str(tmp_path / "storm.csv"))
        tokens, logins = minted(gateway), metric(gateway, "postern_logins_total")
    assert [part["name"] for part in real["fleets"]] == PARTS and real["passes"]
    assert [line["threshold"] for line in real["thresholds"]] == ["web:lost == 0", "connects.failed == 0", "mobile:lost == 0"]
    for one, other in zip(real["fleets"], simulated["fleets"], strict=True):
        assert (one["dialect"], one.get("sdk"), one["plan"]["fleet"], one["plan"]["seed"]) == (
            other["dialect"], other.get("sdk"), other["plan"]["fleet"], other["plan"]["seed"]), "both split the plan by one rule"
        for name in ("lost", "connects.failed", "connects.ok", "refresh.accepted"):
            assert abs(value(one, name) - value(other, name)) <= one["plan"]["clients"] / 100, (one["name"], name)
        assert value(one, "provider.calls") == pytest.approx(value(other, "provider.calls"), rel=0.05), one["name"]
    # The gateway has counted what the fleets have together, and each figure of the whole is their sum.
    assert tokens == real["result"]["provider"]["granted"] == sum(part["result"]["provider"]["granted"] for part in real["fleets"])
    assert logins == real["result"]["connects"]["accepted"] == sum(part["result"]["connects"]["accepted"] for part in real["fleets"])
    # Who shares the endpoint waits for the others; on a busy machine each call takes longer than it is told to.
    assert value(real, "refresh.max") >= 0.75 * value(simulated, "refresh.max")
    text = subprocess.run([os.environ["POSTERN"], "report", "show", str(folder / "storm.json")], capture_output=True, text=True, timeout=60).stdout
    page = (folder / "storm.html").read_text()
    assert all(name in page for name in PARTS) and all(name in text for name in PARTS), "each fleet is in every form of the report"
    assert (tmp_path / "storm.csv").read_text().count("\n") > 17


def test_the_limit_of_requests_at_once_is_of_the_endpoint_and_not_of_each_fleet(tmp_path):
    file = write(tmp_path, {"fleets": [{"name": name, "clients": 60, "rate": 200, "hold_s": 10} for name in ("web", "tv")]})
    with Gateway("--provider-latency", "200ms") as gateway:
        report = storms.run("--url", f"ws://127.0.0.1:{gateway.port}", "--scenario", file, "--fetches", "8")
        assert 0 < metric(gateway, "postern_provider_in_flight_peak") <= 8 and value(report, "connects.ok") == 120


def test_a_fleet_with_a_gateway_of_its_own_goes_there_and_to_its_provider(tmp_path):
    with Gateway() as one, Gateway() as other:
        fleet = {"rate": 100, "expire_after_s": 10, "life_s": 3600}
        file = write(tmp_path, {"fleets": [
            {**fleet, "name": "web", "clients": 12}, {**fleet, "name": "kiosk", "clients": 7, "url": f"ws://127.0.0.1:{other.port}", "provider": {}},
            {**fleet, "name": "tv", "clients": 5, "url": f"ws://127.0.0.1:{other.port}"},
        ]})
        real = storms.run("--url", f"ws://127.0.0.1:{one.port}", "--scenario", file)
        assert (minted(one), minted(other)) == (2 * (12 + 5), 2 * 7)
        assert (metric(one, "postern_logins_total"), metric(other, "postern_logins_total")) == (12, 7 + 5)
        ports = [f":{gateway.port}/" for gateway in (one, other, other)]
    assert all(port in part["gateway"] for port, part in zip(ports, real["fleets"], strict=True))
    assert [value(part, "refresh.accepted") for part in real["fleets"]] == [12, 7, 5]


def test_a_fleet_may_have_a_wire_and_a_token_endpoint_that_files_describe(tmp_path):
    fleet = {"rate": 100, "expire_after_s": 10, "life_s": 3600}
    with Gateway() as gateway:
        file = write(tmp_path, {"fleets": [
            {**fleet, "name": "web", "clients": 12}, {**fleet, "name": "kiosk", "clients": 7, "wire": f"{DEPLOY}/wires/postern-plain.json", "tokens": f"{DEPLOY}/tokens/postern.json"},
        ]})
        real = storms.run("--url", f"ws://127.0.0.1:{gateway.port}", "--scenario", file)
        assert minted(gateway) == 2 * (12 + 7)
    assert [value(part, "refresh.accepted") for part in real["fleets"]] == [12, 7]
    assert [part["provider"].startswith("postern at") for part in real["fleets"]] == [False, True]


def test_an_order_of_a_phase_reaches_every_fleet(tmp_path):
    fleet = {"rate": 100, "expire_after_s": 600, "life_s": 600, "client": {"reconnect": True}}
    file = write(tmp_path, {
        "fleets": [{**fleet, "name": "web", "clients": 9}, {**fleet, "name": "mobile", "clients": 5}],
        "phases": [{"name": "calm", "from": "start"}, {"name": "expiry", "from": "start", "after_s": 10, "order": "expire", "for_s": 3}],
        "thresholds": ["lost == 0"]})
    with Gateway() as gateway:
        real = storms.run("--url", f"ws://127.0.0.1:{gateway.port}", "--control-url", gateway.control_url, "--scenario", file, "--timeout", "60s", expected=(0, 1))
    assert [value(part, "refresh.accepted") for part in real["fleets"]] == [9, 5]
    assert [[phase["name"] for phase in part["phases"]] for part in [real, *real["fleets"]]] == [["calm", "expiry"]] * 3


def test_a_fleet_that_fails_its_threshold_fails_the_storm(tmp_path):
    file = write(tmp_path, {"fleets": [{"name": "web", "clients": 8}, {"name": "tv", "clients": 4, "thresholds": ["connects.ok == 5"]}]})
    with Gateway() as gateway:
        real = storms.run("--url", f"ws://127.0.0.1:{gateway.port}", "--scenario", file, expected=(1,))
        storms.run("--url", f"ws://127.0.0.1:{gateway.port}", "--scenario", file, "--threshold", "tv:connects.ok == 4", "--threshold", "connects.ok == 12")
    assert {line["threshold"]: line["holds"] for line in real["thresholds"]}["tv:connects.ok == 5"] is False


def test_several_processes_play_the_fleets_together(tmp_path):
    file = write(tmp_path, shop())
    with Gateway(*SLOW) as gateway:
        real = storms.run("--url", f"ws://127.0.0.1:{gateway.port}", "--scenario", file, "--processes", "2")
        # A login and a renewal each, but that Stream's clients in Python do not come back.
        assert minted(gateway) == real["result"]["provider"]["granted"] == 600 - 40
    assert [part["plan"]["clients"] for part in real["fleets"]] == [200, 60, 40] and {part["plan"]["processes"] for part in real["fleets"]} == {2}
    assert [part["result"]["behaviours"]["well-behaved"]["clients"] for part in real["fleets"]] == [200, 60, 40]


def test_the_live_page_and_its_metrics_have_the_fleets(tmp_path):
    file = write(tmp_path, {"fleets": [{"name": "web", "clients": 30, "hold_s": 600}, {"name": "tv", "clients": 20, "hold_s": 600}]})
    with Gateway() as gateway, storms.Running("--url", f"ws://127.0.0.1:{gateway.port}", "--scenario", file, "--live", "0") as storm:
        storm.until(30, 'postern_storm_fleet_logins_total{fleet="web",outcome="accepted"}')
        storm.until(20, 'postern_storm_fleet_logins_total{fleet="tv",outcome="accepted"}')


def test_reports_of_fleets_are_compared_fleet_by_fleet(tmp_path):
    fleet = {"rate": 100}
    file = write(tmp_path, {"fleets": [{**fleet, "name": "web", "clients": 30}, {**fleet, "name": "tv", "clients": 20}]})
    reports = []
    with Gateway() as gateway:
        for number in range(2):
            storms.run("--url", f"ws://127.0.0.1:{gateway.port}", "--scenario", file, "--report", str(tmp_path / str(number)))
            reports.append(tmp_path / str(number) / "storm.json")

    def compare(*flags):
        done = subprocess.run([os.environ["POSTERN"], "report", "compare", *map(str, reports), *flags], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout
    assert "fleet web" in compare()[1] and "fleet tv" in compare()[1]
    assert compare("--metric", "lost")[0] == 0
    worse = json.loads(reports[1].read_text())
    worse["fleets"][1]["figures"]["lost"]["value"] = 20
    reports[1].write_text(json.dumps(worse))
    status, text = compare("--metric", "lost")
    assert status == 1 and "tv" in text, "a fleet that loses all is worse, whatever the sum says"
    assert json.loads(compare("--json")[1])["fleets"]["tv"]["lost"]["fails"]

"""A storm of several gateways and several processes makes one report. Its figures agree with an independent count."""

import re
import time
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

import storms
from clients import control, request
from gateway import Gateway
from http_server import HTTPServer
from storms import value

OWN_PROVIDER = Path(__file__).parents[2] / "Deploy/tokens/postern.json"
QUICK = ["--any-refresh-timeout", "--refresh-timeout", "10s"]


def opened(gateway):
    """The total of connections that the gateway ever had, from its metrics."""
    page = request(gateway.control_url, "GET", "/metrics", document=None).body.decode()
    return sum(float(n) for n in re.findall(r"^postern_connections_opened_total\S* (\S+)$", page, re.M))


def test_clients_are_dealt_to_several_gateways_and_the_report_has_the_sums_of_their_figures():
    with Gateway(*QUICK) as one, Gateway(*QUICK) as other:
        report = storms.run(
            "--url", one.url, "--url", other.url, "--control-url", one.control_url, "--control-url", other.control_url,
            "--clients", "101", "--rate", "200", "--hold", "3s", "--mint", "--secret-file", str(one.secret_file),
        )
        assert (opened(one), opened(other)) == (51, 50)
    assert value(report, "refresh.accepted") == 101
    assert report["gateway"] == f"{one.url}/v1/connect, {other.url}/v1/connect"
    after = report["result"]["probes"]["after_settling"]
    assert after["connections_opened"] == 101 and after["connections_open"] == 101
    for name in ("gateway.cpu_per_connect", "gateway.cpu_per_refresh", "storm.cpu_per_connect", "storm.cpu_per_refresh"):
        assert value(report, name) > 0, name


def test_the_storms_own_processor_time_is_that_of_its_processes(gateway):
    report = storms.run(
        "--url", gateway.url, "--clients", "40", "--rate", "100", "--hold", "3s", "--processes", "2",
    )
    before, after = (report["result"]["generator"][moment] for moment in ("before_ramp", "after_settling"))
    assert 0 < before["cpu_seconds"] < after["cpu_seconds"] < 2 * report["result"]["seconds"]
    # Two processes have twice the memory of one.
    alone = storms.run("--url", gateway.url, "--clients", "40", "--rate", "100", "--hold", "3s")
    ratio = after["resident_bytes"] / alone["result"]["generator"]["after_settling"]["resident_bytes"]
    assert ratio == pytest.approx(2, abs=0.5)


def test_a_fault_is_ordered_of_every_gateway_and_taken_back():
    failing = dict(loops=1)
    with Gateway(*QUICK, "--faults", **failing) as one, Gateway(*QUICK, "--faults", **failing) as other:
        report = storms.run(
            "--url", one.url, "--url", other.url, "--control-url", one.control_url, "--control-url", other.control_url,
            "--clients", "20", "--rate", "200", "--hold", "3s",
            "--fault", '{"fault": "delay", "what": "reply:refresh", "by_ms": 200}', expected=(0, 1, 2),
        )
        assert isinstance(report, dict), report
        assert "the gateways were ordered to fail" in report["caveat"]
        for gateway in (one, other):
            assert control(gateway, "GET", "/faults").json["faults"] == []


def test_gateways_with_different_times_are_a_caveat_and_an_unreachable_control_port_is_an_error():
    with Gateway(*QUICK) as one, Gateway("--any-refresh-timeout", "--refresh-timeout", "12s") as other:
        addresses = ["--url", one.url, "--url", other.url, "--control-url", one.control_url]
        report = storms.run(*addresses, "--control-url", other.control_url, "--clients", "4", "--hold", "3s")
        assert f"{other.control_url} has another lead, spread or timeout" in report["caveat"]
        nobody = "http://127.0.0.1:1"
        assert nobody in storms.run(*addresses, "--control-url", nobody, "--clients", "4", expected=(2,))
    assert "have one path" in storms.run("--url", "ws://127.0.0.1:1/a", "--url", "ws://127.0.0.1:1", expected=(2,))


def test_a_gateway_that_accepts_too_few_clients_is_a_caveat_and_one_that_accepts_its_share_is_not():
    # Requests for tokens also need descriptors of the first process.
    with Gateway(*QUICK, "--connections-max", "16") as one, Gateway(*QUICK, "--connections-max", "5") as other:
        addresses = ["--url", one.url, "--url", other.url, "--control-url", one.control_url]
        addresses += ["--control-url", other.control_url, "--hold", "3s"]
        assert "connections at most" not in storms.run(*addresses, "--clients", "10").get("caveat", "")
        report = storms.run(*addresses, "--clients", "12", expected=(1,))
        assert [caveat for caveat in report["caveats"] if "at most" in caveat] == [
            "6 clients for each gateway, but the gateway takes 5 connections at most (--connections-max)"
        ]


@pytest.mark.parametrize("ahead, words", [(-60, "behind"), (60, "ahead of")])
def test_an_endpoint_whose_clock_is_wrong_is_a_caveat_of_several_processes_too(tmp_path, ahead, words):
    file = tmp_path / "tokens.json"
    file.write_text('{"tokens": 1, "request": {"url": "/"}, "answer": {"token": "/t", "end": {"fixed": "2s"}}}')
    with HTTPServer(lambda _: b'{"t": "x"}', ahead=ahead) as endpoint:
        report = storms.run(
            "--provider-only", "--tokens", str(file), "--provider", endpoint.url, "--clients", "4", "--processes", "2",
            "--refresh-timeout", "30s",
        )
    assert value(report, "provider.granted") == len(endpoint.requests) == 8
    assert any(f" s {words} ours" in caveat for caveat in report["caveats"]), report["caveats"]
    assert report["result"]["tokens"]["clock_offset"] == pytest.approx(ahead, abs=20)


@pytest.mark.parametrize("described", [False, True])
def test_a_storm_sees_by_the_date_that_posterns_own_provider_has_a_clock_ahead(described):
    with Gateway("--faults", *QUICK, loops=1) as gateway:
        assert control(gateway, "POST", "/faults", {"fault": "issuer_clock", "ahead_s": 600}).status == 201
        words = ["--provider", f"http://127.0.0.1:{gateway.port}", "--clients", "4", "--timeout", "30s"]
        words += ["--provider-only", "--tokens", str(OWN_PROVIDER)] if described else ["--url", gateway.url]
        report = storms.run(*words, expected=(0, 1))
    assert any(" s ahead of ours" in caveat for caveat in report["caveats"]), report["caveats"]


def test_every_answer_on_either_port_has_a_date_by_the_clock_of_its_space():
    def ahead(url, method, path):
        date = request(url, method, path, document=None).headers["date"]
        return parsedate_to_datetime(date).timestamp() - time.time()

    with Gateway("--faults", "--spaces", loops=1) as gateway:
        for place in [(gateway.http_url, "GET", "/nowhere"), (gateway.control_url, "GET", "/health")]:
            assert ahead(*place) == pytest.approx(0, abs=30)
        assert control(gateway, "POST", "/faults", {"fault": "gateway_clock", "ahead_s": 3600}).status == 201
        for place in [(gateway.http_url, "GET", "/nowhere"), (gateway.http_url, "GET", "/v1/connect")]:
            assert ahead(*place) == pytest.approx(3600, abs=30)
        space = control(gateway, "POST", "/spaces", {"name": "t17", "frozen": True}).json
        assert control(gateway, "POST", "/spaces/t17/clock/advance", {"by_s": 86400}).status == 200
        for place in [(space["http_url"], "GET", "/nowhere"), (gateway.control_url, "GET", "/spaces/t17/sessions")]:
            assert ahead(*place) == pytest.approx(86400, abs=60)

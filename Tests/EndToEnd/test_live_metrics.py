"""The metrics of a running storm: compared with its report, checked by promtool, scraped by Prometheus."""

import json
import subprocess
import time
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gateway import Gateway
from ports import free_port
from storms import Running, run, value
from test_live import address, ask

STORM = ["--clients", "200", "--rate", "100", "--hold", "10s", "--refresh-timeout", "10s", "--live", "0"]


@pytest.fixture(scope="module")
def gateway():
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "10s") as gateway:
        yield gateway


def samples(text):
    return {(sample.name, *sorted(sample.labels.values())): sample.value for family in text_string_to_metric_families(text) for sample in family.samples}


def test_the_last_scrape_has_the_figures_of_the_report_and_no_counter_ever_falls(gateway):
    mix = ["--behaviour", "well-behaved=90,forgetful=10", "--live-for", "60s"]
    with Running("--url", gateway.url, *STORM, *mix) as storm:
        _, port = address(storm)
        seen, over, deadline = {}, False, time.monotonic() + 120
        while not over and time.monotonic() < deadline:
            response, text = ask(port, "/metrics")
            assert response.status == 200 and response.getheader("content-type") == "text/plain; version=0.0.4; charset=utf-8"
            now = samples(text)
            for name, count in seen.items():
                assert now[name] >= count or not name[0].endswith(("_total", "_bucket", "_count", "_sum")), name
            assert sum(count for name, count in now.items() if name[0] == "postern_storm_clients") == 200
            seen, over = now, now["postern_storm_over",] == 1
            time.sleep(0.1)
        assert over
        # The report is printed before the page waits for its last readers.
        report = json.loads(storm.process.stdout.readline() + _rest(storm))
    expected = {
        ("postern_storm_logins_total", "accepted"): "connects.ok", ("postern_storm_refreshes_total", "accepted"): "refresh.accepted",
        ("postern_storm_refreshes_total", "timed_out"): "refresh.timed_out", ("postern_storm_refresh_requests_total",): "refresh.asked",
        ("postern_storm_connections_ended_total",): "cut_off", ("postern_storm_arrivals_not_started_total",): None, ("postern_storm_arrivals_unfinished_total",): None,
    }
    for name, metric in expected.items():
        assert seen[name] == (value(report, metric) if metric else 0), name
    assert seen["postern_storm_refresh_seconds_count",] == value(report, "refresh.accepted") == 180
    granted = [seen["postern_storm_provider_calls_total", *sorted(["granted", purpose])] for purpose in ("login", "refresh")]
    assert granted == [200, 180]


def _rest(storm):
    """The rest of the report, read before the program ends."""
    text = ""
    while not text.endswith("\n}\n"):
        text += storm.process.stdout.readline()
    return text


def test_promtool_finds_nothing_wrong_with_the_page(gateway):
    with Running("--url", gateway.url, *STORM, "--live-for", "60s") as storm:
        _, port = address(storm)
        time.sleep(2)
        text = ask(port, "/metrics")[1]
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_prometheus_scrapes_a_storm(gateway, tmp_path):
    here = free_port()
    with Running("--url", gateway.url, *STORM, "--live-for", "120s") as storm:
        _, port = address(storm)
        (tmp_path / "prometheus.yml").write_text(
            f"scrape_configs: [{{job_name: storm, scrape_interval: 1s, scrape_timeout: 1s, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}]")
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data", f"--web.listen-address=127.0.0.1:{here}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 90
            found = []
            while time.monotonic() < deadline and (not found or found[0]["value"][1] != "200"):
                time.sleep(0.3)
                query = f"http://127.0.0.1:{here}/api/v1/query?query=postern_storm_refreshes_total%7Boutcome%3D%22accepted%22%7D"
                try:
                    found = json.load(urllib.request.urlopen(query, timeout=5))["data"]["result"]
                except OSError:
                    continue
            assert found and found[0]["value"][1] == "200" and found[0]["metric"]["job"] == "storm", found
        finally:
            prometheus.kill()
            prometheus.wait()


def test_a_page_of_another_origin_and_another_method_get_no_figures(gateway):
    with Running("--url", gateway.url, *STORM) as storm:
        _, port = address(storm)
        assert ask(port, "/metrics", Origin="http://evil.example")[0].status == 403
        assert ask(port, "/metrics", method="POST")[0].status == 405
        assert ask(port, "/metrics", method="HEAD")[0].status == 200


@pytest.mark.parametrize("flags, says", [(["--live-for", "5s"], "--live-for needs --live"), (["--live", "0", "--live-for", "2h"], "1h or less")])
def test_a_wait_that_makes_no_sense_is_refused(gateway, flags, says):
    assert says in run("--url", gateway.url, *flags, expected=(2,))

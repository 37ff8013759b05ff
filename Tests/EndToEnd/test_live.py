"""The live page of a storm, in a browser, compared with the storm's report."""

import http.client
import re
import time

import pytest

from devtools import Page
from gateway import Gateway
from storms import Running, value

STORM = ["--clients", "300", "--rate", "50", "--hold", "10s", "--refresh-timeout", "10s", "--live", "0"]
METRICS = [
    "connects.ok", "connects.failed", "refresh.asked", "refresh.accepted", "cut_off", "refresh.p99", "provider.calls",
    "provider.refused", "provider.refresh_peak",
]


@pytest.fixture(scope="module")
def gateway():
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "10s") as gateway:
        yield gateway


def address(storm):
    """The address of the page, from the storm's first line."""
    line = storm.process.stderr.readline()
    found = re.fullmatch(r"postern: live: (http://127\.0\.0\.1:(\d+)/)\n", line)
    assert found, line
    return found[1], int(found[2])


def ask(port, path="/", method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
    response = connection.getresponse()
    return response, (b"" if path == "/events" and response.status == 200 else response.read()).decode()


def text(page, metric):
    return page.evaluate(f"document.querySelector('[data-metric=\"{metric}\"]')?.textContent")


def number(words):
    """A figure on the page, in the unit of the JSON."""
    digits, unit = re.fullmatch(r"([\d,.]+)(?: (us|ms|s))?", words).groups()
    return float(digits.replace(",", "")) * {None: 1, "us": 1e-6, "ms": 1e-3, "s": 1}[unit]


@pytest.mark.parametrize("processes", [1, 2])
def test_it_moves_while_the_storm_lasts_and_ends_with_the_figures_of_the_report(gateway, processes, tmp_path):
    mix = ["--behaviour", "well-behaved=90,forgetful=10", "--processes", str(processes)]
    # The ramp takes longer than a browser needs to open a page.
    slowly = ["15" if word == "50" else word for word in STORM]
    with Page() as page, Running("--url", gateway.url, *slowly, *mix) as storm:
        url, _ = address(storm)
        page.open(url)
        page.until("document.body.dataset.state === 'live'")
        page.until("Number(document.querySelector('[data-metric=\"connects.ok\"]').textContent) > 0")
        seen = int(text(page, "connects.ok"))
        assert 0 < seen < 300
        page.until(f"Number(document.querySelector('[data-metric=\"connects.ok\"]').textContent) > {seen}")
        assert page.evaluate("document.querySelectorAll('figure svg').length") >= 3
        page.looks_right_everywhere(tmp_path, "live")
        page.until("document.body.dataset.state === 'over'")
        report = storm.report()
        for metric in METRICS:
            figure, shown = report["figures"][metric], text(page, metric)
            if figure["value"] is None:
                # On a busy machine the storm itself was late.
                assert shown == "not measurable" and "late" in figure["why"], (metric, shown, figure)
            else:
                # The page shows three digits.
                assert number(shown) == pytest.approx(figure["value"], rel=0.006), metric
        assert value(report, "refresh.accepted") == 270 and value(report, "cut_off") == 30
        # The page stays as it is when the storm has ended, and has requested nothing from other hosts.
        time.sleep(0.5)
        assert text(page, "refresh.accepted") == "270"
        assert page.evaluate("document.getElementById('state').textContent").startswith("the storm is over")
        loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
        assert loaded and all(name.startswith(url) for name in loaded)


def test_it_is_for_this_machine_and_its_own_page_only(gateway):
    with Running("--url", gateway.url, *STORM) as storm:
        url, port = address(storm)
        response, page = ask(port)
        assert response.status == 200 and "<script src=" in page and "style=" not in page
        policy = response.getheader("Content-Security-Policy")
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert response.getheader("X-Content-Type-Options") == "nosniff"
        assert ask(port, Host="rebound.example")[0].status == 403
        for path in ("/", "/events"):
            assert ask(port, path, Origin="http://other.example")[0].status == 403
            assert ask(port, path, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors")[0].status == 403
        assert ask(port, "/events", method="POST")[0].status == 405
        assert ask(port, "/secret")[0].status == 404
        # At most sixteen readers. One that leaves makes room.
        feeds = [ask(port, "/events")[0] for _ in range(16)]
        assert all(feed.status == 200 for feed in feeds)
        assert ask(port, "/events")[0].status == 503
        for feed in feeds:
            feed.close()
        end = time.monotonic() + 60
        while ask(port, "/events")[0].status != 200:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert storm.report()["passes"]


def test_a_slow_page_holds_no_storm_up(gateway):
    with Running("--url", gateway.url, *STORM) as storm:
        _, port = address(storm)
        # A reader that reads no more.
        silent = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        silent.request("GET", "/events")
        assert storm.report()["passes"]
        silent.close()


def test_a_port_that_is_taken_is_said_before_the_storm(gateway):
    with Running("--url", gateway.url, *STORM[:-1], str(gateway.port)) as storm:
        out, err = storm.process.communicate(timeout=60)
        assert storm.process.returncode == 1 and out == "" and str(gateway.port) in err

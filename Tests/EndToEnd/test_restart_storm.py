"""A gateway is drained or killed during a storm, and started again on the same port: which clients are back, and when."""

import json
import os
import signal
import subprocess
import time

import pytest

import storms
from at_once import working
from clients import request
from gateway import SECRET
from ports import free_port
from storms import value

CLIENTS = 40
SINCH = ["--sinch-instance-life-min", "1s", "--sinch-token-life-min", "1s"]


class Restartable:
    """A gateway that always has the same port."""

    def __init__(self, folder, *flags):
        self.port, control = free_port(), free_port()
        self.control_url = f"http://127.0.0.1:{control}"
        secret = folder / "secret"
        secret.write_text(SECRET)
        self.command = [os.environ["POSTERN"], "serve", "--host", "127.0.0.1", "--port", str(self.port)]
        self.command += ["--control-port", str(control), "--loops", "1", "--secret-file", str(secret)]
        self.command += ["--any-refresh-timeout", "--refresh-timeout", "15s", *flags]
        self.url = f"ws://127.0.0.1:{self.port}"
        self.log_file = folder / "log"
        self.start()

    def start(self):
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=log)
        line = self.process.stdout.readline()
        assert line, f"{self.command} ended with {self.process.wait(timeout=60)}: {self.log_file.read_text()}"
        assert json.loads(line)["event"] == "ready"

    def wait_for(self, metric, count):
        """Waits until the gateway's metric, summed over its labels, has reached `count`."""
        deadline = time.monotonic() + 60
        while True:
            page = request(self.control_url, "GET", "/metrics", document=None).body.decode()
            values = [line.rsplit(" ", 1)[1] for line in page.splitlines() if line.startswith(f"{metric}{{")]
            if sum(map(float, values)) >= count:
                break
            assert time.monotonic() < deadline, page
            time.sleep(0.05)

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait(timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end(signal.SIGKILL)


# The close that a client sees, by how the gateway ends.
GOING = {signal.SIGTERM: "1012 service_restart", signal.SIGKILL: "1006 connection_lost"}


@pytest.mark.parametrize("how", GOING, ids=["drained", "killed"])
@pytest.mark.parametrize(
    "dialect, flags",
    [
        ("plain", ["--reconnect"]),
        ("stream-video", ["--sdk", "javascript"]),
        ("stream-video", ["--sdk", "swift"]),
        ("sendbird", ["--sdk", "javascript"]),
        ("sinch", ["--reconnect"]),
        ("streem", ["--reconnect"]),
    ],
    ids=["plain", "stream-javascript", "stream-swift", "sendbird", "sinch", "streem"],
)
def test_clients_are_interrupted_and_return_and_none_is_lost(outages, request, dialect, flags, how):
    report = outages[request.node.callspec.id].result()
    result = report["result"]
    assert result["disconnects"].get(GOING[how], 0) == CLIENTS, result["disconnects"]
    assert value(report, "lost") == 0 and value(report, "connects.failed") == 0
    assert storms.at_least(report, "interrupted", CLIENTS) and storms.at_least(report, "returned", CLIENTS)
    assert result["returns"]["interrupted"] >= CLIENTS and result["returns"]["returned"] >= CLIENTS
    assert storms.at_least(report, "outage.max", 0.9)
    assert sum(count for _, count in result["bins"]["returned"]) == result["returns"]["returned"]
    assert value(report, "connected.dip") in (0, None) and storms.at_least(report, "connected.below_99", 0.9)
    tally = result["behaviours"]["well-behaved"]
    assert tally["kept"] + tally["returned"] == CLIENTS, tally


@pytest.fixture(scope="module")
def outages(request, tmp_path_factory):
    """The reports of all of them. Their storms wait for the expiry of tokens at the same time."""

    def outage(dialect, flags, how):
        return interrupted(tmp_path_factory.mktemp(dialect), dialect, flags, how)

    with working(request, test_clients_are_interrupted_and_return_and_none_is_lost, outage, 4) as outages:
        yield outages


def interrupted(folder, dialect, flags, how):
    """The report of a storm whose gateway went away for a second."""
    # For Stream's JavaScript the usual 1000 means that the connection is over, for 35 s.
    expiry = ["--stream-expiry-close-code", "4000"]
    with Restartable(folder, "--drain-window", "500ms", *expiry, *SINCH) as gateway:
        storm = ["--url", gateway.url, "--dialect", dialect, "--clients", str(CLIENTS), "--rate", "100", "--live", "0"]
        # The tokens expire after the outage, so all are also refreshed.
        with storms.Running(*storm, "--expire-after", "12s", "--refresh-timeout", "15s", *flags) as running:
            running.until(CLIENTS)
            gateway.end(how)
            time.sleep(1)
            gateway.start()
            return running.report()


def test_clients_without_the_habit_of_coming_back_are_lost_with_the_code_that_was_sent(tmp_path):
    with Restartable(tmp_path, "--drain-window", "200ms") as gateway:
        flags = ["--url", gateway.url, "--clients", "10", "--rate", "100", "--expire-after", "30s", "--live", "0"]
        with storms.Running(*flags) as running:
            running.until(10)
            gateway.end(signal.SIGTERM)
            report = running.report(expected=(1,))
    assert report["result"]["disconnects"] == {"1012 service_restart": 10}
    assert value(report, "lost") == 10 and value(report, "interrupted") == 0


def test_no_figure_is_made_of_the_cpu_time_of_two_processes(tmp_path):
    with Restartable(tmp_path) as gateway:
        flags = ["--url", gateway.url, "--control-url", gateway.control_url, "--reconnect"]
        slow = ["--behaviour", "well-behaved=1,slow=1", "--slow-delay", "8s"]
        with storms.Running(*flags, *slow, "--clients", "20", "--rate", "100", "--expire-after", "6s", "--live", "0") as running:
            running.until(10, 'postern_storm_refreshes_total{outcome="accepted"}')
            gateway.end(signal.SIGKILL)
            gateway.start()
            report = running.report()
    assert value(report, "refresh.accepted") == 10 and value(report, "interrupted") == 20
    cpu = report["figures"]["gateway.cpu_per_refresh"]
    assert cpu["value"] is None and "started anew" in cpu["why"]

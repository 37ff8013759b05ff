"""The verdicts of `expect` on a slow machine: a verdict that the machine may have changed is undecided, or gets more time."""

import concurrent.futures
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clients import Client, api, control
from gateway import Gateway, halt


def mint(gateway, user):
    answer = api(gateway, "POST", "/v1/tokens", {"user_id": user})
    assert answer.status == 200, answer.body
    return answer.json["token"]


@contextlib.contextmanager
def stopped(gateway, seconds):
    """Stops the gateway's process for this long."""
    halt(gateway.process)
    begun = time.monotonic()
    try:
        yield
        time.sleep(max(0, begun + seconds - time.monotonic()))
    finally:
        os.kill(gateway.process.pid, signal.SIGCONT)


def test_a_stopped_gateway_decides_nothing_about_its_clients():
    with Gateway("--journal", loops=1) as gateway:
        with Client(gateway, token=mint(gateway, "ann")) as client:
            client.receive("connected")
            control(gateway, "POST", "/users/ann/disconnect", {"code": 4500})
            client.until_closed()
        control(gateway, "POST", "/journal/await", {"kind": "closed", "within_ms": 60_000})
        with stopped(gateway, 5):
            pass
        order = {"expect": "no_attempt_after_terminal", "user": "ann", "quiet_ms": 4900}
        verdict = control(gateway, "POST", "/journal/expect", order).json
        assert verdict["verdict"] == "undecided" and verdict["lost_ms"] >= 4000, verdict
        assert "the machine was slow" in verdict["sentence"] or "ms old" in verdict["sentence"], verdict
        # A busy machine may take most of the time from it.
        end = time.monotonic() + 900
        while verdict["verdict"] == "undecided" and time.monotonic() < end:
            time.sleep(0.1)
            verdict = control(gateway, "POST", "/journal/expect", order).json
        assert verdict["verdict"] == "passed", verdict


def test_a_client_that_a_stopped_gateway_kept_waiting_has_not_come_back_late():
    with Gateway("--journal", loops=1) as gateway, concurrent.futures.ThreadPoolExecutor(1) as pool:
        with Client(gateway, token=mint(gateway, "ann")) as client:
            client.receive("connected")
            second = mint(gateway, "ann")
            control(gateway, "POST", "/users/ann/disconnect", {"code": 1012})
            client.until_closed()
        control(gateway, "POST", "/journal/await", {"kind": "closed", "within_ms": 60_000})
        with stopped(gateway, 6):
            coming = pool.submit(Client, gateway, token=second)
        with coming.result(timeout=60) as client:
            client.receive("connected")
            verdict = control(gateway, "POST", "/journal/expect", {"expect": "comes_back", "user": "ann", "within_ms": 5500}).json
            assert verdict["verdict"] == "passed" or "the machine was slow" in verdict["sentence"], verdict


def test_a_gateway_that_stood_still_for_long_leaves_one_behaviour_undecided_and_not_the_run():
    with Gateway("--spaces", loops=1) as gateway, tempfile.TemporaryDirectory() as folder:
        mark = Path(folder, "begun")
        # A client that exists for the second behaviour only.
        client = f"[ -e {mark} ] && exec {os.environ['POSTERN']} connect; : > {mark}; sleep 100"
        run = subprocess.Popen(
            [os.environ["POSTERN"], "ctl", "conform", "--url", gateway.control_url, "--run", client, "--jobs", "1",
             "--only", "refresh-at-lead", "--only", "refresh-at-expiry"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while not mark.exists():
            assert time.monotonic() < end and run.poll() is None
            time.sleep(0.05)
        with stopped(gateway, 33):
            pass
        out, err = run.communicate(timeout=600)
    assert "within 30 s" in out and "refresh-at-lead undecided" in err and "2 of 2: refresh-at-expiry" in err, (out, err)


def test_the_time_that_a_busy_machine_takes_from_a_client_is_measured():
    with Gateway("--journal", loops=1) as gateway, contextlib.ExitStack() as stack:
        for _ in range(4 * (os.cpu_count() or 1)):
            busy = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(busy.kill)
        end, lost = time.monotonic() + 300, 0
        while lost < 300 and time.monotonic() < end:
            time.sleep(0.2)
            lost = control(gateway, "POST", "/journal/expect", {"expect": "single_flight"}).json["lost_ms"]
    assert lost >= 300

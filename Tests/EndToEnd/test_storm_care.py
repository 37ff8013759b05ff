"""Storms of systems that are not this machine: 0.0.0.0 is none of its names, and leads here all the same."""

import http.server
import os
import subprocess
import threading
import time

import pytest

import storms
from gateway import Gateway
from storms import run, value

THEIRS = ["--i-may-storm", "0.0.0.0"]
STORM = ["--clients", "60", "--hold", "500ms", "--refresh-timeout", "2s", "--rate", "200"]


@pytest.fixture(scope="module")
def gateway():
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "2s") as gateway:
        yield gateway


class Endpoint:
    """A token endpoint that remembers who asked when, and with which fields; it gives what `answer` says."""

    def __init__(self, answer):
        self.calls = calls = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                calls.append((time.monotonic(), dict(self.headers)))
                status, body = answer(len(calls))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def theirs(gateway):
    return f"ws://0.0.0.0:{gateway.port}"


def test_one_client_goes_first_and_the_fleet_follows(gateway):
    report = run("--url", theirs(gateway), *THEIRS, *STORM)
    assert report["passes"] and value(report, "connects.ok") == 60
    assert report["plan"]["fetch_rate"] == 50 and value(report, "provider.login_peak") <= 55


def test_no_fleet_follows_one_that_is_not_let_in(gateway):
    with Endpoint(lambda _: (200, b'{"wrong": 1}')) as endpoint:
        command = [os.environ["POSTERN"], "storm", "--url", theirs(gateway)]
        command += ["--provider", f"http://0.0.0.0:{endpoint.port}", *THEIRS, *STORM]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr.count("\n") == 1 and "went first and was not let in: provider_no_token" in done.stderr
        assert len(endpoint.calls) == 1
        fields = {name.lower(): text for name, text in endpoint.calls[0][1].items()}
        assert fields["user-agent"].startswith("postern-storm/") and len(fields["postern-storm"]) == 16


@pytest.mark.parametrize("processes", ["1", "2"])
def test_all_parts_of_a_run_have_one_name_and_only_this_machine_is_spared_it(gateway, processes):
    with Endpoint(lambda _: (500, b"")) as endpoint:
        stormed = ["--url", gateway.url, "--provider", f"http://127.0.0.1:{endpoint.port}", "--clients", "20"]
        stop = ["--processes", processes, "--timeout", "3s"]
        run(*stormed, *stop, expected=(1,))
        names = {fields.get("postern-storm") or fields.get("Postern-Storm") for _, fields in endpoint.calls}
        assert len(names) == 1 and None not in names
        endpoint.calls.clear()
        run(*stormed, *stop, "--unmarked", expected=(1,))
        assert endpoint.calls
        for _, fields in endpoint.calls:
            assert not {"postern-storm", "user-agent"} & {name.lower() for name in fields}


def test_a_storm_that_meets_nothing_but_failures_ends_itself_and_says_why(gateway):
    # The first call is the one client's that goes ahead.
    with Endpoint(lambda _: (500, b"")) as endpoint:
        report = run(
            "--url", gateway.url, "--provider", f"http://127.0.0.1:{endpoint.port}", "--clients", "100", "--rate", "20",
            "--stop-when", "provider.refused.share > 50% over 2s", expected=(1,),
        )
        assert report["result"]["seconds"] < 6 and not report["result"]["was_interrupted"]
        assert any("brought no token within 2.00 s" in caveat for caveat in report["caveats"])


def test_the_first_failure_is_told_while_clients_still_try(gateway):
    with Endpoint(lambda _: (200, b'{"access_token": "x"}')) as endpoint:
        storm = storms.Running(
            "--url", gateway.url, "--provider", f"http://127.0.0.1:{endpoint.port}", "--clients", "5", "--timeout", "20s"
        )
        with storm:
            start = time.monotonic()
            line = storm.process.stderr.readline()
            assert "no token for a login, no_token" in line and time.monotonic() - start < 5


def test_calls_of_the_endpoint_keep_to_their_rate(gateway):
    with Endpoint(lambda _: (403, b"")) as endpoint:
        run("--url", gateway.url, "--provider", f"http://127.0.0.1:{endpoint.port}", "--clients", "60", "--rate", "500",
            "--fetch-rate", "20", "--timeout", "10s", expected=(1,))
        times = sorted(at for at, _ in endpoint.calls)
        assert len(times) == 60 and 2.5 < times[-1] - times[0] < 8
        assert max(sum(1 for other in times if at <= other < at + 1) for at in times) <= 25

"""The configurations of HAProxy and nginx, by their own checks and in front of two gateways."""

import concurrent.futures
import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest

from clients import Client, Refused, control, request
from conftest import DEPLOY, fails, passes, program
from gateway import SECRET, Gateway, token
from ports import free_port
from test_tls import Authority

TRUST = ["--trusted-proxy", "127.0.0.1"]


def check_of(name, file):
    """How the proxy checks its configuration. nginx writes its PID file even then, so it gets a path that nothing else
    reads."""
    file.write_text(file.read_text().replace("/run/postern-nginx.pid", f"{file}.pid"))
    return {"haproxy": [program("haproxy"), "-c", "-f", file], "nginx": [program("nginx"), "-t", "-c", file]}[name]


class Front:
    """A proxy with the shipped configuration, on a free port, in front of these gateways."""

    def __init__(self, name, gateways, edited=lambda text: text):
        self.name = name
        self.port = free_port()
        text = (DEPLOY / "proxies" / {"haproxy": "haproxy.cfg", "nginx": "nginx.conf"}[name]).read_text()
        text = edited(text)
        changes = {"bind :8000": f"bind 127.0.0.1:{self.port}", "listen 8000": f"listen 127.0.0.1:{self.port}"}
        for number, gateway in enumerate(gateways):
            changes[f"127.0.0.1:80{8 + number}0"] = f"127.0.0.1:{gateway.port}"
            changes[f"check port 80{8 + number}1"] = f"check port {gateway.ready['control_port']}"
        self.folder = tempfile.TemporaryDirectory(prefix="postern-front-")
        # The same with fewer descriptors and processes, and with the log and PID file in the test's folder.
        self.log_file = Path(self.folder.name, "log")
        changes |= {
            "worker_processes auto": "worker_processes 1", "worker_rlimit_nofile 40000;": "", "worker_connections 20000": "worker_connections 500",
            "maxconn 40000": "maxconn 500", "pid /run/postern-nginx.pid;": f"pid {self.folder.name}/pid;", "/dev/stdout": str(self.log_file),
        }
        for old, new in changes.items():
            text = text.replace(old, new)
        self.file = Path(self.folder.name, "configuration")
        self.file.write_text(text)
        self.url, self.http_url = f"ws://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        command = {
            "haproxy": [program("haproxy"), "-db", "-f", self.file],
            "nginx": [program("nginx"), "-c", self.file, "-p", self.folder.name, "-g", "daemon off; user root;" if os.getuid() == 0 else "daemon off;"],
        }[self.name]
        self.output = self.log_file.open("ab")
        self.process = subprocess.Popen(command, stdout=self.output, stderr=self.output)
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                break
            except ConnectionRefusedError:
                assert self.process.poll() is None and time.monotonic() < deadline, self.log_file.read_text()
                time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.output.close()
        self.folder.cleanup()

    def log(self):
        return self.log_file.read_text(errors="replace")


@pytest.mark.parametrize("name, file", [("haproxy", "haproxy.cfg"), ("nginx", "nginx.conf")])
def test_each_is_what_its_proxy_reads(name, file, copied):
    folder = copied("proxies", "8000", "8000", file)
    passes(*check_of(name, folder / file))


@pytest.mark.parametrize(
    "name, file, old, new",
    [
        ("haproxy", "haproxy.cfg", "balance leastconn", "balance leastcon"),
        ("haproxy", "haproxy.cfg", "default_backend gateways", "default_backend gateway"),
        ("nginx", "nginx.conf", "proxy_http_version 1.1", "proxy_http_version 1,1"),
        ("nginx", "nginx.conf", "$connection_upgrade;", "$connection_upgraded;"),
    ],
)
def test_a_broken_one_is_seen(copied, name, file, old, new):
    fails(*check_of(name, copied("proxies", old, new, file) / file))


@pytest.fixture(params=["haproxy", "nginx"])
def front(request):
    # HAProxy asks /ready once a second: half of the drains end before it has noticed.
    with Gateway(*TRUST, "--drain-window", "500ms") as one, Gateway(*TRUST, "--drain-window", "500ms") as other:
        with Front(request.param, [one, other]) as front:
            front.gateways = [one, other]
            yield front


def sessions(gateway, user):
    return control(gateway, "GET", f"/sessions?user={user}").json["sessions"]


def test_a_websocket_goes_through_and_its_address_is_the_clients(front):
    good = token("ann")
    with Client(front.gateways[0], token=good, url=front.url, source_address=("127.0.0.9", 0)) as ann:
        ann.receive("connected")
        assert ann.is_alive()
        assert [session["peer"] for gateway in front.gateways for session in sessions(gateway, "ann")] == ["127.0.0.9"]
        tables = [passes(os.environ["POSTERN"], "ctl", "sessions", "--url", gateway.control_url) for gateway in front.gateways]
        assert sorted(line.split()[-1] for table in tables for line in table.splitlines() if "ann" in line) == ["127.0.0.9"]
    # The proxy does not trust what a client says about itself.
    lie = {"X-Forwarded-For": "203.0.113.66", "Forwarded": "for=203.0.113.67"}
    assert request(front.http_url, "POST", "/v1/guests", headers=lie).status == 201
    with Client(front.gateways[0], query_token=good, url=front.url) as ann:
        ann.receive("connected")
    # The proxy logs a connection when it has ended.
    deadline = time.monotonic() + 60
    while front.log().count("/v1/connect") < 2:
        assert time.monotonic() < deadline, front.log()
        time.sleep(0.05)
    assert "eyJ" not in front.log(), "a token in the proxy's log"


def test_the_proxy_passes_everything_that_the_gateway_accepts(front):
    """A file for Sendbird, which has the largest request bodies."""
    api = {"Api-Token": SECRET, "Content-Type": "multipart/form-data; boundary=x"}
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'

    def sent(size):
        form = head + bytes(size) + b"\r\n--x--\r\n"
        return request(front.http_url, "POST", "/v3/storage/file", raw=form, headers=api, document=None)

    kept = sent(15_000_000)
    assert kept.status == 200 and kept.json["file_size"] == 15_000_000, kept.body
    assert sent(20_000_000).status in (400, 413)


def test_a_drain_loses_no_request_and_no_login(front):
    one, other = front.gateways
    stop, counts = threading.Event(), []

    def ask():
        """Sends requests and logins one after the other. Returns the failures."""
        wrong = []
        while not stop.is_set():
            try:
                answer = request(front.http_url, "POST", "/v1/tokens", {"user_id": "ann"}, document=None)
                if answer.status != 200:
                    wrong.append((answer.status, answer.body))
                with Client(one, token=token("ann"), url=front.url) as client:
                    client.receive("connected")
            except (Refused, OSError, TimeoutError) as error:
                wrong.append(error)
            counts.append(1)
        return wrong

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        while len(counts) < 40:
            time.sleep(0.05)
        resident = [Client(one, token=token(f"user{number}")) for number in range(5)]
        for client in resident:
            client.receive("connected")
        one.process.send_signal(signal.SIGTERM)
        assert one.process.wait(timeout=60) == 0
        asked = sum(counts)
        # Ten each after the end of the first gateway, and as many before it.
        while sum(counts) < max(asked + 40, 80):
            time.sleep(0.05)
        stop.set()
        results = [future.result() for future in asking]
    assert [wrong for wrongs in results for wrong in wrongs] == []
    for client in resident:
        assert client.until_closed() == (1012, "service_restart")
    with Client(other, token=token("bob"), url=front.url) as bob:
        bob.receive("connected")
        assert sessions(other, "bob")


def with_tls_of_the_gateways(text):
    """The file with its last part, a comment, instead of the HTTP frontend and backend."""
    head, tail = text.split("# TLS that the gateways end themselves", 1)
    tail = tail[tail.index("# listen postern-tls"):].replace("\n# ", "\n").removeprefix("# ")
    return head[:head.index("frontend postern")] + tail.replace("bind :8443", "bind :8000")


def test_tls_that_the_gateways_end_goes_through_with_the_clients_address(tmp_path):
    authority = Authority(tmp_path)
    flags = ["--tls-certificate", str(authority.certificate), "--tls-key", str(authority.key), "--proxy-protocol", *TRUST]
    options = {"ssl": authority.trust(), "source_address": ("127.0.0.9", 0)}
    with Gateway(*flags, "--drain-window", "40s") as one, Gateway(*flags) as other:
        with Front("haproxy", [one, other], with_tls_of_the_gateways) as front:
            url = front.url.replace("ws:", "wss:")
            with Client(one, token=token("ann"), url=url, **options) as ann:
                ann.receive("connected")
                assert ann.is_alive()
                found = [session["peer"] for gateway in (one, other) for session in sessions(gateway, "ann")]
                assert found == ["127.0.0.9"]
            # When the check has seen that one gateway drains, the other gets all connections.
            with contextlib.ExitStack() as stack:
                own = options | {"source_address": ("127.0.0.8", 0)}
                there = [stack.enter_context(Client(one, token=token(f"user{number}"), **own)) for number in range(12)]
                for client in there:
                    client.receive("connected")
                one.process.send_signal(signal.SIGTERM)
                deadline = time.monotonic() + 60
                while "is DOWN" not in front.log():
                    assert time.monotonic() < deadline, front.log()
                    time.sleep(0.05)
                for number in range(10):
                    with Client(other, token=token(f"late{number}"), url=url, **options) as late:
                        late.receive("connected")
                assert one.process.poll() is None, "the drain was over before it was tried"
                assert {client.until_closed()[0] for client in there} == {1012}

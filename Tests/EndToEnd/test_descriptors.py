"""A gateway that may open few descriptors: clients above its limit are told so, and monitoring still works. The same for a
storm."""

import http.client
import json
import os
import signal
import socket
import subprocess
import time
import urllib.parse

import pytest

from clients import Client, control
from gateway import SECRET, Gateway, token


class FewDescriptors:
    """A gateway that may open this many descriptors; two loops, unless given."""

    def __init__(self, count, folder, *flags):
        secret = folder / "secret"
        secret.write_text(SECRET)
        serve = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0"]
        serve += ["--drain-window", "0s", "--secret-file", str(secret), *(flags or ("--loops", "2"))]
        limited = ["sh", "-c", f'ulimit -n {count}; exec "$@"', "sh", *serve]
        self.process = subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        ready = json.loads(self.process.stdout.readline())
        self.url, self.http_url, self.port = ready["url"], ready["http_url"], ready["port"]
        self.control_url = ready["control_url"]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=60) == 0
        self.process.communicate()


def raw_client(gateway):
    """A connection that asks for a WebSocket."""
    client = socket.create_connection(("127.0.0.1", gateway.port), timeout=60)
    fields = {"Host": "127.0.0.1", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    fields |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Authorization": f"Bearer {token()}"}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    client.sendall(f"GET /v1/connect HTTP/1.1\r\n{head}\r\n".encode())
    return client


def opened(client):
    """The status of the answer to an upgrade; None if the gateway has ended the connection without one."""
    answer = client.recv(4096)
    return int(answer.split()[1]) if answer else None


@pytest.mark.parametrize("count", [64, 200])
def test_clients_that_take_all_descriptors_are_told_503_and_the_control_port_answers(count, tmp_path):
    with FewDescriptors(count, tmp_path) as gateway:
        clients, status = [], 101
        while status == 101 and len(clients) < count:
            clients.append(raw_client(gateway))
            status = opened(clients[-1])
        assert status == 503 and len(clients) > count / 8
        assert control(gateway, "GET", "/ready").status == 200
        assert b'{reason="descriptor_limit"} 1\n' in control(gateway, "GET", "/metrics").body
        for client in clients:
            client.close()
        # A client that comes before the gateway has seen all of them leave may still get 503.
        deadline = time.monotonic() + 60
        while opened(raw_client(gateway)) != 101:
            assert time.monotonic() < deadline
        with Client(gateway, token=token("late")) as late:
            late.receive("connected")


@pytest.mark.parametrize("count", [10, 16, 24, 32, 40])
def test_too_few_descriptors_for_the_loops_are_said_at_the_start(count, tmp_path):
    gateway = FewDescriptors(count, tmp_path)
    _, log = gateway.process.communicate(timeout=60)
    assert gateway.process.returncode == 1
    assert f"lets this process open {count} files and sockets, 2 loops need 48" in log


@pytest.mark.parametrize("port", [{}, {"port": 1024}])
def test_spaces_leave_the_last_descriptors_to_the_control_port(port, tmp_path):
    with FewDescriptors(200, tmp_path, "--spaces", "--loops", "1") as gateway:
        kept = http.client.HTTPConnection(urllib.parse.urlsplit(gateway.control_url).netloc, timeout=60)
        count, status = 0, 201
        while status == 201:
            kept.request("POST", "/spaces", b"{}", {"Content-Type": "application/json"})
            answer = kept.getresponse()
            status, said = answer.status, json.loads(answer.read())
            count += 1
        assert status == 503 and "descriptors" in said["error"]["message"] and count > 60, (count, said)
        # Whatever the port, and whatever asks for it.
        assert control(gateway, "POST", "/spaces", port).status == 503
        assert control(gateway, "GET", "/health").status == 200
        assert b"postern_" in control(gateway, "GET", "/metrics").body
        # Connections that end make room for others, and an order gets a connection too.
        for space in control(gateway, "GET", "/spaces?limit=3").json["spaces"]:
            assert control(gateway, "DELETE", f"/spaces/{space['name']}").status == 200
        assert control(gateway, "POST", "/spaces", {}).status == 201


def storm(limit, gateway, *flags):
    command = [os.environ["POSTERN"], "storm", "--url", gateway.url, "--clients", "600", "--rate", "600", *flags]
    return subprocess.run(
        ["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", *command], capture_output=True, text=True, timeout=120)


def test_a_storm_has_as_many_requests_at_once_as_its_descriptors_allow(tmp_path):
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "10s") as gateway:
        done = storm(1024, gateway, "--expire-after", "15s", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "192 requests to the provider at once in each process, because 1,024 descriptors" in done.stderr
        report = json.loads(done.stdout)
        assert report["plan"]["fetches"] == 192 and report["plan"]["processes"] == 2
        assert any("192 requests to the provider" in caveat for caveat in report["caveats"])
        refused = storm(1024, gateway, "--fetches", "1000")
        assert refused.returncode == 2 and "beside --fetches 1000" in refused.stderr
        none = storm(256, gateway)
        assert none.returncode == 2 and "keeps 256 for itself" in none.stderr


def test_a_gateway_starts_beside_any_number_of_open_descriptors():
    """The library's table has 1,024 entries here. The library aborted when the first descriptor behind them was its own."""
    taken = 'for ((i = 10; i <= $1; i++)); do eval "exec $i</dev/null"; done; shift; exec "$@"'
    serve = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", "--loops", "1", "--connections-max", "500"]
    for count in range(1005, 1030):
        process = subprocess.Popen(["bash", "-c", taken, "bash", str(count), *serve, "--drain-window", "0s"], stdout=subprocess.PIPE)
        ready = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.stdout.close()
        assert (process.wait(timeout=60), bool(ready)) == (0, True), count

"""A gateway drains: no new client, every client told, closes spread over the window, exit status 0."""

import concurrent.futures
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clients import Client, Refused, api, control
from gateway import Gateway, token


def drain_by_signal(gateway):
    gateway.process.send_signal(signal.SIGTERM)


def drain_by_order(gateway):
    assert control(gateway, "POST", "/drain", {"window_s": 20}).status == 202


@pytest.mark.parametrize("order", [drain_by_signal, drain_by_order])
def test_a_drain_tells_all_clients_and_closes_with_1012(order):
    with Gateway("--drain-window", "20s") as gateway:
        clients = [Client(gateway, token=token(f"user{n}")) for n in range(20)]
        waiting = Client(gateway)
        for client in clients:
            client.receive("connected")
        order(gateway)
        delays = []
        for client in clients:
            message = client.receive("closing")
            assert message["reason"] == {"code": 1012, "name": "service_restart", "may_reconnect": True}
            delays.append(message["delay_ms"])
        assert max(delays) <= 20_000 and len(set(delays)) > 10, delays
        assert waiting.until_closed() == (1012, "service_restart")
        late = clients[delays.index(max(delays))]
        assert late.is_alive(), "a client is served until its turn comes"
        assert late.ask("refresh", token=token("user0"))["error"]["number"] == 503002
        assert control(gateway, "GET", "/ready").status == 503
        with pytest.raises(Refused) as refusal:
            Client(gateway, token=token())
        assert (refusal.value.status, refusal.value.error["number"]) == (503, 503002)
        assert refusal.value.answer.headers["retry-after"]
        for client in clients:
            assert client.until_closed() == (1012, "service_restart")
        assert gateway.process.wait(timeout=60) == 0


def test_a_drain_without_clients_ends_at_once():
    with Gateway("--drain-window", "60s") as gateway:
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(timeout=60) == 0


def test_a_connection_that_waits_for_another_request_delays_no_drain():
    with Gateway() as gateway:
        idle = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60)
        idle.request("POST", "/v1/tokens", '{"user_id": "ann"}')
        answer = idle.getresponse()
        assert answer.read() and answer.headers["connection"] is None
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(timeout=60) == 0
        assert idle.sock.recv(100) == b""
        idle.close()


def in_flight(gateway, count):
    """Waits until the gateway's own provider works on this many requests."""
    deadline = time.monotonic() + 60
    while f"postern_provider_in_flight {count}\n" not in control(gateway, "GET", "/metrics").body.decode():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_second_signal_ends_everything_at_once():
    with Gateway("--drain-window", "60s") as gateway, Client(gateway, token=token()) as client:
        client.receive("connected")
        gateway.process.send_signal(signal.SIGTERM)
        client.receive("closing")
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(timeout=60) == 0


@pytest.mark.parametrize("order", [drain_by_signal, drain_by_order])
def test_requests_under_way_are_answered_before_the_process_ends(order):
    with Gateway("--provider-latency", "6s", "--drain-window", "0s") as gateway:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            waiting = [pool.submit(api, gateway, "POST", "/v1/tokens", {"user_id": f"user{n}"}) for n in range(8)]
            in_flight(gateway, 8)
            order(gateway)
            assert [answer.result().status for answer in waiting] == [200] * 8
        assert gateway.process.wait(timeout=60) == 0
        assert "event=requests_cut" not in gateway.log()


def test_a_drain_waits_no_longer_than_ten_seconds_for_a_request():
    with Gateway("--provider-latency", "60s") as gateway:
        waiting = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60)
        waiting.request("POST", "/v1/tokens", '{"user_id": "ann"}')
        in_flight(gateway, 1)
        start = time.monotonic()
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(timeout=60) == 0
        assert time.monotonic() - start > 9
        assert "event=requests_cut count=1" in gateway.log()
        waiting.close()


def test_a_second_signal_waits_for_no_request():
    with Gateway("--provider-latency", "60s") as gateway:
        waiting = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60)
        waiting.request("POST", "/v1/tokens", '{"user_id": "ann"}')
        in_flight(gateway, 1)
        gateway.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        assert gateway.process.poll() is None
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(timeout=60) == 0
        waiting.close()


def test_every_order_to_drain_is_answered():
    for _ in range(5):
        with Gateway() as gateway:
            assert control(gateway, "POST", "/drain").status == 202
            assert gateway.process.wait(timeout=60) == 0


def test_with_its_standard_input_a_gateway_ends_in_order():
    with Gateway("--end-with-input", "--drain-window", "200ms", stdin=subprocess.PIPE) as gateway:
        client = Client(gateway, token=token())
        client.receive("connected")
        gateway.process.stdin.write(b"what is written to it is not read\n" * 1000)
        gateway.process.stdin.flush()
        assert client.ask("ping")["type"] == "pong"
        gateway.process.stdin.close()
        assert client.until_closed() == (1012, "service_restart")
        assert gateway.process.wait(timeout=60) == 0
        assert "cause=input" in gateway.log()


def test_a_gateway_goes_with_the_process_that_started_it_and_is_killed():
    # The process in between has the only end of the pipe, and cannot close it.
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, os.environ["POSTERN"]], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    ready = json.loads(starter.stdout.readline())
    os.kill(ready["pid"], 0)
    starter.kill()
    starter.wait()
    starter.stdout.close()
    end = time.monotonic() + 60
    while Path(f"/proc/{ready['pid']}").exists():
        assert time.monotonic() < end, "the gateway outlived who started it"
        time.sleep(0.02)


STARTER = """
import subprocess, sys, time
gateway = subprocess.Popen(
    [sys.argv[1], "serve", "--port", "0", "--control-port", "0", "--end-with-input", "--drain-window", "0s"],
    stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
)
time.sleep(600)
"""

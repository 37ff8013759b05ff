"""A gateway goes down in order: nobody new, everybody told, closes spread over the window, exit status 0."""

import signal
import time

import pytest

from clients import Client, Refused, control
from gateway import Gateway, token


def drain_by_signal(gateway):
    gateway.process.send_signal(signal.SIGTERM)


def drain_by_order(gateway):
    assert control(gateway, "POST", "/drain", {"window_s": 1.5}).status == 202


@pytest.mark.parametrize("order", [drain_by_signal, drain_by_order])
def test_a_drain_tells_everybody_and_closes_with_1012(order):
    with Gateway("--drain-window", "1500ms") as gateway:
        clients = [Client(gateway, token=token(f"user{n}")) for n in range(20)]
        waiting = Client(gateway)
        for client in clients:
            client.receive("connected")
        start = time.monotonic()
        order(gateway)
        delays = []
        for client in clients:
            message = client.receive("closing")
            assert message["reason"] == {"code": 1012, "name": "service_restart", "may_reconnect": True}
            delays.append(message["delay_ms"])
        assert max(delays) <= 1500 and len(set(delays)) > 10, delays
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
        assert gateway.process.wait(timeout=10) == 0
        assert time.monotonic() - start < 8


def test_a_drain_of_nobody_is_over_at_once():
    with Gateway("--drain-window", "60s") as gateway:
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(timeout=5) == 0


def test_a_second_signal_ends_everything_at_once():
    with Gateway("--drain-window", "60s") as gateway, Client(gateway, token=token()) as client:
        client.receive("connected")
        gateway.process.send_signal(signal.SIGTERM)
        client.receive("closing")
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(timeout=5) == 0

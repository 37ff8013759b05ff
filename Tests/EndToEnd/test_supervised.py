"""The messages of a gateway to a service manager over its socket, by sd_notify(3), as for systemd."""

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from clients import Client
from gateway import Gateway, halt, token
from test_tls import Authority


class Manager:
    """The socket that a service manager listens on. Each datagram becomes a dict."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self.socket.settimeout(60)

    def hear(self):
        lines = self.socket.recv(4096).decode().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def hear_all(self, name):
        """All datagrams up to the first with `name`, which is the last of them."""
        heard = [self.hear()]
        while name not in heard[-1]:
            heard.append(self.hear())
        return heard


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path, monkeypatch):
    address = str(tmp_path / "notify") if request.param == "path" else f"@postern-test-{os.getpid()}-{time.monotonic_ns()}"
    manager = Manager(address)
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    yield manager
    manager.socket.close()


def ticks_of(process, seconds):
    """The processor time of a process over this many seconds, in the kernel's ticks."""
    def ticks():
        return sum(map(int, Path(f"/proc/{process}/stat").read_text().split()[13:15]))

    before = ticks()
    time.sleep(seconds)
    return ticks() - before


def microseconds():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000


def test_a_service_manager_is_told_when_the_gateway_starts_and_stops_accepting_clients(manager):
    with Gateway("--drain-window", "700ms") as gateway:
        ready = manager.hear()
        assert ready["READY"] == "1" and str(gateway.port) in ready["STATUS"]
        client = Client(gateway, token=token())
        client.receive("connected")
        gateway.process.send_signal(signal.SIGTERM)
        stopping = manager.hear()
        assert stopping["STOPPING"] == "1"
        # The window, ten seconds for requests, and some time to end.
        assert 10_700_000 < int(stopping["EXTEND_TIMEOUT_USEC"]) < 30_000_000
        client.receive("closing")
        assert gateway.process.wait(timeout=60) == 0
        manager.socket.settimeout(0.1)
        with pytest.raises(TimeoutError):
            manager.hear()


def test_it_hears_of_a_reload_before_and_after(manager, tmp_path):
    authority = Authority(tmp_path)
    with Gateway("--tls-certificate", str(authority.certificate), "--tls-key", str(authority.key)) as gateway:
        assert "READY" in manager.hear()
        for is_good in (True, False):
            if not is_good:
                authority.certificate.write_text("no certificate")
            before = microseconds()
            gateway.process.send_signal(signal.SIGHUP)
            reloading = manager.hear()
            assert reloading["RELOADING"] == "1"
            assert before <= int(reloading["MONOTONIC_USEC"]) <= microseconds()
            assert manager.hear()["READY"] == "1"
        gateway.logged("event=certificate_kept")
        assert "event=certificate_reloaded" in gateway.log()


def test_it_has_a_sign_of_life_twice_in_the_time_it_waits_until_the_gateway_hangs(manager, monkeypatch):
    monkeypatch.setenv("WATCHDOG_USEC", "2000000")
    start = time.monotonic()
    with Gateway() as gateway:
        assert "READY" in manager.hear()
        for _ in range(3):
            assert manager.hear() == {"WATCHDOG": "1"}
        # At most one a second, the first at once; so three are no flood.
        assert 1.5 < time.monotonic() - start < 60
        halt(gateway.process)
        manager.socket.settimeout(3)
        with pytest.raises(TimeoutError):
            # As many as it had sent before.
            for _ in range(60):
                manager.hear()
        gateway.process.send_signal(signal.SIGCONT)
        manager.socket.settimeout(60)
        assert manager.hear() == {"WATCHDOG": "1"}
        gateway.process.send_signal(signal.SIGTERM)
        assert manager.hear_all("STOPPING")


def test_a_watchdog_of_another_process_is_not_fed(manager, monkeypatch):
    monkeypatch.setenv("WATCHDOG_USEC", "40000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    with Gateway():
        assert "READY" in manager.hear()
        manager.socket.settimeout(0.5)
        with pytest.raises(TimeoutError):
            manager.hear()


@pytest.mark.parametrize("interval", ["0", "-1", "abc", "18446744073709551615", "1", ""])
def test_no_interval_ends_or_busies_the_gateway(manager, monkeypatch, interval):
    monkeypatch.setenv("WATCHDOG_USEC", interval)
    with Gateway() as gateway:
        assert "READY" in manager.hear()
        deadline = time.monotonic() + 60
        # A busy machine adds half a second, and so does the work of a start.
        while (ticks := ticks_of(gateway.process.pid, 0.5)) > 15:
            assert time.monotonic() < deadline, f"{ticks} ticks of processor time in half a second"


@pytest.mark.parametrize("address", ["/nowhere/notify", "notify", "@", "vsock:2:1", "/" + "x" * 200, "@" + "x" * 107])
def test_a_manager_that_cannot_hear_is_a_warning(monkeypatch, address):
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    with Gateway() as gateway:
        with Client(gateway, token=token()) as client:
            client.receive("connected")
        gateway.logged("event=service_manager_deaf")
        assert gateway.log().count("event=service_manager_deaf") == 1


def test_a_service_manager_that_reads_nothing_does_not_delay_the_gateway_for_long(tmp_path, monkeypatch):
    address = str(tmp_path / "notify")
    manager = Manager(address)
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    monkeypatch.setenv("WATCHDOG_USEC", "20000")
    with Gateway() as gateway:
        # The socket's queue of ten to some hundred datagrams fills soon.
        time.sleep(1)
        with Client(gateway, token=token()) as client:
            client.receive("connected")
            for _ in range(20):
                assert client.ask("ping")["type"] == "pong"
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(timeout=60) == 0
    manager.socket.close()

#!/usr/bin/python3
"""A gateway in a tree into which its package is installed. It starts as the unit starts it, reports that it is ready, is
stormed by the same package, reloads and drains. `scene.py ROOT` runs in a network of its own."""

import fcntl
import json
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
UNIT = "/lib/systemd/system/postern.service"
USER = "65534:65534"
CLIENTS = 2000


def bring_up_loopback():
    with socket.socket() as probe:
        fcntl.ioctl(probe, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: IFF_UP, IFF_RUNNING


class Service:
    """Reads the unit's settings."""

    def __init__(self, root):
        self.process = subprocess.Popen(
            [HERE / "unit.py", root, UNIT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = {}
        self.logged = []
        threading.Thread(target=self.pass_on, daemon=True).start()

    def pass_on(self):
        """Prints and keeps the log."""
        for line in self.process.stderr:
            sys.stderr.write(line)
            self.logged.append(line)

    def until_logged(self, words, patience=20):
        """Waits for a line with this text, and returns it."""
        end = time.monotonic() + patience
        while not (found := [line for line in self.logged if words in line]):
            assert time.monotonic() < end, f"'{words}' is not logged"
            time.sleep(0.01)
        return found[0]

    def until(self, name, patience=20):
        """Reads up to the notification of that name, and returns its value. Only watchdog signs may come before it."""
        end = time.monotonic() + patience
        while time.monotonic() < end and (line := self.process.stdout.readline()):
            key, _, value = line.strip().partition("=")
            self.said.setdefault(key, []).append(value)
            if key == name:
                return value
        raise AssertionError(f"no {name}; it said {self.said}")

    def do(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()


def get(path):
    with urllib.request.urlopen(f"http://127.0.0.1:8081{path}", timeout=10) as answer:
        return answer.status, answer.read().decode()


def inside(root, *words, **options):
    return subprocess.run(
        ["chroot", f"--userspec={USER}", root, *words], check=True, capture_output=True, text=True, timeout=120, **options).stdout


def main(root):
    bring_up_loopback()
    begun = time.monotonic()
    service = Service(root)
    pid = int(service.until("PID"))
    assert service.until("READY") == "1" and "8080" in service.until("STATUS")
    started = time.monotonic() - begun
    assert get("/ready")[0] == 200 and get("/health")[0] == 200

    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    assert status["Uid"].split() == ["61184"] * 4, status["Uid"]
    for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[kind], 16) == 0, f"{kind} is {status[kind]}"
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", "it runs as it likes"

    begun = time.monotonic()
    report = "/tmp/storm"
    said = inside(
        root, "/usr/bin/postern", "storm", "--url", "ws://127.0.0.1:8080", "--control-url", "http://127.0.0.1:8081",
        "--clients", str(CLIENTS), "--report", report)
    stormed = time.monotonic() - begun
    assert stormed < 60, f"the storm took {stormed:.0f} s"
    figures = dict(
        line.rsplit(" ", 1) for line in get("/metrics")[1].splitlines() if line and not line.startswith("#"))
    refreshed = float(figures['postern_refreshes_total{dialect="plain",origin="asked"}'])
    assert refreshed == CLIENTS, f"{refreshed} refreshes\n{said}"
    folder = root / report.lstrip("/")
    assert (folder / "storm.html").exists() and json.loads((folder / "storm.json").read_text())
    shutil.rmtree(folder)

    service.do("reload")
    assert service.until("RELOADING") == "1"
    service.until("MONOTONIC_USEC")
    assert service.until("READY") == "1"
    inside(root, "/usr/bin/postern", "ctl", "ready")
    resident = int(status["VmRSS"].split()[0]) / 1024

    service.do("stop")
    assert service.until("STOPPING") == "1"
    assert service.until("EXIT") == "0"
    assert service.process.wait(timeout=10) == 0
    assert (root / "var/lib/private/postern/store").exists(), "nothing was stored"
    assert not [line for line in service.logged if "event=libwebsockets" in line], "the library complains"
    print(
        f"   ready after {started * 1000:.0f} ms, {resident:.0f} MB resident; {CLIENTS} clients stormed it in {stormed:.1f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

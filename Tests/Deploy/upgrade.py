#!/usr/bin/python3
"""An upgrade of the package while clients are connected. The clients are told, reconnect to the new version with their tokens,
and none is lost. `upgrade.py ROOT PACKAGE` runs in a network of its own; PACKAGE is a path in the tree.

In place of systemd, which does not run here, this restarts the unit as the package's own script asks it to: with SIGTERM, and
after the drain anew. At the end a second SIGTERM cuts a drain short."""

import subprocess
import sys
import time
from pathlib import Path

from scene import USER, Service, bring_up_loopback, get

CLIENTS = 500
STORM = [
    "/usr/bin/postern", "storm", "--url", "ws://127.0.0.1:8080", "--clients", str(CLIENTS), "--rate", "500", "--reconnect",
    "--expire-after", "25s", "--refresh-timeout", "10s",
    "--threshold", "lost == 0", "--threshold", f"returned == {CLIENTS}", "--threshold", f"interrupted == {CLIENTS}",
    "--threshold", "unrefreshed == 0",
]


def started(root):
    service = Service(root)
    pid = int(service.until("PID"))
    assert service.until("READY") == "1"
    return service, pid


def ended(service, patience=30):
    begun = time.monotonic()
    assert service.until("EXIT", patience) == "0"
    service.process.wait(timeout=10)
    assert not [line for line in service.logged if "event=libwebsockets" in line], "the library complains"
    return time.monotonic() - begun


def sessions():
    return sum(
        float(line.rsplit(" ", 1)[1]) for line in get("/metrics")[1].splitlines() if line.startswith("postern_connections{"))


def until(count, patience=30):
    end = time.monotonic() + patience
    while (there := sessions()) != count:
        assert time.monotonic() < end, f"{there} are connected, not {count}"
        time.sleep(0.2)


def main(root, package):
    bring_up_loopback()
    service, pid = started(root)
    storm = subprocess.Popen(
        ["chroot", f"--userspec={USER}", root, *STORM], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until(CLIENTS)
    installing = subprocess.run(
        ["chroot", root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
         "dpkg", "-i", package], capture_output=True, text=True, timeout=120)
    assert installing.returncode == 0, installing.stdout + installing.stderr
    # The old version still runs and serves, although its file is gone.
    assert (root / f"proc/{pid}/exe").readlink().name.endswith("(deleted)") and get("/ready")[0] == 200
    assert sessions() == CLIENTS, "installing cuts clients off"
    service.do("stop")
    drained = ended(service)
    service, pid = started(root)
    assert not (root / f"proc/{pid}/exe").readlink().name.endswith("(deleted)")
    said, _ = storm.communicate(timeout=120)
    assert storm.returncode == 0, said

    # A drain without patience, while a client is connected.
    holding = subprocess.Popen(
        ["chroot", f"--userspec={USER}", root, "/usr/bin/postern", "connect", "--user", "ann"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(1)
    service.do("stop")
    # Two signals at the same time would arrive as one.
    service.until_logged("event=drain_begun")
    service.do("stop")
    at_once = ended(service)
    holding.wait(timeout=20)
    assert at_once < 4, f"a second SIGTERM ended it after {at_once:.1f} s"
    assert "closed=0 cut_off=1" in service.until_logged("event=drain_ended"), "the drain had come to its client"
    print(f"   upgraded under {CLIENTS} clients: drained in {drained:.1f} s, all are back; ended by a second SIGTERM in {at_once:.1f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

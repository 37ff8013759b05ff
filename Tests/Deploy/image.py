#!/usr/bin/python3
"""A gateway in a container of the image, from start to end: without a user name or a capability. The same image storms it, and
then it drains. `image.py CONTAINER STORAGE...` runs in a network of its own; STORAGE are buildah's flags."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from scene import bring_up_loopback, get

CLIENTS = 2000
USER = "65532"


def run(container, storage, *words):
    """The arguments of postern in the container, as its image has them."""
    return subprocess.Popen(
        ["buildah", *storage, "run", "--isolation", "chroot", container, "--", "/usr/bin/postern", *words],
        stdout=subprocess.PIPE, text=True)


def gateways():
    """The processes of the program itself, without those that wait for it."""
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if folder.name.isdigit() and words[0] == b"/usr/bin/postern" and b"serve" in words:
            yield int(folder.name)


def main(container, storage):
    bring_up_loopback()
    process = run(container, storage, "serve")
    listening = json.loads(process.stdout.readline())
    assert listening["url"].endswith(":8080"), listening
    assert get("/ready")[0] == 200
    (pid,) = gateways()
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    assert status["Uid"].split() == [USER] * 4, status["Uid"]
    assert int(status["CapEff"], 16) == 0, f"CapEff is {status['CapEff']}"
    resident = int(status["VmRSS"].split()[0]) / 1024

    begun = time.monotonic()
    storm = run(
        container, storage, "storm", "--url", "ws://127.0.0.1:8080", "--control-url", "http://127.0.0.1:8081",
        "--clients", str(CLIENTS))
    said, _ = storm.communicate(timeout=120)
    assert storm.returncode == 0, said
    stormed = time.monotonic() - begun
    assert stormed < 60, f"the storm took {stormed:.0f} s"
    figures = dict(line.rsplit(" ", 1) for line in get("/metrics")[1].splitlines() if line and not line.startswith("#"))
    refreshed = float(figures['postern_refreshes_total{dialect="plain",origin="asked"}'])
    assert refreshed == CLIENTS, f"{refreshed} refreshes\n{said}"

    os.kill(pid, signal.SIGTERM)
    assert process.wait(timeout=30) == 0, "it did not end by itself"
    print(f"   as {USER}, {resident:.0f} MB resident; {CLIENTS} clients stormed it in {stormed:.1f} s; it drained")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

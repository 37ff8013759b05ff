"""Makes the pictures in the documentation, of the dashboard and of a storm's report: `dashboard_pictures.py FOLDER [report]`."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from devtools import Page
from gateway import Gateway

BYTES_MAX = 150_000
# The name of the picture, its width, its greatest height, and whether it is dark. The first shows the whole page.
PICTURES = [("wide", 1000, 2400, False), ("wide-dark", 1000, 960, True), ("narrow", 400, 960, False)]


def storm(gateway, *flags):
    command = [os.environ["POSTERN"], "storm", "--url", gateway.url, "--control-url", gateway.control_url, *flags]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def report(folder):
    """The report of a storm whose tokens expire in one second. The gateway spreads its requests over ten seconds."""
    flags = ["--clients", "2000", "--behaviour", "well-behaved=85,slow=10,stale=5", "--expire-after", "60s"]
    gateway_flags = ["--any-refresh-timeout", "--refresh-timeout", "20s", "--refresh-lead", "15s", "--refresh-spread", "10s"]
    with Gateway(*gateway_flags) as gateway, tempfile.TemporaryDirectory() as scratch, Page(width=1280) as page:
        storm(gateway, *flags, "--report", scratch).wait(timeout=300)
        page.open(Path(scratch, "storm.html").as_uri())
        write(folder, "report", page.picture(1000))


def write(folder, name, picture):
    assert len(picture) <= BYTES_MAX, f"{name} has {len(picture)} bytes"
    (folder / f"{name}.png").write_bytes(picture)
    print(f"{name}.png: {len(picture)} bytes")


def dashboard(folder):
    # Three fleets: tokens of the first have expired by the time of the picture, and a tenth of it answers with the old token;
    # tokens of the second are a wave to come; the third has another dialect, and its tokens are a smaller, later wave.
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "10s") as gateway:
        fleets = [
            storm(gateway, "--clients", "300", "--behaviour", "well-behaved=90,stale=10", "--expire-after", "20s", "--life", "10m"),
            storm(gateway, "--clients", "900", "--expire-after", "300s", "--hold", "280s"),
            storm(gateway, "--clients", "240", "--dialect", "stream-video", "--expire-after", "1500s", "--hold", "280s"),
        ]
        try:
            pages = [(name, Page(width=width, dark=dark)) for name, width, _, dark in PICTURES]
            for _, page in pages:
                page.__enter__()
                page.open(gateway.control_url + "/dashboard")
            time.sleep(45)
            for (name, page), (_, _, height_max, _) in zip(pages, PICTURES):
                page.until("document.getElementById('state').dataset.state === 'live'")
                picture = page.picture(height_max)
                write(folder, f"dashboard-{name}", picture)
        finally:
            for fleet in fleets:
                fleet.terminate()
            for _, page in pages:
                page.__exit__()
            for fleet in fleets:
                fleet.wait(timeout=30)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    report(folder)
    if sys.argv[2:] != ["report"]:
        dashboard(folder)

"""The page about simulations: its commands run as they stand, and print what the page shows."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "Docs"


def test_each_command_prints_what_the_page_shows():
    command = [ROOT / "Deploy" / "simulate-pictures", "--check", os.environ["POSTERN"]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def test_the_hour_of_ten_million_and_the_scenario_can_be_typed(tmp_path):
    (tmp_path / "postern").symlink_to(os.environ["POSTERN"])
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    found = re.search(r"\n\n    (echo '\{ clients: 10000000.*?) postern simulate ten\.json\n", (DOCS / "simulation-limits.md").read_text(), re.DOTALL)
    # A thousandth of the size, and without the time that the page compares.
    small = found[1].rsplit("\n", 1)[0]
    for many, few in [("10000000", "10000"), ("16667", "16"), (" 50000", " 50"), ("200000", "200")]:
        assert many in small
        small = small.replace(many, few)
    done = subprocess.run(
        ["bash", "-ec", f"{small}\npostern simulate ten.json --json"], cwd=tmp_path, env=environment, capture_output=True, timeout=120)
    assert done.returncode == 0, (small, done.stderr)
    typed = re.search(r"`(postern simulate loadtest/\S+)`", (DOCS / "simulation-file.md").read_text())[1]
    done = subprocess.run(["bash", "-c", typed], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1) and "refresh" in done.stdout, done.stderr

"""The tutorial of Deploy/testing.md, typed from its second command on."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def commands(text):
    """The blocks that a shell is given: those that hold no picture of an output."""
    blocks = re.findall(r"(?:^    .*\n|^\n(?=\n*    ))+", text, re.MULTILINE)
    code = [re.sub(r"^    ", "", block, flags=re.MULTILINE).strip("\n") for block in blocks]
    return [block for block in code if not block.startswith("-----") and "swift build" not in block]


def test_every_step_of_the_tutorial_does_what_it_says(tmp_path):
    # pip leaves what it builds beside what it is built from.
    shutil.copytree(ROOT / "Kits/python", tmp_path / "postern/Kits/python")
    steps = commands(re.sub(r"^    export POSTERN=.*\n", "", (ROOT / "Deploy/testing.md").read_text(), flags=re.MULTILINE))
    assert len(steps) == 7, steps
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for name in ("PYTHONPATH", "PYTEST_ADDOPTS"):
        environment.pop(name, None)
    shell = ["bash", "-euo", "pipefail", "-c", f"trap 'kill $(jobs -p) 2>&-' EXIT\ncd {tmp_path}/postern\n" + "\necho -- step\n".join(steps)]
    outcome = subprocess.run(
        shell, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    assert outcome.returncode == 0, outcome.stdout
    parts = outcome.stdout.split("-- step\n")
    failing, mended, day, conform, other = parts[2:7]
    assert "assert 2 == 1" in failing and "1 failed" in failing, failing
    story = [line.split()[3] for line in failing.splitlines() if re.match(r" +\d+ +[\d.]+ s ", line)]
    asked = story.index("refresh_requested")
    assert story[asked:].count("provider_minted") == 2 and "refreshed" in story[asked:], failing
    assert "1 passed" in mended and "2 passed" in day, outcome.stdout
    assert "1 of 1: refresh-at-expiry passed" in conform, conform
    assert '"name":"t1"' in other and '"moved_s":3600' in other, other

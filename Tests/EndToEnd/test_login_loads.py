"""The scripts that load a gateway with a login of the application's own, in a small size. How fast it was is not judged here."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(name, *words):
    command = [ROOT / "loadtest" / name, os.environ["POSTERN"], *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_forged_tokens_with_unknown_kids_cost_one_request_for_the_keys():
    done = run("unknown-kids", "--rate", "100", "--seconds", "4")
    assert done.returncode == 0, done
    assert "requests for keys   1\n" in done.stdout or "requests for keys   0\n" in done.stdout


def test_logouts_end_the_sessions_that_they_name_and_no_other():
    done = run("logouts", "--connections", "120", "--logouts", "40")
    faults = [line for line in done.stderr.splitlines() if "busy for more than" not in line]
    assert done.returncode in (0, 1) and not faults and "40 logouts answered" in done.stdout, done

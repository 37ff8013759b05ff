"""A `postern storm` process and its report. The report is always checked against the schema."""

import json
import os
import re
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMA = json.loads((Path(__file__).parent.parent.parent / "Deploy" / "reports" / "report.schema.json").read_text())
PATIENCE = 120


def report_of(text):
    report = json.loads(text)
    Draft202012Validator(SCHEMA).validate(report)
    return report


def failure(status, out, err):
    """The message for a storm that ended with an unexpected status."""
    try:
        report = json.loads(out)
        result = report["result"]
        said = [outcome for outcome in report["thresholds"] if not outcome["holds"]]
        said += [report["caveats"], result["connects"], result["returns"], result["disconnects"], result["behaviours"]]
    except ValueError:
        said = [out]
    return "\n".join(map(str, [status, *said, err]))


def run(*flags, expected=(0,)):
    """Runs a storm, and returns the report as JSON. `expected` are the exit statuses that it may have."""
    command = [os.environ["POSTERN"], "storm", "--json", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in expected, failure(done.returncode, done.stdout, done.stderr)
    return report_of(done.stdout) if done.returncode < 2 else done.stderr


class Running:
    """A storm that runs in the background."""

    def __init__(self, *flags):
        self.process = subprocess.Popen(
            [os.environ["POSTERN"], "storm", "--json", *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def until(self, count, line='postern_storm_logins_total{outcome="accepted"}'):
        """Waits until so many of the storm's clients have reached a state, by the storm's own page (`--live 0`). The gateway
        may know of a login before its client does."""
        self.page = self.page or re.search(r"http://\S+/", self.process.stderr.readline())[0]
        deadline = time.monotonic() + PATIENCE
        while True:
            with urllib.request.urlopen(f"{self.page}metrics", timeout=PATIENCE) as answer:
                found = [row for row in answer.read().decode().splitlines() if row.startswith(f"{line} ")]
            if found and float(found[0].rpartition(" ")[2]) >= count:
                return
            assert time.monotonic() < deadline and self.process.poll() is None, found
            time.sleep(0.05)

    page = None

    def report(self, expected=(0,)):
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        out, err = self.process.communicate()
        timer.cancel()
        assert self.process.returncode in expected, failure(self.process.returncode, out, err)
        return report_of(out)


def value(report, name):
    return report["figures"][name]["value"]


def at_least(report, name, least):
    """Whether the figure is that large, or cannot be measured because a busy machine kept the storm itself waiting."""
    figure = report["figures"][name]
    return "the storm" in figure["why"] if figure["value"] is None else figure["value"] >= least


def caveats(report):
    """The report's caveats, except for the storm's own lateness, which a busy machine causes."""
    return [caveat for caveat in report["caveats"] if not caveat.startswith("the storm itself was late")]

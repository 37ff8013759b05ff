"""Published incidents as scenarios: each reproduces its number within the tolerance that it states, and its cure removes it."""

import json
import os
import pathlib
import subprocess

import pytest

INCIDENTS = pathlib.Path(__file__).resolve().parents[2] / "loadtest" / "incidents"


def scenario(folder):
    """The scenario of an incident. Comments are on lines of their own."""
    lines = (folder / "scenario.json").read_text().splitlines()
    return json.loads("\n".join(line for line in lines if not line.strip().startswith("//")))


def changed(value, change):
    """A scenario with some members replaced; objects are merged member by member."""
    if not isinstance(value, dict) or not isinstance(change, dict):
        return change
    return value | {name: changed(value.get(name), part) for name, part in change.items()}


def runs():
    for folder in sorted(INCIDENTS.iterdir()):
        for run in json.loads((folder / "expect.json").read_text())["runs"]:
            yield pytest.param(folder, run, id=f"{folder.name}: {run['name']}")


def is_near(value, expected):
    return abs(value - expected["value"]) <= expected["tolerance"] * (expected["value"] if expected["value"] else 1)


@pytest.mark.parametrize(("folder", "run"), runs())
def test_an_incident_has_its_published_number_and_its_cure_removes_it(tmp_path, folder, run):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(changed(scenario(folder), run["change"])))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", "--json", str(file)], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    checks = [("", report["figures"], run.get("figures", {}))]
    checks += [(phase["name"], phase["figures"], run.get("phases", {}).get(phase["name"], {})) for phase in report.get("phases", [])]
    assert {name for name, _, wanted in checks if wanted} - {""} == run.get("phases", {}).keys()
    for phase, figures, wanted in checks:
        for name, expected in wanted.items():
            assert is_near(figures[name]["value"], expected), (phase, name, figures[name], expected)
    for share in run.get("shares", []):
        values = [report["figures"][name]["value"] for name in share["of"]]
        assert is_near(values[0] / sum(values), share), (share, values)


def test_every_incident_names_its_source_and_what_is_assumed():
    folders = list(INCIDENTS.iterdir())
    assert folders
    for folder in folders:
        expect = json.loads((folder / "expect.json").read_text())
        assert expect["source"].startswith("https://") and expect["known"] and expect["assumed"]
        assert any(run["name"].startswith("cure") for run in expect["runs"])

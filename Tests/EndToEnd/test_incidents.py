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


@pytest.mark.parametrize(("folder", "run"), runs())
def test_an_incident_has_its_published_number_and_its_cure_removes_it(tmp_path, folder, run):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(changed(scenario(folder), run["change"])))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", "--json", str(file)], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    figures = json.loads(done.stdout)["figures"]
    for name, expected in run["figures"].items():
        value = figures[name]["value"]
        assert abs(value - expected["value"]) <= expected["tolerance"] * max(1, expected["value"]), (name, value, expected)


def test_every_incident_names_its_source_and_what_is_assumed():
    folders = list(INCIDENTS.iterdir())
    assert folders
    for folder in folders:
        expect = json.loads((folder / "expect.json").read_text())
        assert expect["source"].startswith("https://") and expect["known"] and expect["assumed"]
        assert any(run["name"].startswith("cure") for run in expect["runs"])

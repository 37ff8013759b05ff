"""The page of a report, and of a comparison, in a browser: compared with the JSON, at three widths, in dark mode."""

import json
import os
import re
import subprocess

import pytest

from devtools import Page
from gateway import Gateway
from storms import run

STORM = ["--clients", "120", "--rate", "120", "--hold", "4s", "--refresh-timeout", "10s", "--threshold", "lost == 0"]
UNITS = {None: 1, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "%": 0.01, "B": 1, "KB": 1e3, "MB": 1e6, "min": 60, "h": 3600}
ROWS = "[...document.querySelectorAll('table tr')].map(row => [...row.children].map(cell => cell.textContent))"
OPEN = "document.querySelectorAll('details').forEach(part => part.open = true)"


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Two storms. In one of them clients are lost as their behaviour demands."""
    folder = tmp_path_factory.mktemp("pages")
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "10s") as gateway:
        flags = ["--url", gateway.url, "--control-url", gateway.control_url, *STORM]
        for name, mix in [("one", "well-behaved=100"), ("other", "well-behaved=90,forgetful=10")]:
            report = run(*flags, "--behaviour", mix, "--report", folder / name)
            assert json.loads((folder / name / "storm.json").read_text()) == report
    return folder


def number(text):
    """A figure on the page, in the unit of the JSON; nothing if it is no number."""
    found = re.match(r"(-?[\d,]+(?:\.\d+)?) ?(ns|us|ms|s|%|KB|MB|B|min|h)?(?=$|[ :,;])", text)
    return found and float(found[1].replace(",", "")) * UNITS[found[2]]


@pytest.mark.parametrize("name", ["one", "other"])
def test_the_pages_numbers_equal_the_json_at_every_width_and_in_the_dark(reports, name, tmp_path):
    figures = json.loads((reports / name / "storm.json").read_text())["figures"]
    with Page() as page:
        page.open((reports / name / "storm.html").as_uri())
        page.evaluate(OPEN)
        page.looks_right_everywhere(tmp_path, name)
        shown = {row[0]: row[1] for row in page.evaluate(ROWS) if len(row) > 1 and row[0] in figures}
        charts = page.evaluate("document.querySelectorAll('svg').length")
        assert page.complaints == [] and not [address for address in page.requests if not address.startswith("file:")]
    held = 0
    for metric, text in shown.items():
        value, said = figures[metric]["value"], number(text)
        if value is None:
            assert said is None, (metric, text)
            continue
        # Three digits, or as many as fit.
        assert said == pytest.approx(value, rel=0.006, abs=0.006 if value < 1 and "%" in text else 1e-9), (metric, text)
        held += 1
    assert held >= 30 and charts >= 3, (held, charts)
    for metric in ("connects.ok", "refresh.accepted", "lost", "lost.expected", "cut_off", "provider.calls"):
        assert number(shown[metric]) == figures[metric]["value"], metric


@pytest.mark.parametrize("width", [1280, 768, 400])
def test_text_in_charts_is_at_least_11_px_high(reports, width):
    sizes = """[...document.querySelectorAll('svg text')].map(text => {
      const svg = text.ownerSVGElement;
      return parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    })"""
    with Page(width=width) as page:
        page.open((reports / "one" / "storm.html").as_uri())
        found = page.evaluate(sizes)
    assert len(found) > 20 and min(found) >= 11, min(found)


def test_two_compared_are_drawn_over_each_other(reports, tmp_path):
    command = [os.environ["POSTERN"], "report", "compare", reports / "one" / "storm.json", reports / "other" / "storm.json"]
    done = subprocess.run([*command, "--html", tmp_path / "compared.html", "--json"], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    with Page() as page:
        page.open((tmp_path / "compared.html").as_uri())
        page.looks_right_everywhere(tmp_path, "compared")
        # Each chart has a line for each storm.
        lines = page.evaluate("[...document.querySelectorAll('svg')].map(svg => svg.querySelectorAll('polyline').length)")
        assert len(lines) >= 3 and all(count >= 2 for count in lines), lines
        assert page.complaints == []

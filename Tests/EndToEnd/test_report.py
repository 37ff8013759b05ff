"""What can be made from a storm's report: comparisons, JUnit's XML, comma-separated values, a summary for a chat."""

import csv
import itertools
import json
import os
import re
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from clients import control
from gateway import Gateway
from http_server import HTTPServer

STORM = ["--clients", "40", "--rate", "200", "--hold", "4s", "--refresh-timeout", "10s"]


def postern(*words, expected=0):
    done = subprocess.run([os.environ["POSTERN"], *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == expected, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout if expected < 2 else done.stderr


def opened(gateway):
    text = control(gateway, "GET", "/metrics").body.decode()
    return sum(float(value) for value in re.findall(r"postern_connections_opened_total\{.*\} (\S+)", text))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two storms: one in which every client is well-behaved, and one in which a quarter never answers and is lost by strict
    thresholds."""
    folder = tmp_path_factory.mktemp("reports")
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "10s") as gateway:
        common = ["storm", "--url", gateway.url, "--control-url", gateway.control_url, *STORM]
        before = opened(gateway)
        out = postern(
            *common, "--report", folder / "good", "--csv", folder / "good.csv", "--junit", folder / "good.xml", "--hdr", folder / "good.hlog",
            "--summary",
        )
        (folder / "summary").write_text(out)
        (folder / "opened").write_text(str(opened(gateway) - before))
        postern(
            *common, "--report", folder / "bad", "--junit", folder / "bad.xml", "--threshold", "lost.expected == 0",
            "--threshold", "lost == 0", "--behaviour", "well-behaved=30,forgetful=10", expected=1,
        )
    return folder


def good(folder):
    return folder / "good" / "storm.json"


def bad(folder):
    return folder / "bad" / "storm.json"


def test_the_series_adds_up_to_the_report_and_to_the_gateways_own_count(folder):
    text = (folder / "good.csv").read_bytes()
    assert text.count(b"\r\n") == text.count(b"\n")
    rows = list(csv.DictReader(text.decode().splitlines()))
    result = json.loads(good(folder).read_text())["result"]
    total = lambda name: sum(int(row[name]) for row in rows)
    assert total("logins (1/s)") == result["connects"]["accepted"] == 40 == float((folder / "opened").read_text())
    assert total("refreshes accepted (1/s)") == result["refreshes"]["accepted"] == 40
    assert total("provider calls for logins (1/s)") == 40 and total("provider calls for refreshes (1/s)") == 40
    assert int(rows[-1]["connected at its end (clients)"]) == 40


def test_the_histograms_say_to_another_reader_what_the_report_says(folder):
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogReader

    figures = json.loads(good(folder).read_text())["figures"]
    lines = [line for line in (folder / "good.hlog").read_text().splitlines() if line.startswith("Tag=")]
    assert [line.split(",")[0] for line in lines] == ["Tag=connect", "Tag=refresh", "Tag=provider"]
    for line in lines:
        tag, _, _, longest, text = line.removeprefix("Tag=").split(",")
        histogram = HdrHistogram.decode(text)
        assert histogram.get_total_count() == (80 if tag == "provider" else 40)
        for share, name in [(50, "p50"), (90, "p90"), (99, "p99")]:
            # The report's p99 of eighty values is the eightieth. The other reader rounds to the nearest, unless told otherwise.
            # The report's value is never above the largest that was seen.
            total = histogram.get_total_count()
            exact = 100 * -(-share * total // 100) / total
            us = min(histogram.get_value_at_percentile(exact), float(longest) * 1000)
            figure = figures[f"{tag}.{name}"]
            # On a busy machine the report has no value, and says so.
            if figure["value"] is None and "the storm" in figure["why"]:
                continue
            assert us / 1e6 == pytest.approx(figure["value"], rel=0.001), (tag, name)
    reader = HistogramLogReader(str(folder / "good.hlog"), HdrHistogram(1, 1 << 36, 2))
    assert reader.get_next_interval_histogram().get_total_count() == 40


def test_junit_has_a_case_for_each_threshold(folder):
    suite = xml.parse(folder / "good.xml").getroot()
    # One check that the storm ran to its end, and the five default thresholds.
    assert suite.get("tests") == "6" and suite.get("failures") == "0"
    suite = xml.parse(folder / "bad.xml").getroot()
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["lost.expected == 0"] and suite.get("tests") == "3"


def test_the_summary_says_it_in_a_few_lines_without_an_address(folder):
    lines = (folder / "summary").read_text().splitlines()
    assert lines[0].startswith("**Storm passed**: 40 clients, plain")
    assert len(lines) == 2 or [line for line in lines[2:] if "the storm itself was late" not in line] == []
    assert "refreshed 100 %" in lines[1] and "127.0.0.1" not in "".join(lines)
    assert postern("report", "show", good(folder), "--summary").splitlines() == lines


def test_a_report_shown_has_every_figure_of_its_json(folder, tmp_path):
    shown = postern("report", "show", good(folder), "--csv", tmp_path / "again.csv")
    for name, figure in json.loads(good(folder).read_text())["figures"].items():
        assert figure["value"] is None or f" {name} " in shown
    assert (tmp_path / "again.csv").read_bytes() == (folder / "good.csv").read_bytes()


def test_a_storm_is_no_worse_than_itself_and_worse_where_clients_are_missing(folder, tmp_path):
    same = json.loads(postern("report", "compare", good(folder), good(folder), "--json"))
    assert same["passes"] and not [caveat for caveat in same["caveats"] if "the storm itself was late" not in caveat]
    page = tmp_path / "page.html"
    told = postern(
        "report", "compare", good(folder), bad(folder), "--tolerance", "1000%", "--metric", "refresh.timed_out",
        "--metric", "lost", "--html", page, expected=1,
    )
    assert told.splitlines()[-1] == "worse: refresh.timed_out 0 -> 10"
    assert "! the plan's behaviours.weights.forgetful differs: absent, then 10" in told
    assert page.read_text().count("<polyline") >= 8
    postern("report", "compare", bad(folder), good(folder), "--metric", "refresh.timed_out")
    both = json.loads(postern("report", "compare", good(folder), bad(folder), "--json", expected=1))
    for path, name in ((good(folder), "baseline"), (bad(folder), "value")):
        figures = json.loads(path.read_text())["figures"]
        for metric, line in both["figures"].items():
            assert line.get(name) == figures[metric]["value"]


def test_the_twins_of_a_storm_are_no_worse_than_one_another_and_a_fleet_that_lost_clients_is(tmp_path):
    def storm(gateway, name, clients=100):
        out = postern(
            "storm", "--url", gateway.url, "--control-url", gateway.control_url, "--clients", clients, "--rate", "200",
            "--hold", "3s", "--json")
        (tmp_path / name).write_text(out)
        return tmp_path / name

    with Gateway() as gateway:
        twins = [storm(gateway, f"{number}.json") for number in range(3)]
        other = storm(gateway, "other.json", clients=90)
    def worse(*reports):
        words = [os.environ["POSTERN"], "report", "compare", *map(str, reports), "--json"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        assert done.returncode < 2, done.stderr
        return {name: line for name, line in json.loads(done.stdout)["figures"].items() if line.get("fails")}

    for reports in [*itertools.product(twins, twins), twins]:
        # Other load on the machine makes a gateway slower, and chance does not explain that. Nothing else may differ.
        assert all(line["unit"] == "seconds" for line in worse(*reports).values()), worse(*reports)
    compared = json.loads(postern("report", "compare", *twins, other, "--json", expected=1))
    assert compared["outcome"] == "different" and "the plan's clients differs: 100, then 90" in compared["differences"]
    # As if ten of them had been lost.
    report = json.loads(twins[2].read_text())
    report["figures"]["lost"]["value"] = 10
    (tmp_path / "worse.json").write_text(json.dumps(report))
    for baselines in (twins[:1], twins[:2]):
        last = postern("report", "compare", *baselines, tmp_path / "worse.json", expected=1).splitlines()[-1]
        assert last.startswith("worse: ") and "lost 0 -> 10" in last, last
    assert "at least two files" in postern("report", "compare", twins[0], expected=2)


@pytest.mark.parametrize("text, says", [
    ("", "is no JSON"), ("{}", "no report of a storm"), ('{"schema": "postern-storm/9"}', "another version"),
    (None, "ends in the middle"),
])
def test_a_file_that_is_no_report_is_refused_with_a_sentence(folder, tmp_path, text, says):
    path = tmp_path / "wrong.json"
    path.write_text(good(folder).read_text()[:5000] if text is None else text)
    told = postern("report", "compare", good(folder), path, expected=2)
    assert says in told and str(path) in told and len(told.splitlines()) <= 2


@pytest.mark.parametrize("flag", ["--junit", "--csv"])
def test_a_file_that_cannot_be_written_is_refused_before_the_storm(tmp_path, flag):
    for path, says in [(tmp_path, "is a directory"), (tmp_path / "none" / "file", "no such directory")]:
        assert says in postern("storm", "--url", "ws://127.0.0.1:1", flag, path, expected=2)
    assert "remove one" in postern("storm", "--url", "ws://127.0.0.1:1", "--json", "--summary", expected=2)


def test_a_pipe_a_link_and_a_device_are_written_to_and_stay_what_they_are(folder, tmp_path):
    pipe, link, device, real = (tmp_path / name for name in ("pipe", "link", "device", "real"))
    os.mkfifo(pipe)
    real.write_text("of before, and longer than what comes" * 1000)
    link.symlink_to(real)
    device.symlink_to("/dev/null")
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        postern("report", "show", good(folder), "--csv", pipe, "--junit", link, "--hdr", device)
        assert reader.stdout.read() == (folder / "good.csv").read_bytes()
    assert pipe.is_fifo() and link.is_symlink() and device.is_symlink() and Path("/dev/null").is_char_device()
    assert real.read_bytes() == (folder / "good.xml").read_bytes()


def test_one_file_that_cannot_be_written_keeps_no_other_from_being_written(tmp_path):
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    with Gateway() as gateway:
        command = [os.environ["POSTERN"], "storm", "--url", gateway.url, "--clients", "5", "--hold", "3s"]
        command += ["--junit", full, "--hdr", full, "--csv", tmp_path / "series.csv", "--report", tmp_path / "reports"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "Figures" not in done.stderr and "refresh" in done.stdout
    for flag in ("--junit", "--hdr"):
        assert f"{flag}: cannot write {full}: No space left on device" in done.stderr
    assert (tmp_path / "series.csv").read_text().startswith("start of the second")
    assert json.loads((tmp_path / "reports" / "storm.json").read_text())["passes"]
    assert (tmp_path / "reports" / "storm.html").exists()


def test_junit_says_of_a_storm_that_ended_itself_that_it_did(tmp_path):
    file = tmp_path / "tokens.json"
    file.write_text('{"tokens": 1, "request": {"url": "/"}, "answer": {"token": "/t", "end": {"fixed": "60s"}}}')
    with HTTPServer(lambda _: (500, b"")) as endpoint:
        postern(
            "storm", "--provider-only", "--tokens", file, "--provider", endpoint.url, "--clients", "100", "--rate", "20",
            "--stop-when", "provider.refused.share > 50% over 2s", "--threshold", "provider.granted == 0",
            "--junit", tmp_path / "junit.xml", expected=1,
        )
    messages = [failure.get("message") for failure in xml.parse(tmp_path / "junit.xml").getroot().iter("failure")]
    assert len(messages) == 1 and messages[0].startswith("it ended itself: "), messages
    assert "brought no token within 2.00 s" in messages[0]

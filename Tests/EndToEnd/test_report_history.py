"""A history of reports: what is added, its tolerances, its trend, and Markdown for a pull request."""

import itertools
import json
import os
import random
import statistics
import subprocess
import threading
import xml.etree.ElementTree as xml

import pytest

SCENARIO = {"clients": 400, "rate": 100, "hold_s": 2, "jitter": 0.01, "provider": {"concurrency": 10, "latency_ms": [20, 60], "queue_max": 5000}}


def postern(*words, expected=0):
    done = subprocess.run([os.environ["POSTERN"], *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == expected, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout if expected < 2 else done.stderr


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports of one storm with eleven seeds, on different days, and of one with a slower provider."""
    folder = tmp_path_factory.mktemp("reports")
    for seed in (*range(1, 11), 14, 26):
        scenario = {**SCENARIO, "world": {"seed": seed}}
        if seed == 10:
            scenario["provider"] = {**SCENARIO["provider"], "latency_ms": [100, 140]}
        (folder / "scenario.json").write_text(json.dumps(scenario))
        report = json.loads(postern("simulate", folder / "scenario.json", "--json"))
        report["started_at"] = f"2026-11-{seed:02}T09:00:00Z"
        (folder / f"{seed}.json").write_text(json.dumps(report))
    return folder


@pytest.fixture
def history(reports, tmp_path):
    for seed in range(1, 9):
        said = postern("report", "add", reports / f"{seed}.json", "--history", tmp_path / "runs", "--label", "main")
        assert said == f"added: {tmp_path}/runs/main/2026-11-{seed:02}T09-00-00Z.json\n"
    return tmp_path / "runs"


def compare(history, report, *more, expected=0):
    return postern("report", "compare", "--history", history, "--label", "main", report, *more, expected=expected)


def test_a_further_run_is_no_worse_and_a_slower_one_is(history, reports):
    assert "no worse" in compare(history, reports / "9.json").splitlines()[-1]
    worse = compare(history, reports / "10.json", expected=1)
    assert "worse: " in worse and "provider.p50" in worse.splitlines()[-1]


@pytest.mark.parametrize("seed", [14, 26])
@pytest.mark.parametrize("count", [1, 4, 5, 8])
def test_a_run_that_differs_by_chance_is_no_worse_beside_few_or_many(reports, seed, count):
    """These seeds need a second more for 95 % of the refreshes, like one of the first eight."""
    baselines = [reports / f"{number}.json" for number in range(1, count + 1)]
    assert "no worse" in postern("report", "compare", *baselines, reports / f"{seed}.json").splitlines()[-1]


def test_the_baselines_are_the_latest_runs_without_the_new_one(history, reports):
    document = json.loads(compare(history, reports / "8.json", "--last", "5", "--json", "--metric", "lost"))
    assert len(document["figures"]["provider.p50"]["baselines"]) == 5
    table = compare(history, reports / "8.json", "--last", "5", "--metric", "lost")
    assert [f"2026-11-0{day}" in table for day in (2, 3, 7)] == [False, True, True]
    assert "1 baseline: its scatter is unknown" in compare(history, reports / "9.json", "--last", "1", "--metric", "lost")
    assert "4 baselines: their scatter is little known" in compare(history, reports / "9.json", "--last", "4", "--metric", "lost")


def test_one_unusual_run_does_not_widen_the_tolerance(history, reports, tmp_path):
    bad = json.loads((reports / "8.json").read_text())
    for name in ("provider.p50", "provider.p90", "provider.p99", "refresh.p50"):
        bad["figures"][name]["value"] *= 30
    bad["started_at"] = "2026-11-09T09:00:00Z"
    (tmp_path / "bad.json").write_text(json.dumps(bad))
    postern("report", "add", tmp_path / "bad.json", "--history", history)
    assert "provider.p50" in compare(history, reports / "10.json", expected=1).splitlines()[-1]


def test_the_tolerance_is_the_median_distance_from_the_median(reports, tmp_path):
    """The band of an independent calculation: runs just inside count as equal, runs just outside as worse."""
    chance = random.Random(3)
    report = json.loads((reports / "1.json").read_text())
    values = [round(chance.gauss(4.0, 0.1), 3) for _ in range(8)]
    for day, latency in enumerate(values, 1):
        report["figures"]["time_to_50"]["value"] = latency
        report["started_at"] = f"2026-10-{day:02}T09:00:00Z"
        (tmp_path / "run.json").write_text(json.dumps(report))
        postern("report", "add", tmp_path / "run.json", "--history", tmp_path / "runs")
    middle = statistics.median(values)
    reach = 5.88 * 1.4826 * statistics.median(abs(latency - middle) for latency in values)
    for far, status in ((0.98 * reach, 0), (1.02 * reach, 1)):
        report["figures"]["time_to_50"]["value"] = middle + max(far, 0)
        report["started_at"] = "2026-10-31T09:00:00Z"
        (tmp_path / "new.json").write_text(json.dumps(report))
        compare(tmp_path / "runs", tmp_path / "new.json", "--metric", "time_to_50", expected=status)


def test_markdown_has_the_verdict_and_what_failed_and_no_address(history, reports):
    text = compare(history, reports / "10.json", "--summary", expected=1)
    assert text.startswith("**Storm worse** beside 8 baselines\n\n| figure | 8 baselines | new run | change | |\n|---|---|---|---|---|\n")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert "**WORSE**" in rows[0] and all(row.count("|") == 6 for row in rows)
    assert "`lost`" in text and "simulated gateway" not in text
    assert compare(history, reports / "9.json", "--summary").startswith("**Storm no worse** beside 8 baselines")


def test_markdown_of_a_hostile_report_is_no_markup(reports, tmp_path):
    report = json.loads((reports / "9.json").read_text())
    report["caveats"] = ["@everyone <img src=x> [click](http://x) | a |\n# head `code`"]
    (tmp_path / "hostile.json").write_text(json.dumps(report))
    text = postern("report", "compare", reports / "1.json", tmp_path / "hostile.json", "--summary")
    note = next(line for line in text.splitlines() if "everyone" in line)
    assert note == r"- note: new run: \@everyone \<img src=x\> \[click\](http://x) \| a \| \# head \`code\`"


def test_the_trend_has_each_figure_with_its_band(history, reports, tmp_path):
    postern("report", "add", reports / "9.json", "--history", history)
    text = postern("report", "trend", history, "--html", tmp_path / "trend.html")
    assert text.startswith("9 runs of main, 2026-11-01T09:00:00Z to 2026-11-09T09:00:00Z\n")
    row = next(line for line in text.splitlines() if line.split()[:1] == ["provider.p50"])
    assert "…" in row and row.endswith("alike") and "further figures are 0 in every run" in text
    page = (tmp_path / "trend.html").read_text()
    body = xml.fromstring(page[page.index("<body>"):page.index("</body>") + 7])
    charts = {figure.find("figcaption/span").text.split(",")[0]: figure for figure in body.iter("figure")}
    assert len(list(charts["provider.p50"].iter("circle"))) == 9 and "lost" not in charts
    assert len(list(charts["provider.p50"].iter("polygon"))) == 1


def test_a_slower_run_is_outside_of_the_band(history, reports):
    postern("report", "add", reports / "10.json", "--history", history)
    # The slower provider belongs to `world`, and the plan is the same storm's.
    text = postern("report", "trend", history)
    assert next(line for line in text.splitlines() if line.split()[:1] == ["provider.p50"]).endswith("outside")


def test_reports_of_another_storm_are_left_out_and_counted(history, reports, tmp_path):
    report = json.loads((reports / "9.json").read_text())
    report["plan"]["clients"], report["started_at"] = 401, "2026-11-20T09:00:00Z"
    (tmp_path / "other.json").write_text(json.dumps(report))
    postern("report", "add", tmp_path / "other.json", "--history", history)
    report["plan"]["clients"] = 402
    (tmp_path / "changed.json").write_text(json.dumps(report))
    assert "1 report of main is of another storm and left out" in compare(history, reports / "9.json")
    assert "different" in compare(history, tmp_path / "changed.json", expected=1).splitlines()[-1]


def test_adding_twice_at_once_keeps_one_file_and_another_report_of_that_second_its_own(reports, tmp_path):
    done = []
    threads = [threading.Thread(target=lambda: done.append(postern("report", "add", reports / "1.json", "--history", tmp_path / "runs"))) for _ in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sum(said.startswith("added: ") for said in done) == 1 and sum(said.startswith("is there already: ") for said in done) == 5
    other = json.loads((reports / "2.json").read_text())
    other["started_at"] = "2026-11-01T09:00:00Z"
    (tmp_path / "other.json").write_text(json.dumps(other))
    assert postern("report", "add", tmp_path / "other.json", "--history", tmp_path / "runs").endswith("2026-11-01T09-00-00Z_2.json\n")
    assert sorted(os.listdir(tmp_path / "runs" / "main")) == ["2026-11-01T09-00-00Z.json", "2026-11-01T09-00-00Z_2.json"]


def test_an_invalid_history_or_an_incomplete_storm_is_refused_with_advice(reports, tmp_path):
    half = json.loads((reports / "1.json").read_text())
    half["result"]["was_interrupted"] = True
    (tmp_path / "half.json").write_text(json.dumps(half))
    assert "is no whole storm, it was interrupted" in postern("report", "add", tmp_path / "half.json", "--history", tmp_path / "runs", expected=2)
    assert not (tmp_path / "runs").exists()
    assert "needs --history DIR" in postern("report", "add", reports / "1.json", expected=2)
    assert "add one with postern report add" in postern("report", "trend", tmp_path, expected=2)
    assert "expected a directory" in postern("report", "trend", reports / "1.json", expected=2)
    assert "expected 1 to 64 letters" in postern("report", "trend", tmp_path, "--label", "../x", expected=2)
    assert "--last needs --history" in postern("report", "compare", reports / "1.json", reports / "2.json", "--last", "3", expected=2)
    named = json.loads((reports / "1.json").read_text())
    named["started_at"] = "../../../../etc/passwd"
    (tmp_path / "named.json").write_text(json.dumps(named))
    said = postern("report", "add", tmp_path / "named.json", "--history", tmp_path / "runs")
    assert said == f"added: {tmp_path}/runs/main/etcpasswd.json\n"


def test_three_storms_of_one_program_are_no_worse_in_all_pairs_and_one_that_is_a_fifth_slower_is(tmp_path):
    def storm(name, seed, latency):
        scenario = {**SCENARIO, "world": {"seed": seed}, "provider": {"concurrency": 100, "latency_ms": latency, "queue_max": 5000}}
        (tmp_path / "scenario.json").write_text(json.dumps(scenario))
        (tmp_path / name).write_text(postern("simulate", tmp_path / "scenario.json", "--json"))
        return tmp_path / name

    twins = [storm(f"{seed}.json", seed, [200, 600]) for seed in (1, 2, 3)]
    slower = storm("slower.json", 4, [240, 720])
    for one, other in itertools.permutations(twins, 2):
        assert "no worse" in postern("report", "compare", one, other).splitlines()[-1]
    # The scatter of three tells a fifth from chance; that of one does not.
    assert "provider.p50" in postern("report", "compare", *twins, slower, expected=1).splitlines()[-1]

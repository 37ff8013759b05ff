"""`postern simulate` and its planner from a shell: repeatable, interruptible, with clear refusals and progress."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import storms
from gateway import Gateway

HERD = {
    "clients": 3000, "rate": 1000, "life_s": 3600,
    "client": {"first_token": "in_hand"}, "provider": {"rate": 30, "queue_max": 240},
}
# Only `machines` has its kind of provider and its other keys.
BOTH = {
    "clients": 400, "rate": 200, "behaviours": "well-behaved=70,slow=10,stale=10,refused=10",
    "gateway": {"lead_s": 1, "spread_s": 2}, "client": {"reconnect": True},
    "provider": {"concurrency": 2, "latency_ms": 50, "queue_max": 100, "failure_rate": 0.1, "abandoned": "drop"},
}


def write(tmp_path, scenario, name="scenario.json"):
    file = tmp_path / name
    file.write_text(json.dumps(scenario))
    return str(file)


def simulate(*words, expected=(0, 1), before="", **options):
    command = ["bash", "-c", f'{before} exec "$0" simulate "$@"', os.environ["POSTERN"], *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    assert done.returncode in expected, (done.returncode, done.stdout[-2000:], done.stderr)
    return done


@pytest.mark.parametrize("fidelity", ["machines", "wire"])
@pytest.mark.parametrize("dialect", ["plain", "sendbird"])
def test_the_same_seed_says_the_same_byte_for_byte_whatever_the_threads(tmp_path, fidelity, dialect):
    file = write(tmp_path, BOTH | {"dialect": dialect})
    flags = ["--fidelity", fidelity, "--seeds", "3", "--seed", "7"]
    told = set()
    for threads in ("1", "2", "5"):
        page, junit = tmp_path / f"{threads}.html", tmp_path / f"{threads}.xml"
        done = simulate(file, *flags, "--json", "--threads", threads, "--html", str(page), "--junit", str(junit))
        told.add((done.returncode, done.stdout, done.stderr, page.read_text(), junit.read_text()))
    assert len(told) == 1
    report = storms.report_of(told.pop()[1])
    assert report["source"] == fidelity and report["plan"]["seed"] == 7
    assert simulate(file, "--fidelity", fidelity, "--seed", "8", "--json").stdout != report


def test_both_worlds_and_a_real_storm_have_the_same_figures_by_name(tmp_path):
    file = write(tmp_path, BOTH | {"clients": 60, "rate": 100, "hold_s": 5})
    figures = [json.loads(simulate(file, "--fidelity", world, "--json").stdout)["figures"] for world in ("machines", "wire")]
    with Gateway("--refresh-lead", "1s", "--refresh-spread", "2s", loops=1) as gateway:
        figures.append(storms.run("--url", gateway.url, "--scenario", file, "--timeout", "8s", expected=(0, 1))["figures"])
    names = [sorted(one) for one in figures]
    assert names[0] == names[1] == names[2]
    for name in ("provider.goodput", "provider.amplification", "recovered.after", "horizon.peak",
                 "provider.refresh_peak_to_mean_10s", "connected.dip"):
        for one in figures:
            assert one[name]["value"] is not None or one[name]["why"], name


def test_the_thresholds_decide_the_exit_status_and_are_cases_of_junit(tmp_path):
    file = write(tmp_path, HERD)
    junit = tmp_path / "junit.xml"
    done = simulate(file, "--threshold", "lost > 0", "--summary", expected=(0,))
    assert "passed" in done.stdout
    done = simulate(file, "--threshold", "lost.share < 1%", "--summary", "--junit", str(junit), expected=(1,))
    assert "fails: `lost.share < 1%`" in done.stdout and 'failures="1"' in junit.read_text()


def test_a_question_is_answered_for_machines_too_and_agrees_with_arithmetic(tmp_path):
    file = write(tmp_path, HERD)
    flags = ["plan", "--ask", "capacity", "--scale", "1000", file]
    text = simulate(*flags, "--threshold", "lost.share <= 0.1%", expected=(0,)).stdout
    answer = json.loads(simulate(*flags, "--threshold", "lost.share <= 0.1%", "--json", expected=(0,)).stdout)
    # 3,000 within a minute.
    assert 50 <= answer["answer"] <= 53 and answer["passes"] and answer["is_least"]
    assert f"at least {answer['answer']:.1f}" in text and "proven with 3,000 clients: it holds" in text
    assert answer["proof"]["clients"] == 3000 and answer["holds"]["clients"] == 1000
    assert not answer["fails"]["holds"] and answer["fails"]["value"] < answer["answer"]
    # In a smaller world the number of clients is smaller by the same factor.
    counted = json.loads(simulate(*flags, "--threshold", "lost <= 3", "--json", expected=(0,)).stdout)
    assert counted["answer"] == answer["answer"]
    borne = json.loads(simulate("plan", "--ask", "clients", "--scale", "300", "--json", file, expected=(0,)).stdout)
    # Thirty a second for a minute.
    assert borne["answer"] == borne["proof"]["clients"] and 1740 <= borne["answer"] <= 1800 and not borne["is_least"]
    grid = json.loads(simulate("plan", "--ask", "stability", "--scale", "100", "--json", file, expected=(0,)).stdout)["grid"]
    assert len(grid) == 60 and all(cell["is_beyond_cliff"] == (cell["queue_s"] >= cell["fetch_timeout_s"]) for cell in grid)


def test_a_way_to_wait_is_no_answer_where_each_loses_most_of_the_fleet(tmp_path):
    file = write(tmp_path, HERD | {"thresholds": ["lost.share <= 0.1%"]})
    flags = ["plan", "--ask", "backoff", "--scale", "500", file]
    done = simulate(*flags, expected=(1,))
    rows = [line.split() for line in done.stdout.splitlines()[1:] if "holds" in line or "fails" in line]
    limits = ("budget", "budget-of-fleet", "breaker", "breaker-of-fleet")
    ways = ["full", "equal", "exponential", "fixed", *(f"full+{limit}" for limit in limits)]
    assert [row[:2] for row in rows] == [[way, "fails"] for way in ways]
    assert "no kind keeps lost.share <= 0.1%" in done.stdout
    answer = json.loads(simulate(*flags, "--json", expected=(1,)).stdout)
    assert answer["passes"] is False and all(not row["holds"] for row in answer["rows"])
    # The figure that the threshold names is among those of each row.
    named = json.loads(simulate(*flags, "--threshold", "return.peak <= 400", "--json", expected=(0,)).stdout)
    assert named["passes"] and all(row["figures"]["return.peak"]["value"] is not None for row in named["rows"])
    base = json.loads(simulate("plan", "--ask", "base_s", "--scale", "300", "--json", file, expected=(0, 1)).stdout)
    assert base["ask"] == "base_s" and base["unit"] == "s"


def test_logins_that_swamp_the_provider_are_named_with_what_to_ask(tmp_path):
    # Each client logs in once, and its token lives long enough for any spread.
    herd = HERD | {"hold_s": 1800, "client": {"login_tries": 1}, "thresholds": ["lost == 0", "connects.failed == 0"]}
    done = simulate("plan", "--ask", "spread", "--scale", "300", write(tmp_path, herd), expected=(1,))
    assert "spread: nothing keeps lost == 0" in done.stdout and "the logins swamp the provider" in done.stdout
    assert "--ask capacity" in done.stdout


@pytest.mark.parametrize(
    "flags, said",
    [
        (["--ask", "capacity", "--threshold", "lost == 7"], "says nothing of the smaller fleets"),
        (["--ask", "clients", "--clients", "500", "--threshold", "lost == 7"], "says nothing of the smaller fleets"),
        (["--ask", "fortune"], "expected one of capacity"),
        (["--ask", "capacity", "--fidelity", "wire"], "only machines answer questions"),
        (["--ask", "jitter", "--svg", "grid.svg"], "only --ask stability has a picture"),
        ([], "--ask is needed"),
    ],
)
def test_a_question_that_has_no_answer_is_refused_with_a_word(tmp_path, flags, said):
    done = simulate("plan", "--scale", "1000", *flags, write(tmp_path, HERD), expected=(2,), cwd=tmp_path)
    assert said in done.stderr and not done.stdout


def test_a_question_that_nothing_answers_says_what_was_tried(tmp_path):
    file = write(tmp_path, HERD | {"thresholds": ["refresh.asked == 0"]})
    done = simulate("plan", "--ask", "lead", "--scale", "500", file, expected=(1,))
    assert "lead: nothing keeps refresh.asked == 0" in done.stdout and "tried: 9 values" in done.stdout


def test_a_simulation_without_enough_memory_is_refused_with_the_number_of_bytes(tmp_path):
    file = write(tmp_path, HERD)
    done = simulate(file, "--clients", "20000000", expected=(2,), before="ulimit -v 8000000;")
    assert "20,000,000 clients take up to" in done.stderr and "are free" in done.stderr
    done = simulate(
        "plan", "--ask", "jitter", "--scale", "20000000", "--clients", "20000000", file, expected=(2,),
        before="ulimit -v 8000000;")
    assert "worlds at once take up to" in done.stderr


def cpu_seconds(pid):
    ticks = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("fidelity", ["machines", "wire"])
def test_it_can_be_interrupted_and_says_what_it_came_to_until_then(tmp_path, fidelity):
    # A day, with tokens that live for a quarter of a minute.
    file = write(tmp_path, {
        "clients": 20000, "rate": 2000, "life_s": 15, "waves": 1000, "expiry": "own", "world": {"duration_s": 86400}})
    command = [os.environ["POSTERN"], "simulate", file, "--fidelity", fidelity, "--summary"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # By then it calculates, however busy the machine is.
        deadline = time.monotonic() + 60
        while cpu_seconds(process.pid) < 1:
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert process.returncode == 1, (process.returncode, out, err)
    assert "**Storm interrupted**" in out


def test_a_gateway_warns_of_a_queue_beyond_the_cliff():
    slow = ["--provider-latency", "100ms", "--provider-concurrency", "10"]
    for flags, is_warned in (
        (slow, True),
        ([*slow, "--provider-queue-max", "1001"], True),
        ([*slow, "--provider-queue-max", "1000"], False),
        ([*slow, "--provider-abandoned", "drop"], False),
        ([], False),
    ):
        with Gateway(*flags, loops=1) as gateway:
            log = gateway.log()
        assert ("provider_queue_beyond_time_outs" in log) == is_warned, (flags, log)


def storm(gateway, *flags):
    command = [os.environ["POSTERN"], "storm", "--url", gateway.url, "--control-url", gateway.control_url, *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_storm_that_lost_some_ends_with_what_would_have_kept_them(tmp_path):
    quick = ["--any-refresh-timeout", "--refresh-timeout", "4s"]
    flags = ["--clients", "200", "--rate", "400", "--hold", "10s", "--life", "10m"]
    with Gateway(*quick, "--provider-latency", "50ms", "--provider-concurrency", "1", loops=1) as gateway:
        # Twenty a second make eighty by the time at which the waiting clients are disconnected.
        lost = storm(gateway, *flags, "--report", str(tmp_path))
    assert lost.returncode == 1
    last = lost.stdout.splitlines()[-1]
    # The page and the JSON say the same, and the forecast agrees with it.
    report = json.loads((tmp_path / "storm.json").read_text())
    if "advice" not in report:
        # A busy machine loses other clients than the simulation, and then there is nothing to compare.
        assert abs(storms.value(report, "lost") / 200 - 0.6) > 0.03 or report["caveats"] != storms.caveats(report), report
        pytest.skip("the machine is too busy for this storm")
    assert report["advice"]["text"] == last and last in (tmp_path / "storm.html").read_text()
    least = report["advice"]["jitter"]
    assert report["jitter_forecast"]["enough"] >= least
    assert all((row["late_share"] > 0) == (row["jitter"] < least) for row in report["jitter_forecast"]["rows"])
    assert last.startswith("with ") and last.endswith("jitter nobody would have been lost; see postern simulate plan --ask jitter"), lost.stdout
    # Two hundred tokens in four seconds, and the scatter of 600 s: ten seconds less four are a hundredth.
    assert 1 <= float(last.split()[1]) <= 3
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "30s", loops=1) as gateway:
        kept = storm(gateway, *flags)
    assert kept.returncode == 0 and "would have been lost" not in kept.stdout


def test_a_fleet_at_rest_that_its_provider_cannot_serve_is_called_overloaded_and_not_pushed(tmp_path):
    file = write(tmp_path, {"clients": 200, "life_s": 60, "client": {"first_token": "in_hand"}, "provider": {"rate": 3, "queue_max": 50}})
    done = simulate("plan", "--ask", "trigger", "--within", "60s", file, expected=(1,))
    assert done.stdout.startswith("verdict: overloaded") and "3.3 renewals a second" in done.stdout
    answer = json.loads(simulate("plan", "--ask", "trigger", "--within", "60s", "--json", file, expected=(1,)).stdout)
    assert answer["verdict"] == "overloaded" and answer["triggers"] == [] and not answer["passes"]
    for words in (["--ask", "jitter", "--within", "60s"], ["--ask", "trigger", "--within", "0s"]):
        assert "--within" in simulate("plan", *words, file, expected=(2,)).stderr

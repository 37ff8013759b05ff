"""`postern simulate calibrate`: the numbers of a real endpoint with known workers are found again, or it says why not."""

import json
import os
import subprocess

import pytest

import storms
from worker_endpoint import WorkerEndpoint


def storm(tmp_path, endpoint, clients, rate, *flags, name="storm"):
    tokens = tmp_path / "tokens.json"
    tokens.write_text('{"tokens": 1, "request": {"url": "/"}, "answer": {"token": "/token", "end": {"fixed": "12s"}}}')
    report = storms.run(
        "--provider-only", "--tokens", tokens, "--provider", endpoint.url, "--clients", str(clients), "--rate", str(rate),
        "--hold", "1s", "--fetch-timeout", "30s", *flags, expected=(0, 1))
    file = tmp_path / f"{name}.json"
    file.write_text(json.dumps(report))
    return file, report


def calibrate(*files, expected=0, flags=("--json",)):
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", "calibrate", *flags, *files], capture_output=True, text=True, timeout=900)
    assert done.returncode == expected, (done.returncode, done.stdout, done.stderr)
    return done.stderr if expected == 2 else json.loads(done.stdout) if flags else done.stdout


def test_an_endpoint_with_a_queue_is_found_again_and_its_provider_is_a_scenarios(tmp_path):
    with WorkerEndpoint(workers=4, seconds=0.1, queue=60, retry_after=2) as endpoint:
        file, report = storm(tmp_path, endpoint, 240, 120)
    answer = calibrate(file)
    assert abs(answer["tokens_per_second"] / endpoint.rate - 1) < max(0.05, answer["distance"]), (endpoint.rate, answer)
    provider = answer["provider"]
    assert provider["retry_after"] == [2, 2] and "abandoned" not in provider and "failure_rate" not in provider
    least = provider["latency_ms"][0] / 1000
    assert 0.09 < least and provider["concurrency"] * 2 / (sum(provider["latency_ms"]) / 1000) == pytest.approx(
        answer["tokens_per_second"], rel=0.01)
    # What waits and what is served are together what the endpoint took.
    assert abs(provider["queue_max"] + provider["concurrency"] - 64) <= 64 * max(0.15, answer["distance"]), answer
    # Every figure that the distance is made of is there, and the measured ones are the report's.
    figures = {figure["name"]: figure for figure in answer["storms"][0]["figures"]}
    assert figures["calls"]["measured"] == report["result"]["provider"]["calls"]
    assert figures["calls without a token"]["measured"] == endpoint.refused
    assert max(figure["difference"] for figure in figures.values()) == pytest.approx(answer["distance"])
    # The text is the part of a scenario, with its comments.
    text = tmp_path / "provider.json5"
    text.write_text(calibrate(file, flags=()))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", text, "--clients", "100", "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1), (done.stderr, text.read_text())
    assert f"{provider['concurrency']} at once" in json.loads(done.stdout)["provider"]


def test_an_endpoint_that_was_never_pressed_has_an_unknown_capacity(tmp_path):
    with WorkerEndpoint(workers=64, seconds=0.05) as endpoint:
        file, report = storm(tmp_path, endpoint, 60, 20)
    assert endpoint.refused == 0
    said = calibrate(file, expected=1)
    assert said.keys() == {"schema", "unknown"}, said
    assert "no call waited for others" in said["unknown"] and "storm again with a higher --rate" in said["unknown"]


def test_a_storm_that_held_its_calls_back_says_so(tmp_path):
    with WorkerEndpoint(workers=4, seconds=0.1) as endpoint:
        held, _ = storm(tmp_path, endpoint, 100, 200, "--fetches", "10")
        slowed, _ = storm(tmp_path, endpoint, 30, 200, "--fetch-rate", "15", name="slowed")
    assert "never had more than 10 calls under way (--fetches)" in calibrate(held, expected=1)["unknown"]
    assert "at most 15.0 calls a second (--fetch-rate)" in calibrate(slowed, expected=1)["unknown"]


def test_an_endpoint_that_gives_no_token_is_unknown(tmp_path):
    with WorkerEndpoint(workers=0, seconds=0.1, queue=0) as endpoint:
        file, _ = storm(tmp_path, endpoint, 5, 20, "--stop-when", "never")
    assert "no call brought a token (http_503)" in calibrate(file, expected=1)["unknown"]


def test_a_file_that_is_no_storm_of_an_endpoint_is_refused_by_name(tmp_path):
    simulated = tmp_path / "simulated.json"
    scenario = tmp_path / "scenario.json"
    scenario.write_text('{"clients": 5, "life_s": 60}')
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", scenario, "--json"], capture_output=True, text=True, timeout=60)
    simulated.write_text(done.stdout)
    assert f"REPORT: '{simulated}' is of a storm through a gateway; postern storm --provider-only" in calibrate(simulated, expected=2)
    report = json.loads(done.stdout)
    del report["result"]["bins"]
    simulated.write_text(json.dumps(report))
    assert "has no valid result.bins" in calibrate(simulated, expected=2)
    report["plan"]["dialect"] = "none"
    report = json.loads(done.stdout)
    report["plan"]["dialect"], report["plan"]["clients"] = "none", -1
    simulated.write_text(json.dumps(report))
    assert "is impossible: the number of clients" in calibrate(simulated, expected=2)
    report["plan"]["clients"], report["plan"]["behaviours"]["weights"] = 5, {"well-behaved": 0}
    simulated.write_text(json.dumps(report))
    assert "has no valid plan.behaviours.weights" in calibrate(simulated, expected=2)
    assert "is not a report" in calibrate(scenario, expected=2) or "no report" in calibrate(scenario, expected=2)
    assert "needs the REPORT" in calibrate(expected=2)


def simulate(tmp_path, provider, *flags, expected=(0, 1)):
    """100 clients whose tokens end in the same second, with no wait of their own, before a provider that refuses all but eleven."""
    file = tmp_path / "herd.json"
    file.write_text(json.dumps({
        "clients": 100, "rate": 100, "expire_after_s": 10, "client": {
            "first_token": "in_hand", "backoff": {"kind": "exponential", "base_s": 0.25, "cap_s": 0.25}},
        "provider": {"concurrency": 1, "latency_ms": 100, "queue_max": 10} | provider, "world": {"latency_ms": 0}}))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", file, "--json", *flags], capture_output=True, text=True, timeout=60)
    assert done.returncode in expected, (done.returncode, done.stderr)
    return done.stderr if done.returncode == 2 else json.loads(done.stdout)["result"]["series"]["provider_calls"]


def test_refused_clients_come_back_when_a_simulated_provider_tells_them(tmp_path):
    calls = simulate(tmp_path, {"retry_after": 7})
    assert calls[10] == 100 and calls[11:17] == [0] * 6 and calls[17] == 89, calls
    # Without one they wait by their own backoff, four times a second.
    assert simulate(tmp_path, {"retry_after": "none"})[11] > 200
    # By default it is the time of a full queue: one second.
    assert simulate(tmp_path, {})[11] == 89
    spread = simulate(tmp_path, {"retry_after": [3, 8]})
    assert spread[11:13] == [0, 0] and sum(spread[13:18]) >= 89 and max(spread[13:18]) < 60, spread


@pytest.mark.parametrize(("value", "said"), [
    ('"soon"', "no such Retry-After 'soon'; there is queue, none"), ("-1", "expected a number from 0.0 to 86400.0"),
    ("[2]", "expected the least and the most number of seconds"), ("[3, 2]", "the least is above the most"),
    ("true", "expected queue, none, a number of seconds, or the least and the most"),
])
def test_a_wrong_retry_after_is_told_with_its_place(tmp_path, value, said):
    complaint = simulate(tmp_path, {"retry_after": json.loads(value)}, expected=(2,))
    assert "/provider/retry_after" in complaint and "herd.json:1:" in complaint and said in complaint, complaint


def test_the_wire_refuses_a_retry_after_by_name(tmp_path):
    complaint = simulate(tmp_path, {"retry_after": 5}, "--fidelity", "wire", expected=(2,))
    assert '"retry_after"' in complaint and "machines has that" in complaint, complaint

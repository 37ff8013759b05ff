"""The schema of reports: against storms and simulations of every kind, and against what `postern report` reads."""

import copy
import json
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import storms
from gateway import Gateway
from http_server import HTTPServer
from jwks_gateways import Careful, Serving
from schemas import DescriptionSchema
from test_scenario_schema import described, keys
from test_serve_jwks import FLEET, free_address
from test_workers import SECRET, worker

SCHEMA = DescriptionSchema(Path(__file__).parents[2] / "Deploy" / "reports", "report.schema.json")
VALIDATOR = Draft202012Validator(SCHEMA.schema)

SIMULATED = {
    "rotation": {
        "clients": 90, "rate": 30, "expire_after_s": 20, "life_s": 600,
        "client": {"devices": 2, "tabs": 3, "single_flight": "none", "signed_out": "gone"},
        "provider": {"concurrency": 5, "latency_ms": 10, "replies_lost": 0.1, "rotation": {"grace_s": 5, "idle_s": 600}}},
    "budgets": {
        "clients": 60, "behaviours": "well-behaved=4,hammering=1", "expire_after_s": 40, "rate": 20,
        "client": {"hammer_pause_s": 0.05, "hammer_in_vain": True, "users_per_address": 5, "reconnect": True,
                   "backoff": {"kind": "fixed", "base_s": 1},
                   "retry": {"per": "fleet", "budget": {"deposit": 0.1, "capacity": 3},
                             "breaker": {"failures": 3, "of": 10, "open_s": 5, "probes": 1}}},
        "provider": {"rate": 50, "failures": 0.3, "budgets": [
            {"per": "address", "limit": 30, "window_s": 60, "ban": {"after": 50, "within_s": 60, "for_s": 90}}]},
        "world": {"duration_s": 90}},
    "arrivals": {"arrivals": [[0, 0], [10, 3]], "stays": {"mean_s": 20}, "for_s": 60, "lives": [[20, 0.5], [40, 0.5]], "clients": 20},
    "stays": {"arrivals": [[0, 2]], "stays": [[5, 0.5], [9, 0.5]], "for_s": 30},
    "steady": {"arrivals": [[0, 2]], "stays": 7, "for_s": 30},
    "fleets": {"fleets": [
        {"name": "web", "clients": 20, "dialect": "stream-video", "sdks": {"swift": 0.5, "javascript": 0.5}},
        {"name": "app", "clients": 12, "life_s": 40, "thresholds": ["lost >= 0"]}], "provider": {"rate": 20}},
    "wire": {
        "clients": 20, "rate": 50, "world": {"fidelity": "wire"},
        "phases": [{"name": "calm", "for_s": 5}, {"name": "away", "from": "wave", "for_s": 5, "order": "expire"}]},
    "pressed": {"clients": 600, "rate": 100, "expire_after_s": 20, "life_s": 600, "client": {"first_token": "in_hand"},
                "provider": {"rate": 5, "queue": 40}},
}


def of_real_storms(folder, gateway):
    """Reports of storms over sockets, by name."""
    common = ["--url", gateway.url, "--control-url", gateway.control_url, "--clients", "12", "--rate", "40"]
    scenario = folder / "phases.json"
    scenario.write_text(json.dumps({"hold_s": 2, "phases": [{"name": "calm"}, {"name": "end", "from": "wave", "order": "expire"}]}))
    yield "phases", storms.run(*common, "--scenario", str(scenario), expected=(0, 1))
    mix = "well-behaved=6,slow=1,forgetful=1,stale=1,garbage=1,refused=1"
    yield "behaviours", storms.run(*common, "--hold", "2s", "--behaviour", mix, "--slow-delay", "1s", "--fetch-rate", "100", "--timeout", "60s", expected=(0, 1))
    secret = folder / "secret"
    secret.write_text(SECRET + "\n")
    with worker(str(secret)) as (address, _):
        yield "workers", storms.run(*common, "--hold", "2s", "--worker", address, "--worker-secret-file", str(secret), expected=(0, 1))
    with storms.Running(*common, "--hold", "600s", "--live", "0", "--report", str(folder / "stopped")) as storm:
        storm.until(12)
        storm.process.send_signal(signal.SIGINT)
        yield "interrupted", storm.report(expected=(1, 130))
    yield "interrupted-file", json.loads((folder / "stopped" / "storm.json").read_text())
    tokens = folder / "tokens.json"
    tokens.write_text('{"tokens": 1, "request": {"url": "/"}, "answer": {"token": "/t", "end": {"fixed": "60s"}}}')
    alone = ["--provider-only", "--tokens", str(tokens), "--clients", "60", "--rate", "20"]
    with HTTPServer(lambda _: (200, b'{"t": "x"}')) as endpoint:
        yield "provider-only", storms.run(*alone, "--provider", endpoint.url, expected=(0, 1))
    with HTTPServer(lambda _: (500, b"")) as endpoint:
        stop = ["--stop-when", "provider.refused.share > 50% over 2s"]
        yield "stopped", storms.run(*alone, "--provider", endpoint.url, *stop, expected=(1,))
    address = free_address()
    with Serving(Careful, f"http://{address}") as other:
        yield "keys", storms.run(
            "--url", other.url, "--mint", "--serve-jwks", address, "--clients", "12", *FLEET[2:], "--jwks-rotate", "5s", expected=(0, 1))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    made = {}
    for name, scenario in SIMULATED.items():
        file = folder / f"{name}-scenario.json"
        file.write_text(json.dumps(scenario))
        done = subprocess.run(
            [os.environ["POSTERN"], "simulate", file, "--json"], capture_output=True, text=True, timeout=120)
        assert done.returncode in (0, 1), done.stderr
        made[name] = json.loads(done.stdout)
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "6s") as gateway:
        made |= dict(of_real_storms(folder, gateway))
    return made


def shown(folder, report):
    """Whether `postern report show` reads the report, and what it says if it does not."""
    file = folder / "report.json"
    file.write_text(json.dumps(report))
    done = subprocess.run([os.environ["POSTERN"], "report", "show", file], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1, 2), (done.returncode, done.stderr)
    return done.returncode != 2, done.stderr


def test_it_is_a_schema_and_names_the_version_of_reports(reports):
    SCHEMA.check()
    assert {report["schema"] for report in reports.values()} == {SCHEMA.schema["$id"]} == {SCHEMA.schema["properties"]["schema"]["const"]}


def test_the_schema_accepts_the_report_of_every_kind_of_storm_and_together_they_have_every_member(reports):
    for name, report in reports.items():
        assert not [error.message for error in VALIDATOR.iter_errors(report)], name
    assert described(SCHEMA.schema) - keys(list(reports.values())) <= OF_TROUBLE


# Members of storms that lose clients or stand still, of endpoints that tell their time, and of clients that know when an unused
# refresh token ends. A healthy storm has none.
OF_TROUBLE = {"advice", "text", "tokens_per_second", "clock_offset", "failed_logins", "cut_off", "lost", "idle", "process"}


def places(value, path=()):
    """Every member at any depth, the first of each array only."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield (*path, key)
            yield from places(member, (*path, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


def changed(report, path, change):
    """The report with a change to the holder and the key of that place."""
    report = copy.deepcopy(report)
    holder = report
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return report


def retyped(holder, key):
    holder[key] = {"x": 1} if isinstance(holder[key], (str, int, float, list, type(None))) else "x"


@pytest.mark.parametrize("name", [*SIMULATED, "phases", "workers", "provider-only", "interrupted"])
def test_a_member_of_another_type_and_an_unknown_one_are_refused(reports, name):
    # The gateway's settings are its own, and the counts of behaviours and reasons have any name.
    free = {"gateway_settings", "stays"}
    tried = random.Random(name).sample([path for path in places(reports[name]) if not free & set(path)], 40)
    for path in tried:
        assert not VALIDATOR.is_valid(changed(reports[name], path, retyped)), path
    for path in [("x",), ("plan", "x"), ("result", "x"), ("machine", "x"), ("result", "series", "x")]:
        assert not VALIDATOR.is_valid(changed(reports[name], path, lambda holder, key: holder.update({key: 1}))), path


@pytest.mark.parametrize("name", ["pressed", "fleets", "interrupted"])
def test_what_the_schema_accepts_the_command_reads(reports, tmp_path, name):
    """So each member that the command cannot do without is required, and each that it reads is in the schema."""
    assert shown(tmp_path, reports[name])[0]
    dice, unread = random.Random(34), 0
    # The command reads nothing of the gateway's settings, and any plan.
    read = [path for path in places(reports[name]) if not {"plan", "gateway_settings"} & set(path)]
    top = [path for path in read if len(path) == 1 or path[0] == "result" and len(path) < 4]
    for path in [*top, *dice.sample(read, 15)]:
        for change in (lambda holder, key: holder.pop(key), retyped):
            report = changed(reports[name], path, change)
            if VALIDATOR.is_valid(report):
                is_read, said = shown(tmp_path, report)
                assert is_read, (path, said)
            else:
                unread += 1
    assert unread > 60

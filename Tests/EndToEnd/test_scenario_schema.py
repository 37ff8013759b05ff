"""The schema that editors check scenarios with, against the reader of `postern simulate`."""

import copy
import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from schemas import DescriptionSchema

ROOT = Path(__file__).parents[2]
SCHEMA = DescriptionSchema(ROOT / "Deploy" / "scenarios", "scenario.schema.json")
SHIPPED = sorted([*ROOT.glob("loadtest/scenarios/*/scenario.json"), *ROOT.glob("loadtest/incidents/*/scenario.json")])

# Together they have every key of the schema.
SAMPLES = [
    {
        "$schema": "scenario.schema.json", "clients": 5, "dialect": "stream-video", "sdk": "swift", "rate": 5, "ramp_s": 1,
        "hold_s": 2, "expiry": "common", "expire_after_s": 20, "life_s": 60, "jitter": 0.1, "waves": 2, "behaviours": "slow=20",
        "gateway": {"refresh_timeout_s": 60, "refresh_lead_s": 1, "refresh_spread_s": 1, "connection_rate": 100},
        "client": {
            "fetch_timeout_s": 10, "connect_timeout_s": 10, "slow_delay_s": 5,
            "backoff": {"kind": "full", "base_s": 0.5, "cap_s": 5}, "login_tries": 3, "reconnect": True,
            "first_token": "in_hand", "hammer_pause_s": 1, "hammer_in_vain": True, "users_per_address": 2,
            "retry": {"per": "client", "budget": {"deposit": 0.1, "capacity": 10},
                      "breaker": {"failures": 3, "of": 10, "open_s": 5, "probes": 1}}},
        "provider": {
            "concurrency": 2, "latency_ms": [50, 100], "queue_max": 10, "abandoned": "drop", "order": "adaptive",
            "failure_rate": 0.01, "pauses": [{"at_s": 5, "for_s": 1, "refuses": True}], "warmup": {"from": 0.5, "for_s": 5},
            "retry_after": [1, 3], "refusal_ms": 1,
            "budgets": [{"per": "address", "limit": 30, "window_s": 60, "kind": "sliding", "of": "both", "status": 429,
                         "retry_after": "left", "ban": {"after": 50, "within_s": 60, "for_s": 90, "status": 403}}]},
        "world": {"fidelity": "machines", "latency_ms": 20, "loss": 0.01, "seed": 3, "duration_s": 120},
        "phases": [{"name": "calm", "for_s": 5},
                   {"name": "away", "from": "wave", "after_s": -1, "for_s": 5, "order": "expire",
                    "faults": [{"fault": "mint_refused", "status": 503}], "thresholds": ["cut_off >= 0"]}],
        "thresholds": ["lost >= 0"]},
    {
        "clients": 4, "life_s": 30, "waves": 2, "client": {"devices": 2, "tabs": 2, "single_flight": "tab", "signed_out": "login"},
        "provider": {"concurrency": 5, "latency_ms": 10, "replies_lost": 0.1,
                     "rotation": {"grace_s": 5, "replay": "same", "revokes": "family", "idle_s": 600}}},
    {"arrivals": [[0, 0], [10, 3]], "stays": {"mean_s": 20}, "for_s": 20, "lives": [[20, 0.5], [40, 0.5]]},
    {"arrivals": [[0, 2]], "stays": [[5, 0.5], [9, 0.5]], "for_s": 10},
    {"clients": 4, "gateway": {"lead_s": 1, "spread_s": 1, "accepts_per_s": 10},
     "provider": {"places": 2, "latency_ms": 50, "queue": 10, "failures": 0}},
    {
        "fleets": [
            {"name": "web", "clients": 3, "dialect": "stream-video", "sdks": {"swift": 0.5, "javascript": 0.5}, "client": {},
             "gateway": {}, "provider": {"rate": 10}, "thresholds": ["lost >= 0"]},
            {"name": "app", "clients": 2, "life_s": 40}],
        "provider": {"rate": 20}},
]
# Keys of a fleet that only a storm over sockets has a use for.
OF_STORMS = {"url", "provider_url", "wire", "tokens"}


def simulated(tmp_path, scenario, **layout):
    """Whether `postern simulate` reads the scenario, and what it says if it does not."""
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario, **layout))
    done = subprocess.run(
        [os.environ["POSTERN"], "simulate", file, "--json"], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1, 2), (done.returncode, done.stderr, scenario)
    return done.returncode != 2, done.stderr


def keys(value):
    """Every key of a value, at any depth."""
    if isinstance(value, dict):
        return set(value) | {key for member in value.values() for key in keys(member)}
    return {key for element in value for key in keys(element)} if isinstance(value, list) else set()


def described(value):
    """Every key that a schema names, at any depth."""
    if isinstance(value, dict):
        own = set(value["properties"]) if isinstance(value.get("properties"), dict) else set()
        return own | {key for member in value.values() for key in described(member)}
    return {key for element in value for key in described(element)} if isinstance(value, list) else set()


def accepts(scenario):
    return Draft202012Validator(SCHEMA.schema).is_valid(scenario)


def test_it_is_a_schema():
    SCHEMA.check()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_the_schema_accepts_every_scenario_that_comes_with_postern(path):
    assert len(SHIPPED) >= 10
    SCHEMA.validate(path)


def test_the_samples_have_every_key_and_both_accept_them(tmp_path):
    assert described(SCHEMA.schema) - keys(SAMPLES) == OF_STORMS
    for sample in SAMPLES:
        assert accepts(sample), sample
        assert simulated(tmp_path, sample) == (True, "") or "is called" in simulated(tmp_path, sample)[1], simulated(tmp_path, sample)


def mistaken(scenario, dice):
    """The scenario with one mistake or change, at a place drawn by chance."""
    scenario = copy.deepcopy(scenario)
    places = []

    def walk(value):
        if isinstance(value, dict):
            places.extend((value, key) for key in value)
            for member in value.values():
                walk(member)
        elif isinstance(value, list):
            places.extend((value, index) for index in range(len(value)))
            for element in value:
                walk(element)

    walk(scenario)
    holder, place = dice.choice(places)
    if isinstance(place, str) and dice.random() < 0.4:
        holder[dice.choice([place + "s", place.upper(), "x" + place, "$" + place])] = holder.pop(place)
    else:
        holder[place] = dice.choice([True, -1, 0, 1e18, 1.5, "", "soon", [], {}, [[]], [0, 0, 0], {"x": 1}])
    return scenario


def test_what_the_command_reads_the_schema_accepts(tmp_path):
    dice = random.Random(34)
    refused = 0
    for number in range(160):
        scenario = mistaken(SAMPLES[number % len(SAMPLES)], dice)
        if accepts(scenario):
            continue
        refused += 1
        is_read, said = simulated(tmp_path, scenario)
        assert not is_read, (scenario, said)
    assert refused > 80, refused


def members(value, path=()):
    """The place of every member, at any depth."""
    if isinstance(value, (dict, list)):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from members(member, (*path, key))


def changed(scenario, path, name, member):
    """The scenario with another name and value of one member, which stays where it is."""
    scenario = copy.deepcopy(scenario)
    holder = scenario
    for key in path[:-1]:
        holder = holder[key]
    if isinstance(holder, list):
        holder[path[-1]] = member
    else:
        changed = {name if key == path[-1] else key: member if key == path[-1] else kept for key, kept in holder.items()}
        holder.clear()
        holder.update(changed)
    return scenario


def value_at(scenario, path):
    for key in path:
        scenario = scenario[key]
    return scenario


# Each key once, in a file of many lines. The gateway reads the members of its faults.
PLACES = {
    tuple(key for key in path if isinstance(key, str)): (sample, path)
    for sample in SAMPLES for path in members(sample) if path[-1] != "$schema" and "faults" not in path[:-1]}


def test_every_wrong_key_is_told_with_its_line_its_column_and_the_right_one(tmp_path):
    assert len(PLACES) > 90
    for sample, path in PLACES.values():
        if isinstance(path[-1], int):
            continue
        wrong = path[-1] + "q"
        scenario = changed(sample, path, wrong, value_at(sample, path))
        is_read, said = simulated(tmp_path, scenario, indent=2)
        lines = json.dumps(scenario, indent=2).splitlines()
        line = next(number for number, text in enumerate(lines, 1) if f'"{wrong}":' in text)
        if path[-2:-1] == ("stays",) or path[-2:-1] == ("sdks",):
            # An object that has another form without this key, and names that the dialect has.
            assert not is_read and re.search(r"scenario\.json:\d+:\d+ /.*expected", said), said
            continue
        place = f"scenario.json:{line}:{lines[line - 1].index(wrong)} /{'/'.join(map(str, path[:-1]))}"
        assert not is_read and f"{place.rstrip('/')}/{wrong}: no such key '{wrong}'; did you mean '{path[-1]}'" in said, (place, said)


@pytest.mark.parametrize("member", [{"x": 1}, -7])
def test_every_wrong_value_is_told_with_its_line_and_column(tmp_path, member):
    for sample, path in PLACES.values():
        if type(value_at(sample, path)) is not type(member):
            is_read, said = simulated(tmp_path, changed(sample, path, path[-1], member), indent=2)
            assert not is_read and re.search(r"scenario\.json:\d+:\d+ /", said), (path, said)


@pytest.mark.parametrize("key", ["expires_after_s", "provder", "Clients"])
def test_a_key_that_does_not_exist_is_refused_by_both(tmp_path, key):
    scenario = {"clients": 2, key: 5}
    assert not accepts(scenario)
    is_read, said = simulated(tmp_path, scenario)
    assert not is_read and f"no such key '{key}'" in said

"""The schema that editors check descriptions with, against those that come with postern and against mistakes."""

import json

import json5
import pytest
from conftest import WIRES
from jsonschema import Draft202012Validator

SCHEMA = json.loads((WIRES / "wire.schema.json").read_text())
SHIPPED = sorted(path for path in WIRES.glob("*.json") if path.name != "wire.schema.json")


def test_it_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)
    assert len(SHIPPED) >= 10


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_comes_with_postern_is_right(path):
    Draft202012Validator(SCHEMA).validate(json5.loads(path.read_text()))


@pytest.mark.parametrize(
    "change",
    [
        {"wire": 2},
        {"heer": []},
        {"connect": {"path": "socket"}},
        {"frames": {"kind": "bytes"}},
        {"at_open": {"say": "login", "is": "logged_in"}},
        {"hear": [{"when": {}, "is": "alive"}]},
        {"hear": [{"when": {"json": {"type": 1}}, "is": "alive"}]},
        {"hear": [{"when": {"text": "2"}, "is": "asks"}]},
        {"say": {"ping": {"json": {}, "text": "2"}}},
        {"ends": [{"then": "renew"}]},
        {"ends": [{"code": 401, "then": "renew"}]},
        {"refresh": {"how": "timers"}},
        {"settle": "10"},
        {"keep_alive": {"every": "10s"}},
    ],
    ids=json.dumps,
)
def test_a_mistake_is_found(change):
    good = {"wire": 1, "name": "x", "connect": {"path": "/"}}
    validator = Draft202012Validator(SCHEMA)
    assert validator.is_valid(good)
    assert not validator.is_valid(good | change)

"""The schema that editors check descriptions with, against those that come with postern and against mistakes."""

import json

import pytest
from conftest import WIRES
from schemas import DescriptionSchema

SCHEMA = DescriptionSchema(WIRES, "wire.schema.json")
GOOD = {"wire": 1, "name": "x", "connect": {"path": "/"}}


def test_it_is_a_schema():
    SCHEMA.check()
    assert len(SCHEMA.shipped) >= 10


@pytest.mark.parametrize("path", SCHEMA.shipped, ids=lambda path: path.stem)
def test_the_schema_accepts_every_description_that_comes_with_postern(path):
    SCHEMA.validate(path)


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
        {"ends": [{"http": 401, "contains": "old", "then": "renew"}]},
        {"refresh": {"how": "timers"}},
        {"refresh": {"how": "http", "lead": "10s"}},
        {"refresh": {"how": "timer", "lead": "10s", "say": "renew", "request": {"path": "/refresh"}}},
        {"refresh": {"how": "http", "lead": "10s", "say": "renew", "request": {"path": "/refresh"}}},
        {"refresh": {"how": "pushed", "proof": "survival"}},
        {"hear": [{"when": {"text": "2"}, "is": "pushed"}]},
        {"hear": [{"when": {"text": "2"}, "is": "pushed", "take": {"tokens": "/t"}}]},
        {"settle": "10"},
        {"keep_alive": {"every": "10s"}},
    ],
    ids=json.dumps,
)
def test_a_mistake_is_found(change):
    assert SCHEMA.tells_apart(GOOD, change)

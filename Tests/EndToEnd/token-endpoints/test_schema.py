"""The schema that editors check descriptions with, against those that come with postern and against mistakes."""

import json

import json5
import pytest
from conftest import TOKENS
from jsonschema import Draft202012Validator

SCHEMA = json.loads((TOKENS / "tokens.schema.json").read_text())
SHIPPED = sorted(path for path in TOKENS.glob("*.json") if path.name != "tokens.schema.json")


def test_it_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)
    assert len(SHIPPED) >= 4


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_comes_with_postern_is_right(path):
    Draft202012Validator(SCHEMA).validate(json5.loads(path.read_text()))


@pytest.mark.parametrize(
    "change",
    [
        {"tokens": 2},
        {"requst": {}},
        {"request": {}},
        {"request": {"url": "t"}},
        {"request": {"url": "https://{{user}}.example/"}},
        {"request": {"url": "/t", "method": "GTE"}},
        {"request": {"url": "/t", "method": "GET", "json": {}}},
        {"request": {"url": "/t", "json": {}, "form": {}}},
        {"answer": {}},
        {"answer": {"token": "access"}},
        {"answer": {"token": "/t", "end": "jtw"}},
        {"answer": {"token": "/t", "end": []}},
        {"answer": {"token": "/t", "end": {"fixed": "5"}}},
        {"users": {}},
        {"users": {"csv": "users.csv"}},
        {"users": {"list": []}},
        {"statuses": {"busy": 200}},
        {"tls": {"certificate": "c.pem"}},
    ],
    ids=json.dumps,
)
def test_a_mistake_is_found(change):
    good = {"tokens": 1, "request": {"url": "/t"}, "answer": {"token": "/t"}}
    validator = Draft202012Validator(SCHEMA)
    assert validator.is_valid(good)
    assert not validator.is_valid(good | change)

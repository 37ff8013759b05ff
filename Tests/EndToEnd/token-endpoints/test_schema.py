"""The schema that editors check descriptions with, against those that come with postern and against mistakes."""

import json

import pytest
from conftest import TOKENS
from schemas import DescriptionSchema

SCHEMA = DescriptionSchema(TOKENS, "tokens.schema.json")
GOOD = {"tokens": 1, "request": {"url": "/t"}, "answer": {"token": "/t"}}


def test_it_is_a_schema():
    SCHEMA.check()
    assert len(SCHEMA.shipped) >= 4


@pytest.mark.parametrize("path", SCHEMA.shipped, ids=lambda path: path.stem)
def test_the_schema_accepts_every_description_that_comes_with_postern(path):
    SCHEMA.validate(path)


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
    assert SCHEMA.tells_apart(GOOD, change)

"""Runs last: every documented message has been sent, so every one has been checked."""

import documents
import pytest
import streem


@pytest.fixture(autouse=True)
def only_after_all_tests(request):
    if any("::" in a or a.endswith(".py") for a in request.config.args) or request.config.option.keyword:
        pytest.skip("only part of the tests ran")


def test_every_message_was_seen_on_the_wire():
    assert streem.SOCKET.seen == set(streem.SOCKET.validators)


def test_every_operation_was_seen_to_succeed():
    succeeded = {(method, path) for method, path, status in streem.HTTP.seen if status < 400}
    assert succeeded == {
        (method.upper(), path)
        for path, item in streem.HTTP.document["paths"].items()
        for method in item
        if method in ("get", "post", "delete")
    } - {("GET", "/streem/v1/connect")}


def test_every_schema_is_a_schema():
    for document in (streem.SOCKET.document, streem.HTTP.document):
        for schema in document["components"]["schemas"].values():
            documents.Draft202012Validator.check_schema(schema)

"""Runs last: every documented message has been sent, so every one has been checked."""

import os
from pathlib import Path

import pytest

import documents
import sinch


@pytest.fixture(autouse=True)
def only_after_all_tests(request):
    if folder := os.environ.get("END_TO_END_SEEN"):
        for file in Path(folder).iterdir():
            documents.load_seen(file)
    elif request.config.invocation_params.args and any("::" in a or a.endswith(".py") for a in request.config.args):
        pytest.skip("only part of the tests ran")


@pytest.mark.parametrize("document", [documents.SOCKET, sinch.SOCKET], ids=["plain", "sinch"])
def test_every_message_of_asyncapi_was_seen_on_the_wire(document):
    assert document.seen == set(document.validators)


@pytest.mark.parametrize("document", [documents.HTTP, documents.CONTROL, sinch.HTTP], ids=["openapi", "control", "sinch"])
def test_every_operation_was_seen_to_succeed(document):
    succeeded = {(method, path) for method, path, status in document.seen if status < 300}
    assert succeeded == {
        (method.upper(), path)
        for path, item in document.document["paths"].items()
        for method in item
        if method in ("get", "post", "put", "delete")
    }


def test_every_schema_is_a_schema():
    for document in (documents.SOCKET, sinch.SOCKET, documents.HTTP, documents.CONTROL, sinch.HTTP):
        for schema in document.document["components"]["schemas"].values():
            documents.Draft202012Validator.check_schema(schema)

"""Runs last: everything documented was said, so that everything documented was checked."""

import pytest

import documents


@pytest.fixture(autouse=True)
def only_after_all_tests(request):
    if request.config.invocation_params.args and any("::" in a or a.endswith(".py") for a in request.config.args):
        pytest.skip("only part of the tests ran")


def test_every_message_of_asyncapi_was_seen_on_the_wire():
    assert documents.SOCKET.seen == set(documents.SOCKET.validators)


@pytest.mark.parametrize("document", [documents.HTTP, documents.CONTROL], ids=["openapi", "control"])
def test_every_operation_was_seen_to_succeed(document):
    succeeded = {(method, path) for method, path, status in document.seen if status < 300}
    assert succeeded == {
        (method.upper(), path)
        for path, item in document.document["paths"].items()
        for method in item
        if method in ("get", "post")
    }


def test_every_schema_is_a_schema():
    for schema in documents.SOCKET.document["components"]["schemas"].values():
        documents.Draft202012Validator.check_schema(schema)
    for document in (documents.HTTP, documents.CONTROL):
        for schema in document.document["components"]["schemas"].values():
            documents.Draft202012Validator.check_schema(schema)

"""What the tests share: a gateway with the defaults, for tests that need no flags of their own."""

import os
from pathlib import Path

import pytest

import documents
from gateway import Gateway


def pytest_addoption(parser):
    parser.addoption("--conform-runs", type=int, default=1, help="how often each client of the corpus is held to each behaviour")


@pytest.fixture(scope="session")
def gateway():
    with Gateway() as gateway:
        yield gateway


@pytest.fixture(scope="session")
def impatient():
    """A gateway with timeouts short enough for a test, and long enough for a busy machine."""
    flags = ["--any-refresh-timeout", "--refresh-timeout", "5s", "--login-timeout", "5s", "--leeway", "0s"]
    with Gateway(*flags) as gateway:
        yield gateway


def pytest_sessionfinish():
    """Leaves the recorded messages to the one process that checks all of them."""
    if folder := os.environ.get("END_TO_END_SEEN"):
        documents.dump(Path(folder, f"{os.getpid()}.json"))


def pytest_collection_modifyitems(items):
    """The test that checks all recorded messages runs last."""
    items.sort(key=lambda item: item.path.name == "test_documents.py")

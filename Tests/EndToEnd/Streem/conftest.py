"""What the tests share: a gateway with the defaults and an API key made by the control port."""

import pytest
from gateway import Gateway
from streem import make_key


@pytest.fixture(scope="session")
def gateway():
    with Gateway() as gateway:
        yield gateway


@pytest.fixture(scope="session")
def key(gateway):
    return make_key(gateway)


def pytest_collection_modifyitems(items):
    """The test that checks all recorded messages runs last."""
    items.sort(key=lambda item: item.path.name == "test_streem_documents.py")

"""What the tests share: a gateway with a Sendbird application, and the vendor's own client of the Platform API."""

import itertools

import pytest
from sendbird_platform_sdk import ApiClient, Configuration

from gateway import SECRET, Gateway

numbers = itertools.count()


@pytest.fixture(scope="session")
def gateway():
    with Gateway() as gateway:
        yield gateway


@pytest.fixture(scope="session")
def client(gateway):
    """The client, unmodified but for its host."""
    with ApiClient(Configuration(host=gateway.http_url)) as client:
        yield client


@pytest.fixture
def api_token():
    return SECRET


@pytest.fixture
def fresh():
    """A name that no other test uses."""
    return lambda kind="user": f"{kind}-{next(numbers)}"

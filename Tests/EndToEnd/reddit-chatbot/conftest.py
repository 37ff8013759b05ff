"""What the tests share: a gateway with the defaults."""

import pytest

from gateway import Gateway


@pytest.fixture(scope="session")
def gateway():
    with Gateway() as gateway:
        yield gateway

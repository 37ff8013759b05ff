"""What the tests share: a gateway with the defaults."""

import os

import pytest
from gateway import Gateway

# requests-oauthlib refuses http, and everything here is on loopback.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"


@pytest.fixture(scope="session")
def gateway():
    with Gateway() as gateway:
        yield gateway


@pytest.fixture(scope="session")
def issuer(gateway):
    return f"{gateway.http_url}/streem/oidc/postern"

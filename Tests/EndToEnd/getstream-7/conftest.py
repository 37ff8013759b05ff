"""A gateway that knows one API key, and Stream's server SDK for it."""

import uuid

import pytest
from getstream import Stream

from gateway import SECRET, Gateway

KEY = "end-to-end"


@pytest.fixture(scope="session")
def gateway():
    # A user who joins over REST is in the call at once.
    with Gateway("--stream-api-key", KEY, "--stream-sfu", "off") as gateway:
        yield gateway


@pytest.fixture
def stream(gateway):
    """The client of a server."""
    return Stream(api_key=KEY, api_secret=SECRET, base_url=gateway.http_url)


@pytest.fixture
def as_user(stream):
    """The client of a user: `as_user("ann")`."""
    return lambda user: stream.clone_for_token(stream.create_token(user))


@pytest.fixture
def call(stream):
    return stream.video.call("default", f"standup-{uuid.uuid4().hex[:8]}")

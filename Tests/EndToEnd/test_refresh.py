"""From one token to the next on the same connection, or to the timeout."""

import time

import pytest

from clients import Client, control
from gateway import SECRET, Gateway, token
from spaces import Space


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture
def frozen(host):
    """A space in whose own time tokens expire and timeouts end."""
    settings = {"any-refresh-timeout": True, "refresh-timeout": "5s", "leeway": "0s", "secret": SECRET}
    with Space(host, frozen=True, settings=settings) as space:
        yield space


def until_asked(space):
    """Moves the time until a client is asked for a token."""
    space.advance(5, patience_ms=0, stop_at="refresh_required")


def session(gateway, connection):
    return control(gateway, "GET", f"/sessions/{connection}").json


def test_a_client_is_asked_at_expiry_refreshes_and_stays_on_the_same_connection(frozen):
    with Client(frozen, token=frozen.token(life=2)) as client:
        connection = client.receive("connected")["connection_id"]
        assert client.ask("join", cid="default:standup")["type"] == "joined"
        until_asked(frozen)
        request = client.receive("refresh_required")
        assert request["cause"] == "expiry" and 0 < request["timeout_ms"] <= 5000
        answer = client.ask("refresh", token=frozen.token(life=600))
        assert answer["type"] == "refreshed" and answer["expires_in_ms"] == 600_000
        # Longer than the timeout, which the refresh has ended.
        frozen.advance(5.2, patience_ms=0)
        assert client.is_alive() and client.passed == []
        now = session(frozen, connection)
        assert now["phase"] == "active" and now["user_id"] == "ann" and now["calls"] == ["default:standup"]


def test_a_client_refreshes_once_for_every_expiry(frozen):
    with Client(frozen, token=frozen.token(life=2)) as client:
        client.receive("connected")
        for _ in range(3):
            until_asked(frozen)
            client.receive("refresh_required")
            assert client.ask("refresh", token=frozen.token(life=2))["type"] == "refreshed"
        assert client.passed == []


def test_a_client_that_forgets_is_closed_with_4000_after_the_time_out(impatient):
    start = time.monotonic()
    with Client(impatient, token=token("ann", life=10)) as client:
        client.receive("connected")
        client.receive("refresh_required")
        assert client.until_closed() == (4000, "refresh_timeout")
        assert time.monotonic() - start > 14.5
        assert client.passed == []


@pytest.mark.parametrize("expires", [True, False])
def test_the_same_token_is_refused_and_a_good_one_still_accepted(frozen, expires):
    old = frozen.token(life=2 if expires else 600)
    with Client(frozen, token=old) as client:
        connection = client.receive("connected")["connection_id"]
        if expires:
            until_asked(frozen)
        else:
            assert control(frozen, "POST", f"/sessions/{connection}/refresh").json == {"sessions": 1}
        client.receive("refresh_required")
        answer = client.ask("refresh", token=old)
        assert answer["error"]["number"] == (401002 if expires else 401010)
        assert client.ask("refresh", token=frozen.token())["type"] == "refreshed"
        assert client.is_alive()


def test_a_client_that_answers_with_the_same_expired_token_is_closed_with_4000(frozen):
    old = frozen.token(life=2)
    with Client(frozen, token=old) as client:
        client.receive("connected")
        until_asked(frozen)
        client.receive("refresh_required")
        assert client.ask("refresh", token=old)["error"]["number"] == 401002
        frozen.advance(5, patience_ms=0)
        assert client.until_closed() == (4000, "refresh_timeout")


def test_the_token_of_another_user_is_refused_and_the_old_identity_stays(frozen):
    with Client(frozen, token=frozen.token(life=2)) as client:
        connection = client.receive("connected")["connection_id"]
        until_asked(frozen)
        client.receive("refresh_required")
        assert client.ask("refresh", token=frozen.token("bob"))["error"]["number"] == 401011
        assert session(frozen, connection)["user_id"] == "ann"
        assert client.ask("refresh", token=token("ann", kind="guest", iat=time.time() - 60))["error"]["number"] == 401011
        assert client.ask("refresh", token="nonsense")["error"]["number"] == 401001
        assert client.ask("refresh", token=frozen.token())["type"] == "refreshed"


def test_a_client_may_refresh_before_it_is_asked(gateway):
    with Client(gateway, token=token("ann", life=60)) as client:
        client.receive("connected")
        assert client.ask("refresh", token=token("ann", life=7200))["expires_in_ms"] > 7_000_000
        assert client.ask("refresh", token=token("bob"))["error"]["number"] == 401011
        assert client.is_alive()


def test_a_client_that_never_stops_answering_wrongly_is_closed(gateway):
    with Client(gateway, token=token("ann")) as client:
        connection = client.receive("connected")["connection_id"]
        control(gateway, "POST", f"/sessions/{connection}/expire")
        client.receive("refresh_required")
        for _ in range(8):
            client.send("refresh", token="nonsense")
        assert client.until_closed() == (4502, "too_many_failures")
        assert len(client.passed) == 8

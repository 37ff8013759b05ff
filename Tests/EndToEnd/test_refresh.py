"""From one token to the next on the same connection, or to the timeout."""

import time

import pytest

from clients import Client, control
from gateway import token


def session(gateway, connection):
    return control(gateway, "GET", f"/sessions/{connection}").json


def test_a_client_is_asked_at_expiry_refreshes_and_stays_on_the_same_connection(impatient):
    with Client(impatient, token=token("ann", life=2)) as client:
        connection = client.receive("connected")["connection_id"]
        assert client.ask("join", cid="default:standup")["type"] == "joined"
        request = client.receive("refresh_required")
        assert request["cause"] == "expiry" and 0 < request["timeout_ms"] <= 5000
        answer = client.ask("refresh", token=token("ann", life=600))
        assert answer["type"] == "refreshed" and 590_000 < answer["expires_in_ms"] <= 600_000
        # Longer than the timeout, which the refresh has ended.
        time.sleep(5.2)
        assert client.is_alive() and client.passed == []
        now = session(impatient, connection)
        assert now["phase"] == "active" and now["user_id"] == "ann" and now["calls"] == ["default:standup"]


def test_a_client_refreshes_once_for_every_expiry(impatient):
    with Client(impatient, token=token("ann", life=2)) as client:
        client.receive("connected")
        for _ in range(3):
            client.receive("refresh_required")
            assert client.ask("refresh", token=token("ann", life=2))["type"] == "refreshed"
        assert client.passed == []


def test_a_client_that_forgets_is_closed_with_4000_after_the_time_out(impatient):
    start = time.monotonic()
    with Client(impatient, token=token("ann", life=2)) as client:
        client.receive("connected")
        client.receive("refresh_required")
        assert client.until_closed() == (4000, "refresh_timeout")
        assert time.monotonic() - start > 6.5
        assert client.passed == []


@pytest.mark.parametrize("expires", [True, False])
def test_the_same_token_is_refused_and_a_good_one_still_accepted(impatient, expires):
    old = token("ann", life=2 if expires else 600)
    with Client(impatient, token=old) as client:
        connection = client.receive("connected")["connection_id"]
        if not expires:
            assert control(impatient, "POST", f"/sessions/{connection}/refresh").json == {"sessions": 1}
        client.receive("refresh_required")
        answer = client.ask("refresh", token=old)
        assert answer["error"]["number"] == (401002 if expires else 401010)
        assert client.ask("refresh", token=token("ann"))["type"] == "refreshed"
        assert client.is_alive()


def test_a_client_that_answers_with_the_same_expired_token_is_closed_with_4000(impatient):
    old = token("ann", life=2)
    with Client(impatient, token=old) as client:
        client.receive("connected")
        client.receive("refresh_required")
        assert client.ask("refresh", token=old)["error"]["number"] == 401002
        assert client.until_closed() == (4000, "refresh_timeout")


def test_the_token_of_another_user_is_refused_and_the_old_identity_stays(impatient):
    with Client(impatient, token=token("ann", life=2)) as client:
        connection = client.receive("connected")["connection_id"]
        client.receive("refresh_required")
        assert client.ask("refresh", token=token("bob"))["error"]["number"] == 401011
        assert session(impatient, connection)["user_id"] == "ann"
        assert client.ask("refresh", token=token("ann", kind="guest"))["error"]["number"] == 401011
        assert client.ask("refresh", token="nonsense")["error"]["number"] == 401001
        assert client.ask("refresh", token=token("ann"))["type"] == "refreshed"


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

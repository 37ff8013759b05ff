"""What an operator can see and cause."""

import uuid

import pytest

from clients import Client, control
from gateway import Gateway, token


@pytest.fixture
def ann(gateway):
    """A connected user of a name of their own."""
    user = uuid.uuid4().hex
    with Client(gateway, token=token(user)) as client:
        connected = client.receive("connected")
        client.user, client.connection = user, connected["connection_id"]
        yield client


def test_health_readiness_and_metrics(gateway, ann):
    assert control(gateway, "GET", "/health").json == {"status": "ok"}
    assert control(gateway, "GET", "/ready").json == {"status": "ready"}
    text = control(gateway, "GET", "/metrics").body.decode()
    assert "# TYPE postern_connections gauge" in text
    assert 'postern_connections{phase="active"}' in text
    assert 'postern_refresh_seconds_bucket{le="+Inf"}' in text
    assert 'postern_transport_refusals_total{reason="connection_limit"} ' in text
    assert ann.user not in text


def test_sessions_are_listed_page_by_page_and_inspected(gateway, ann):
    one = control(gateway, "GET", f"/sessions/{ann.connection}").json
    assert one["user_id"] == ann.user and one["user_kind"] == "regular" and one["phase"] == "active"
    assert control(gateway, "GET", f"/sessions?user={ann.user}").json["sessions"][0]["id"] == ann.connection
    with Client(gateway, token=token(ann.user)) as other:
        other.receive("connected")
        first = control(gateway, "GET", f"/sessions?user={ann.user}&limit=1").json
        assert len(first["sessions"]) == 1
        second = control(gateway, "GET", f"/sessions?user={ann.user}&limit=1&after={first['next']}").json
        assert len(second["sessions"]) == 1 and second["sessions"] != first["sessions"]
    assert control(gateway, "GET", "/sessions/conn_0_99999999").status == 404
    assert control(gateway, "GET", "/sessions/nonsense").status == 404
    assert control(gateway, "GET", "/sessions?limit=0").status == 400
    assert control(gateway, "GET", "/sessions?after=nonsense").status == 400


@pytest.mark.parametrize("scope", ["session", "user"])
def test_expiring_now_asks_for_another_token(gateway, ann, scope):
    path = f"/sessions/{ann.connection}" if scope == "session" else f"/users/{ann.user}"
    assert control(gateway, "POST", f"{path}/expire").json == {"sessions": 1}
    request = ann.receive("refresh_required")
    assert request["cause"] == "expiry" and 59_000 < request["timeout_ms"] <= 60_000
    assert control(gateway, "POST", f"{path}/expire").json == {"sessions": 1}
    assert ann.ask("refresh", token=token(ann.user))["type"] == "refreshed"
    assert ann.is_alive() and ann.passed == []


@pytest.mark.parametrize("scope", ["session", "user"])
def test_an_operator_asks_for_another_token(gateway, ann, scope):
    path = f"/sessions/{ann.connection}" if scope == "session" else f"/users/{ann.user}"
    assert control(gateway, "POST", f"{path}/refresh", {}).json == {"sessions": 1}
    assert ann.receive("refresh_required")["cause"] == "request"


@pytest.mark.parametrize(
    "body, expected",
    [
        (None, (4005, "disconnected")),
        ({"code": 4321, "reason": "try the other door"}, (4321, "try the other door")),
        ({"code": 1000}, (1000, "disconnected")),
    ],
)
def test_an_operator_disconnects_with_a_code(gateway, ann, body, expected):
    assert control(gateway, "POST", f"/sessions/{ann.connection}/disconnect", body).json == {"sessions": 1}
    assert ann.until_closed() == expected


def test_an_operator_disconnects_a_user(gateway, ann):
    assert control(gateway, "POST", f"/users/{ann.user}/disconnect", {"code": 3000}).json == {"sessions": 1}
    assert ann.until_closed() == (3000, "disconnected")


@pytest.mark.parametrize("body", [{"code": 1005}, {"code": 999}, {"code": 5000}, {"code": "x"}, {"reason": "x" * 124}])
def test_a_code_that_may_not_be_sent_is_refused(gateway, ann, body):
    assert control(gateway, "POST", f"/users/{ann.user}/disconnect", body).status == 400
    assert ann.is_alive()


def test_a_revoked_token_must_be_refreshed_and_logs_in_no_more(gateway, ann):
    used = token(ann.user)
    with Client(gateway, token=used) as client:
        connection = client.receive("connected")["connection_id"]
        fingerprint = control(gateway, "GET", f"/sessions/{connection}").json["token_fingerprint"]
        assert control(gateway, "POST", "/revocations", {"token_fingerprint": fingerprint}).json == {"sessions": 1}
        assert client.receive("refresh_required")["cause"] == "revocation"
        assert client.ask("refresh", token=used)["error"]["number"] in (401009, 401010)
        with Client(gateway) as late:
            assert late.ask("connect", token=used)["error"]["number"] == 401009
        assert client.ask("refresh", token=token(ann.user))["type"] == "refreshed"
        assert ann.is_alive() and ann.passed == []


def test_all_tokens_of_a_user_are_revoked(gateway, ann):
    assert control(gateway, "POST", "/revocations", {"user_id": ann.user}).json == {"sessions": 1}
    assert ann.receive("refresh_required")["cause"] == "revocation"
    assert ann.ask("refresh", token=token(ann.user))["type"] == "refreshed"
    assert control(gateway, "POST", "/revocations", {"user_id": "nobody"}).json == {"sessions": 0}


@pytest.mark.parametrize("body", [{}, {"token_fingerprint": "xyz"}, {"user_id": "a", "token_fingerprint": "0" * 32}])
def test_a_revocation_of_nothing_in_particular_is_refused(gateway, body):
    assert control(gateway, "POST", "/revocations", body).status == 400


def test_revocation_closes_at_once_where_it_is_configured_so_and_reaches_all_issued_before_a_time():
    with Gateway("--revocation", "close") as gateway:
        with Client(gateway, token=token("ann")) as ann, Client(gateway, token=token("bob", iat=1e9)) as bob:
            ann.receive("connected")
            bob.receive("connected")
            assert control(gateway, "POST", "/revocations", {"issued_before": 1.5e9}).json == {"sessions": 1}
            assert bob.until_closed() == (4004, "token_revoked")
            assert ann.is_alive()
            assert control(gateway, "POST", "/sessions/refresh").json == {"sessions": 1}
            assert ann.receive("refresh_required")["cause"] == "request"
            assert control(gateway, "POST", "/sessions/expire").json == {"sessions": 1}
            assert control(gateway, "POST", "/sessions/disconnect", {}).json == {"sessions": 1}
            assert ann.until_closed() == (4005, "disconnected")


def test_the_control_secret_is_wanted_where_there_is_one(tmp_path):
    secret = tmp_path / "control-secret"
    secret.write_text("open sesame, and be quick about it")
    with Gateway("--control-secret-file", str(secret)) as gateway:
        for path in ("/sessions", "/metrics"):
            for wrong in (None, "open sesame", "open sesame, and be quick about it!"):
                assert control(gateway, "GET", path, token=wrong).status == 401
            assert control(gateway, "GET", path, token=secret.read_text()).status == 200
        for method, path in [
            ("GET", "/sessions/conn_0_1"), ("POST", "/sessions/expire"), ("POST", "/users/ann/refresh"),
            ("POST", "/revocations"), ("POST", "/drain"), ("POST", "/sessions/conn_0_1/disconnect"),
        ]:
            assert control(gateway, method, path).status == 401
        assert control(gateway, "GET", "/health").status == control(gateway, "GET", "/ready").status == 200


def test_the_control_port_has_no_sockets_and_no_other_paths(gateway):
    assert control(gateway, "GET", "/nothing").status == 404
    assert control(gateway, "POST", "/health").status == 405
    assert control(gateway, "POST", "/sessions/nonsense/expire").status == 404

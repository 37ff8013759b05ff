"""What an operator can see and do."""

import base64
import contextlib
import os
import socket
import subprocess
import uuid

import pytest

from clients import Client, control
from gateway import Gateway, token


@pytest.fixture
def ann(gateway):
    """A connected user with a unique name."""
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
    assert 'postern_connections{dialect="plain",phase="active"}' in text
    assert 'postern_refresh_seconds_bucket{dialect="plain",le="+Inf"}' in text
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


def test_a_revoked_token_must_be_refreshed_and_cannot_log_in_again(gateway, ann):
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


STRANGERS = [
    ("/revocations", {"issued_befor": 1, "user_id": "nobody"}, "issued_befor"),
    ("/revocations", {"issued_before": 0, "user": "ann"}, "user"),
    ("/revocations", {"Issued_before": 1e10, "issued_before": 0}, "Issued_before"),
    ("/users/{user}/expire", {"delay": 1}, "delay"),
    ("/users/{user}/refresh", {"user": "x"}, "user"),
    ("/sessions/{connection}/expire", {"all": True}, "all"),
    ("/users/{user}/disconnect", {"code": 4005, "reasn": "x"}, "reasn"),
    ("/sessions/disconnect", {"coda": 4005}, "coda"),
    ("/sessions/expire", {"user": "ann"}, "user"),
    ("/drain", {"window": 3}, "window"),
    ("/streem/companies", {"code": "strange", "nam": "x"}, "nam"),
    ("/streem/api-keys", {"company": "strange"}, "company"),
    ("/streem/api-keys/api_1/revoke", {"now": True}, "now"),
]


@pytest.mark.parametrize("path, body, stranger", STRANGERS)
def test_an_undocumented_member_is_refused_by_name_and_changes_nothing(gateway, ann, path, body, stranger):
    path = path.format(user=ann.user, connection=ann.connection)
    answer = control(gateway, "POST", path, body)
    assert answer.status == 400 and f"'{stranger}'" in answer.error["message"]
    assert answer.error["name"] == "invalid_parameter"
    assert ann.is_alive() and ann.passed == []


@pytest.mark.parametrize(
    "method, path, stranger",
    [
        ("GET", "/sessions?usr=ann", "usr"), ("GET", "/settings?verbose=1", "verbose"),
        ("POST", "/sessions/expire?user=ann", "user"), ("POST", "/revocations?user_id=ann", "user_id"),
        ("POST", "/drain?window_s=3", "window_s"), ("GET", "/streem/api-keys?company=x", "company"),
        ("GET", "/sessions?limit=1&limit=2", "twice"),
    ],
)
def test_a_parameter_that_is_not_documented_is_refused_by_name(gateway, ann, method, path, stranger):
    answer = control(gateway, method, path, {} if method == "POST" else None)
    assert answer.status == 400 and stranger in answer.error["message"]
    assert ann.is_alive() and ann.passed == []


@pytest.mark.parametrize(
    "path, body, name",
    [
        ("/revocations", {"user_id": "ann", "issued_before": None}, "issued_before"),
        ("/sessions/disconnect", {"code": None}, "code"), ("/drain", {"window_s": None}, "window_s"),
    ],
)
def test_a_null_member_is_refused_by_name_and_changes_nothing(gateway, ann, path, body, name):
    answer = control(gateway, "POST", path, body)
    assert answer.status == 400 and f"{name} is null" in answer.error["message"]
    assert ann.is_alive() and ann.passed == []


@pytest.mark.parametrize("raw", [b"x", b"[]", b"1", b'"x"', b"null"])
def test_a_body_that_is_no_object_is_refused(gateway, ann, raw):
    for path in ("/sessions/expire", "/sessions/refresh", "/sessions/disconnect", "/revocations", "/drain"):
        headers = {"Content-Type": "application/json"}
        assert control(gateway, "POST", path, raw=raw, headers=headers).status == 400
    assert ann.is_alive() and ann.passed == []


@pytest.mark.parametrize(
    "path, raw",
    [
        ("/revocations", b'{"user_id": "nobody", "user_id": "ann"}'), ("/drain", b'{"window_s": 0, "window_s": 60}'),
        ("/sessions/disconnect", b'{"code": 4005, "\\u0063ode": 4006}'),
    ],
)
def test_an_ambiguous_order_is_refused_and_changes_nothing(gateway, ann, path, raw):
    answer = control(gateway, "POST", path, raw=raw, headers={"Content-Type": "application/json"})
    assert answer.status == 400 and "a member named twice" in answer.error["message"]
    assert ann.is_alive() and ann.passed == []


def ctl(gateway, *words):
    command = [os.environ["POSTERN"], "ctl", *words, "--url", gateway.control_url]
    return subprocess.run(command, capture_output=True, text=True, timeout=90)


@pytest.mark.parametrize("action", ["expire", "refresh", "disconnect"])
def test_an_order_from_a_shell_without_a_matching_session_reports_it_and_exits_1(gateway, ann, action):
    done = ctl(gateway, action, "--user", "nobody at all")
    assert (done.returncode, done.stdout) == (1, "") and "'nobody at all' has no session" in done.stderr
    done = ctl(gateway, action, "--session", "conn_0_99999999")
    assert done.returncode == 1 and "no session has the id" in done.stderr
    done = ctl(gateway, action, "--user", "nobody at all", "--json")
    assert done.returncode == 1 and '"sessions":0' in done.stdout
    assert ann.is_alive() and ann.passed == []
    done = ctl(gateway, action, "--user", ann.user)
    assert (done.returncode, done.stdout) == (0, "1 session\n")


def test_every_action_of_ctl_has_its_own_help(gateway):
    overview = subprocess.run([os.environ["POSTERN"], "ctl", "--help"], capture_output=True, text=True).stdout
    actions = overview.split("actions")[1].split("\n\n")[0]
    words = [line.split()[0] for line in actions.splitlines()[1:] if line.startswith("  ") and line[2] != " "]
    assert len(words) >= 15
    for word in words:
        done = subprocess.run([os.environ["POSTERN"], "ctl", word, "--help"], capture_output=True, text=True)
        assert done.returncode == 0 and f"usage: postern ctl {word}" in done.stdout
        assert f"  postern ctl {word}" in done.stdout.split("example:")[1]
    assert "--code" not in subprocess.run([os.environ["POSTERN"], "ctl", "expire", "--help"], capture_output=True, text=True).stdout


def test_a_flag_of_another_action_is_refused(gateway):
    done = ctl(gateway, "expire", "--user", "ann", "--code", "4005")
    assert done.returncode == 2 and "--code has no effect with ctl expire" in done.stderr
    assert ctl(gateway, "expire").returncode == ctl(gateway, "session").returncode == ctl(gateway, "x").returncode == 2
    assert '"dialects"' in ctl(gateway, "settings").stdout


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


def test_a_stranger_with_open_connections_does_not_block_the_control_port(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("open sesame, and be quick about it")
    with Gateway("--control-secret-file", str(secret)) as gateway, contextlib.ExitStack() as held:
        place = ("127.0.0.1", gateway.ready["control_port"])
        begun = b"POST /faults HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"
        for number in range(400):
            stranger = held.enter_context(socket.create_connection(place, timeout=60))
            stranger.sendall(begun if number % 2 else b"GET /")
        for path in ("/health", "/ready"):
            assert control(gateway, "GET", path).status == 200
        assert control(gateway, "GET", "/settings", token=secret.read_text()).status == 200


@pytest.mark.parametrize("words, stray", [(["space", "create", "t18"], "t18"), (["mend", "3"], "3"), (["expect", "refreshed_in_time", "x"], "x")])
def test_a_word_too_many_is_named_and_the_usage_shown(gateway, words, stray):
    done = ctl(gateway, *words)
    assert done.returncode == 2 and f"'{stray}' is unexpected" in done.stderr and f"as in postern ctl {words[0]} " in done.stderr


@pytest.mark.parametrize("scope", ["session", "user"])
def test_a_message_is_said_to_one_session_or_a_user_and_nothing_else_changes(gateway, ann, scope):
    path = f"/sessions/{ann.connection}/say" if scope == "session" else f"/users/{ann.user}/say"
    assert control(gateway, "POST", path, {"text": '{"type": "notice", "n": 7}'}).json == {"sessions": 1}
    assert ann.socket.recv(timeout=60) == '{"type": "notice", "n": 7}'
    assert control(gateway, "POST", path, {"base64": "AAEC"}).json == {"sessions": 1}
    assert ann.socket.recv(timeout=60) == b"\x00\x01\x02"
    assert control(gateway, "POST", path, {"mean": "request:refresh"}).json == {"sessions": 1}
    assert ann.receive("refresh_required")["cause"] == "request"
    assert control(gateway, "GET", f"/sessions/{ann.connection}").json["phase"] == "active"
    assert ann.ask("refresh", token=token(ann.user))["type"] == "refreshed"


@pytest.mark.parametrize(
    "body, reason",
    [
        ({}, "one of text, base64 and mean"),
        ({"text": "a", "base64": "AA=="}, "one of text, base64 and mean"),
        ({"text": "a" * 65_537}, "above 65536"),
        ({"base64": "?"}, "base64"),
        ({"mean": "reply:login"}, "request:refresh"),
        ({"words": "a"}, "no member is called 'words'"),
        ({"text": 7}, "expected a JSON object"),
    ],
)
def test_a_message_that_cannot_be_said_is_refused(gateway, ann, body, reason):
    answer = control(gateway, "POST", f"/users/{ann.user}/say", body)
    assert answer.status == 400 and reason in answer.json["error"]["message"], answer.body
    assert ann.ask("ping")["type"] == "pong"


def test_a_message_without_a_receiver_is_reported(gateway):
    assert control(gateway, "POST", "/sessions/conn_0_99999999/say", {"text": "a"}).status == 404
    assert control(gateway, "POST", f"/users/{uuid.uuid4().hex}/say", {"text": "a"}).json == {"sessions": 0}


@pytest.mark.parametrize("message", ["\x01" * 65_536, "ü" * 32_768, b"\xff" * 65_536])
def test_a_message_of_64_kibibytes_is_said_whole(gateway, ann, message):
    body = {"text": message} if isinstance(message, str) else {"base64": base64.b64encode(message).decode()}
    assert control(gateway, "POST", f"/users/{ann.user}/say", body).json == {"sessions": 1}
    assert ann.socket.recv(timeout=60) == message

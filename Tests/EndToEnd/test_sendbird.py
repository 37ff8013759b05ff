"""Models of Sendbird's clients, as far as they are known, against a gateway with short sessions."""

import itertools
import time
import urllib.parse

import pytest

from browser import PageServer
from clients import request
from gateway import SECRET, Gateway
from sendbird import APPLICATION, SendbirdClient, refresh_over_http, session_token, subprotocol
from spaces import Space

JS4 = {"p": "JS", "pv": "noAgent", "sv": "4.22.7", "ai": APPLICATION, "pmce": "1", "expiring_session": "1", "active": "1"}
names = itertools.count(1)


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture
def gateway(host):
    """A space whose session keys end after a minute of its own time."""
    settings = {"sendbird-session-life": "60s", "any-refresh-timeout": True, "refresh-timeout": "2s"}
    settings |= {"sendbird-app-id": APPLICATION, "secret": SECRET}
    with Space(host, frozen=True, settings=settings) as space:
        yield space


def until_asked(gateway):
    """Moves the time until a client is asked for a token; returns by how much."""
    return gateway.advance(120, patience_ms=0, stop_at="refresh_required")["moved_s"]


@pytest.fixture
def user():
    """This user is new."""
    return f"user{next(names)}"


def test_javascript_4(gateway, user):
    token = session_token(user)
    with SendbirdClient(gateway, {**JS4, "user_id": user}, subprotocol(token=token)) as client:
        login = client.receive("LOGI")
        assert login["user_id"] == user and login["key"] and "new_key" not in login and "error" not in login
        client.ping()
        until_asked(gateway)
        assert client.receive("EXPR") == {"expires_in": 6, "reason": 400309}
        client.say("LOGI", token=token, expiring_session=1, req_id="6c62d7b0")
        answer = client.receive("LOGI")
        assert answer["req_id"] == "6c62d7b0" and answer["new_key"] not in ("", login["key"])
        assert answer.keys() == login.keys() - {"key"} | {"req_id", "new_key"}
        client.ping()
        client.vanish()
    # Reconnects with the key, without a user id.
    with SendbirdClient(gateway, JS4, subprotocol(auth=answer["new_key"])) as client:
        assert client.receive("LOGI")["user_id"] == user
        until_asked(gateway)
        assert client.receive("EXPR") == {"expires_in": 6, "reason": 400309}
        client.vanish()
    # The client was told a tenth of the session's life ahead.
    gateway.advance(6, patience_ms=0)
    # The key has expired by now. Over HTTP the client gets another.
    with SendbirdClient(gateway, JS4, subprotocol(auth=answer["new_key"])) as client:
        refusal = client.receive("LOGI")
        assert refusal["error"] is True and refusal["code"] == 400309
    fresh = refresh_over_http(gateway, token, user)
    assert fresh.status == 200 and fresh.json.keys() == {"key", "services"} and fresh.json["services"] == ["chat"]
    with SendbirdClient(gateway, JS4, subprotocol(auth=fresh.json["key"])) as client:
        assert client.receive("LOGI")["user_id"] == user


def test_javascript_4_without_a_token(gateway, user):
    with SendbirdClient(gateway, {**JS4, "user_id": user}, "%7B%7D") as client:
        assert client.receive("LOGI")["user_id"] == user
    # It calls the API's host for every socket, and accepts any answer.
    assert request(gateway.http_url, "GET", "/", document=None).status < 500


def test_javascript_4_whose_application_gives_no_token_is_let_go_of(gateway, user):
    token = session_token(user, life=1)
    with SendbirdClient(gateway, {**JS4, "user_id": user}, subprotocol(token=token)) as client:
        client.receive("LOGI")
        until_asked(gateway)
        assert client.receive("EXPR") == {"expires_in": 0, "reason": 400302}
        client.say("LOGI", token=token, expiring_session=1, req_id="r")
        failure = client.receive("EROR")
        assert failure["req_id"] == "r" and failure["code"] == 400302 and failure["error"] is True
        assert abs(failure["ts"] / 1000 - time.time()) < 60
        gateway.advance(2, patience_ms=0)
        assert client.until_closed() == ([], 4000)


def test_javascript_4_asks_its_application_after_a_failure_and_stays(gateway, user):
    token = session_token(user, life=1)
    with SendbirdClient(gateway, {**JS4, "user_id": user}, subprotocol(token=token)) as client:
        client.receive("LOGI")
        until_asked(gateway)
        client.receive("EXPR")
        client.say("LOGI", token=token, expiring_session=1, req_id="r1")
        assert client.receive("EROR")["code"] == 400302
        # Refreshed over HTTP while the socket is open. The socket stays, and is asked again a minute later.
        assert refresh_over_http(gateway, session_token(user), user).status == 200
        assert 50 < until_asked(gateway) <= 60
        assert client.receive("EXPR") == {"expires_in": 6, "reason": 400309}


def test_javascript_3_keeps_its_first_key(gateway, user):
    token = session_token(user)
    query = {"p": "JS", "pv": "noAgent", "sv": "3.1.33", "ai": APPLICATION, "expiring_session": "1", "active": "1"}
    with SendbirdClient(gateway, {**query, "user_id": user, "access_token": token}) as client:
        key = client.receive("LOGI")["key"]
        client.ping()
        until_asked(gateway)
        client.receive("EXPR")
        client.say("LOGI", token=token, expiring_session=1, req_id="1")
        assert client.receive("LOGI")["new_key"] != key
    with SendbirdClient(gateway, {**query, "key": key}) as client:
        assert client.receive("LOGI")["user_id"] == user


def test_javascript_3_without_a_token(gateway, user):
    with SendbirdClient(gateway, {"p": "JS", "ai": APPLICATION, "user_id": user, "access_token": "null"}) as client:
        assert client.receive("LOGI")["user_id"] == user


def test_unity(gateway, user):
    token = session_token(user)
    encoded = urllib.parse.quote(token, safe="").replace(".", "%2E")
    # Its user agent is not escaped, so it is split into parameters.
    query = (
        f"p=Unity&pv=6000&sv=4.2.0&ai={APPLICATION}&user_id={user}&expiring_session=1&SB-SDK-User-Agent="
        "main_sdk_info=chat/unity/4.2.0&device_os_platform=linux&os_version=6.1"
    )
    with SendbirdClient(gateway, query, headers={"SENDBIRD-WS-TOKEN": encoded}) as client:
        login = client.receive("LOGI")
        client.say("PING", active=True)
        client.receive("PONG")
        until_asked(gateway)
        client.receive("EXPR")
        client.say("LOGI", token=token, expiring_session=True, req_id="1")
        key = client.receive("LOGI")["new_key"]
        client.vanish()
    both = {"SENDBIRD-WS-TOKEN": encoded, "SENDBIRD-WS-AUTH": urllib.parse.quote(key, safe="")}
    with SendbirdClient(gateway, query, headers=both) as client:
        assert client.receive("LOGI")["user_id"] == login["user_id"] == user
    # An expired key is accepted beside a good token.
    with SendbirdClient(gateway, query, headers={**both, "SENDBIRD-WS-AUTH": "0" * 48}) as client:
        assert client.receive("LOGI")["user_id"] == user


FLUTTER = {
    "user_id": str, "nickname": str, "login_ts": int, "ping_interval": int, "pong_timeout": int, "reconnect": dict,
    "emoji_hash": str, "use_reaction": bool, "key": str, "services": list,
}


def test_flutter(gateway, user):
    token = session_token(user)
    query = {"p": "Flutter", "sv": "4.10.1", "ai": APPLICATION, "expiring_session": "1"}
    headers = {"SENDBIRD-WS-TOKEN": token}
    with SendbirdClient(gateway, {**query, "user_id": user}, headers=headers) as client:
        login = client.receive("LOGI")
        for name, kind in FLUTTER.items():
            assert isinstance(login[name], kind), name
        assert all(isinstance(login["reconnect"][name], int) for name in ("interval", "max_interval", "mul", "retry_cnt"))
        assert "chat" in login["services"] and "error" not in login
        until_asked(gateway)
        assert client.receive("EXPR")["expires_in"] >= 0
        # It refreshes over HTTP only, and then reconnects.
        answer = refresh_over_http(gateway, token, user)
        key = answer.json["key"]
        client.ping()
    with SendbirdClient(gateway, query, headers={"SENDBIRD-WS-AUTH": key}) as client:
        assert client.receive("LOGI")["user_id"] == user


def test_ios(gateway, user):
    headers = {"SENDBIRD-WS-TOKEN": session_token(user), "Origin": ""}
    query = {"p": "iOS", "sv": "4.34.0", "ai": APPLICATION, "user_id": user, "expiring_session": "0", "pmce": "1"}
    with SendbirdClient(gateway, query, headers=headers) as client:
        assert time.time() < client.receive("LOGI")["expires_at"] < time.time() + 4000
        client.ping()


@pytest.mark.parametrize(
    "query, offered, code",
    [
        ({"user_id": "ann", "ai": "OTHER"}, None, 400304), ({"ai": APPLICATION}, None, 400105),
        ({"user_id": "x" * 81, "ai": APPLICATION}, None, 400305),
        ({"user_id": "ann", "ai": APPLICATION, "access_token": "wrong"}, None, 400302),
        ({"ai": APPLICATION}, subprotocol(auth="0" * 48), 400303),
        ({"user_id": "ann", "ai": APPLICATION}, subprotocol(token="a.b.c"), 400302),
        ({"user_id": "ann", "ai": APPLICATION}, subprotocol(token="x" * 1500), 400302),
    ],
)
def test_refusals_come_after_the_upgrade(gateway, query, offered, code):
    with SendbirdClient(gateway, query, offered) as client:
        refusal = client.receive("LOGI")
        assert (refusal["error"], refusal["code"]) == (True, code) and refusal["message"]


def test_stray_input_affects_no_other_client(gateway, user):
    with SendbirdClient(gateway, {**JS4, "user_id": user}, "%7B%7D") as client:
        client.receive("LOGI")
        for stray in ['PING{"id":', "", "\n", "MESG", "hello", '["PING"]', b"PING{}", b"\x1f\x8b\x08", "PING{}\nPING{}"]:
            client.socket.send(stray)
            client.ping()
        for stray, code in [('ABCD{"req_id":"1"}', 400930), ('LOGI{"token":[],"req_id":"2"}', 400100)]:
            client.socket.send(stray)
            assert client.receive("EROR")["code"] == code


def test_a_browser_opens_the_subprotocol_socket_and_refreshes_over_http():
    flags = ["--sendbird-session-life", "10s", "--any-refresh-timeout", "--refresh-timeout", "30s", "--sendbird-app-id", APPLICATION]
    with PageServer("sendbird.html") as pages, Gateway(*flags) as gateway:
        token = session_token("browser")
        report = pages.visit("127.0.0.1", gateway, token=token, application=APPLICATION)
    assert report["protocol"] == subprotocol(token=token)
    assert report["user"] == report["renewed"] == "browser" and report["heard"] == "LOGI PONG EXPR LOGI"
    assert report["refreshed"] == "200" and report["again"] == "browser"


def test_a_session_key_outlives_its_gateway():
    flags = ["--sendbird-app-id", APPLICATION]
    with Gateway(*flags) as gateway, SendbirdClient(gateway, {**JS4, "user_id": "ann"}, "%7B%7D") as client:
        key = client.receive("LOGI")["key"]
    headers = {"Session-Key": key}
    with Gateway(*flags) as gateway:
        own = "/v3/users/ann/my_group_channels"
        assert request(gateway.http_url, "GET", own, headers=headers, document=None).status == 200
        with SendbirdClient(gateway, JS4, subprotocol(auth=key)) as client:
            assert client.receive("LOGI")["user_id"] == "ann"
    with Gateway(*flags, "--sendbird-http-needs-socket") as gateway:
        refusal = request(gateway.http_url, "GET", own, headers=headers, document=None)
        assert refusal.json["code"] == 800101


def test_a_cut_emoji_is_answered(gateway, user):
    with SendbirdClient(gateway, {**JS4, "user_id": user}, "%7B%7D") as client:
        client.receive("LOGI")
        client.socket.send(r'MESG{"channel_url":"none","message":"\ud83d\u0000","req_id":"1"}')
        refusal = client.receive("EROR")
        assert refusal["code"] == 900500 and refusal["req_id"] == "1" and refusal["ts"]


def test_users_created_by_name_alone_are_limited_per_minute():
    with Gateway("--sendbird-new-users", "2") as gateway:
        for user, command in [("a", "LOGI"), ("b", "LOGI"), ("c", "BUSY"), ("a", "LOGI")]:
            with SendbirdClient(gateway, {"p": "JS", "ai": APPLICATION, "user_id": user}) as client:
                client.receive(command)
        page = request(gateway.control_url, "GET", "/metrics", document=None).body.decode()
        assert "postern_sendbird_new_users_refused_total 1" in page


def test_busy_instead_of_a_login():
    with Gateway("--sendbird-login-rate", "0.1", "--sendbird-busy-retry-after", "7s") as gateway:
        query = {"p": "JS", "ai": APPLICATION, "user_id": "ann"}
        with SendbirdClient(gateway, query) as first:
            first.receive("LOGI")
            with SendbirdClient(gateway, query) as second:
                assert second.receive("BUSY")["retry_after"] == 7

"""Which clients get a socket, how, and how the others are refused."""

import json
import time
import urllib.error
import urllib.request

import jwt
import pytest

from clients import Client, Refused, api
from gateway import SECRET, Gateway, call_token, token


@pytest.mark.parametrize("way", ["token", "query_token"])
def test_a_token_in_the_upgrade_logs_in(gateway, way):
    with Client(gateway, **{way: token("ann")}) as client:
        message = client.receive("connected")
        assert message["user_id"] == "ann" and message["user_kind"] == "regular"
        assert 3_590_000 < message["expires_in_ms"] <= 3_600_000
        assert client.is_alive()


def test_a_token_in_the_first_message_logs_in(gateway):
    with Client(gateway) as client:
        answer = client.ask("connect", token=token("bob", life=None))
        assert answer["type"] == "connected" and answer["user_id"] == "bob"
        assert answer["expires_in_ms"] is None


def test_sub_names_the_user_as_well(gateway):
    now = int(time.time())
    with Client(gateway, token=jwt.encode({"sub": "zoë", "exp": now + 60}, SECRET, "HS256")) as client:
        assert client.receive("connected")["user_id"] == "zoë"


def test_a_guest_gets_a_token_connects_and_joins_a_call(gateway):
    guest = api(gateway, "POST", "/v1/guests", {"name": "Zoe"}).json
    assert "Zoe" in guest["user_id"] and guest["expires_in_s"] > 0
    assert jwt.decode(guest["token"], options={"verify_signature": False})["kind"] == "guest"
    with Client(gateway, token=guest["token"]) as client:
        message = client.receive("connected")
        assert message["user_kind"] == "guest" and message["user_id"] == guest["user_id"]
        assert client.ask("join", cid="default:lobby")["type"] == "joined"
        assert api(gateway, "POST", "/v1/calls/default/lobby", {}, guest["token"]).status in (200, 201)
        joined = api(gateway, "POST", "/v1/calls/default/lobby/join", token=guest["token"])
        assert guest["user_id"] in joined.json["members"]


@pytest.mark.parametrize("way", ["token", "query_token"])
def test_an_anonymous_user_gets_403_and_no_socket(gateway, way):
    with pytest.raises(Refused) as refusal:
        Client(gateway, **{way: call_token("default:standup")})
    assert refusal.value.status == 403
    assert refusal.value.error["number"] == 403001


def test_an_anonymous_user_in_the_first_message_is_refused_and_closed(gateway):
    with Client(gateway) as client:
        assert client.ask("connect", token=call_token("default:standup"))["error"]["number"] == 403001
        assert client.until_closed() == (4501, "anonymous_refused")


BAD_TOKENS = {
    "expired": (lambda: token(life=-60), 401002),
    "of another secret": (lambda: token(secret="another secret, which is long enough for HS256"), 401004),
    "of another algorithm": (lambda: token(algorithm="HS512"), 401005),
    "unsigned": (lambda: jwt.encode({"user_id": "ann"}, None, "none"), 401005),
    "with the signature of another": (lambda: token().rsplit(".", 1)[0] + "." + token().rsplit(".", 1)[1], 401004),
    "without its signature": (lambda: token().rsplit(".", 1)[0], 401001),
    "nonsense": (lambda: "nonsense", 401001),
    "without a user": (lambda: jwt.encode({"exp": time.time() + 60}, SECRET, "HS256"), 401012),
    "not valid yet": (lambda: token(nbf=time.time() + 600), 401003),
    "a call token without expiry": (lambda: call_token("a:b", life=None), 401012),
    "a call token for too many calls": (lambda: call_token(*(f"a:{n}" for n in range(101))), 401012),
}


@pytest.mark.parametrize("kind", BAD_TOKENS)
def test_a_bad_token_is_refused_before_the_upgrade(gateway, kind):
    make, number = BAD_TOKENS[kind]
    bad = make()
    with pytest.raises(Refused) as refusal:
        Client(gateway, token=bad)
    assert refusal.value.status == 401
    assert refusal.value.error["number"] == number
    assert 'error="invalid_token"' in refusal.value.answer.headers["www-authenticate"]
    assert bad not in refusal.value.answer.body.decode()


@pytest.mark.parametrize("kind", BAD_TOKENS)
def test_a_bad_token_in_the_first_message_is_refused_and_closed(gateway, kind):
    make, number = BAD_TOKENS[kind]
    with Client(gateway) as client:
        answer = client.ask("connect", token=make())
        assert answer["error"]["number"] == number
        assert client.until_closed() == (4500, "invalid_token")


def test_a_token_sent_twice_is_refused(gateway):
    with pytest.raises(Refused) as refusal:
        Client(gateway, token=token(), query_token=token())
    assert refusal.value.error["number"] == 400004


def test_an_operation_before_login_gets_800101(gateway):
    with Client(gateway) as client:
        for kind, members in [("join", {}), ("leave", {}), ("publish", {"content": 1})]:
            answer = client.ask(kind, cid="default:standup", **members)
            assert answer["error"]["number"] == 800101
            assert answer["error"]["name"] == "connection_required"
        assert client.ask("connect", token=token())["type"] == "connected"
        assert client.ask("join", cid="default:standup")["type"] == "joined"


def test_an_operation_over_http_without_a_socket_gets_800101(gateway):
    for method, path in [("GET", ""), ("POST", ""), ("POST", "/join"), ("POST", "/events")]:
        for bearer in (None, token("nobody-connected")):
            answer = api(gateway, method, f"/v1/calls/default/standup{path}", token=bearer)
            assert (answer.status, answer.error["number"]) == (409, 800101)


def test_a_socket_that_never_logs_in_is_closed_with_4001(impatient):
    start = time.monotonic()
    with Client(impatient) as client:
        assert client.until_closed() == (4001, "login_timeout")
        assert time.monotonic() - start > 4.5
        assert [message["error"]["number"] for message in client.passed] == [800101]


def test_only_allowed_origins_get_a_socket():
    with Gateway("--origin", "https://app.example") as gateway:
        for origin in ["https://evil.example", "https://app.example.evil.example", "null"]:
            with pytest.raises(Refused) as refusal:
                Client(gateway, token=token(), origin=origin)
            assert (refusal.value.status, refusal.value.error["number"]) == (403, 403003)
        for origin in ["https://app.example", None]:
            with Client(gateway, token=token(), origin=origin) as client:
                assert client.receive("connected")


def test_another_path_has_no_socket(gateway):
    assert api(gateway, "GET", "/v2/connect").status == 404
    with pytest.raises(Refused) as refusal:
        Client(gateway, token=token(), url=gateway.url + "/v2")
    assert refusal.value.status == 404


def test_ipv6_is_served_where_there_is_any(gateway):
    if "::1" not in gateway.ready["hosts"]:
        pytest.skip("this machine has no ::1")
    with Client(gateway, token=token(), url=f"ws://[::1]:{gateway.port}") as client:
        assert client.receive("connected")


def test_the_socket_s_path_without_an_upgrade_is_answered_with_426(gateway):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(gateway.http_url + "/v1/connect")
    assert refused.value.code == 426 and refused.value.headers["upgrade"] == "websocket"
    assert json.load(refused.value)["error"]["name"] == "upgrade_required"

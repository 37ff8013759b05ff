"""Calls by sockets that behave like Stream's SDKs for browsers and devices, and by REST in their form."""

import json

import pytest

import stream
from clients import request
from gateway import Gateway
from raw import RawSocket
from stream import mint

CALL = "/video/call/default"


@pytest.fixture(scope="module")
def gateway():
    # A user who joins over REST is in the call at once.
    with Gateway("--stream-api-key", stream.KEY, "--stream-location", "AMS1-P2", "--stream-sfu", "off") as gateway:
        yield gateway


def rest(gateway, method, path, body=None, user="ann", connection=None, anonymous=False, token=None, **options):
    headers = {"stream-auth-type": "anonymous" if anonymous else "jwt", "Authorization": token or mint(user)}
    mark = "&" if "?" in path else "?"
    path += f"{mark}api_key={stream.KEY}" + (f"&connection_id={connection}" if connection else "")
    return request(gateway.http_url, method, path, body, headers=headers, document=None, **options)


def until(client, kind):
    while (event := client.hear())["type"] != kind:
        pass
    return event


def test_watchers_are_told_who_creates_joins_and_publishes(gateway):
    with stream.javascript(gateway, mint("ann")) as ann, stream.rust(gateway, mint("bob"), "bob") as bob:
        watcher = ann.hear("connection.ok")["connection_id"]
        speaker = bob.hear("connection.ok")["connection_id"]
        assert rest(gateway, "POST", f"{CALL}/told", {}, connection=watcher).status == 201
        assert ann.hear("call.created")["call"]["cid"] == "default:told"
        join = {"location": "FRA", "create": True}
        joined = rest(gateway, "POST", f"/api/v2{CALL}/told/join", join, "bob", speaker)
        assert joined.status == 201 and isinstance(joined.json["call"]["created_at"], int)
        assert rest(gateway, "POST", f"{CALL}/told/event", {"custom": {"wave": 1}}, "bob").status == 201
        for client, date in ((ann, str), (bob, int)):
            started = until(client, "call.session_started")
            assert isinstance(started["created_at"], date) and isinstance(started["call"]["updated_at"], date)
            assert client.hear("call.session_participant_joined")["participant"]["user"]["id"] == "bob"
            event = client.hear("custom")
            assert event["custom"] == {"wave": 1} and isinstance(event["user"]["created_at"], date)
        bob.socket.close()
        assert ann.hear("call.session_participant_left")["session_id"] == started["session_id"]
        assert ann.hear("call.session_ended")["call"]["session"]["participants"] == []


def test_browsers_watch_again_by_a_query_after_they_came_back(gateway):
    rest(gateway, "POST", f"{CALL}/again", {})
    conditions = {"cid": {"$in": ["default:again"]}}
    query = {"watch": True, "filter_conditions": conditions, "sort": [{"field": "cid", "direction": 1}]}
    for _ in range(2):
        with stream.javascript(gateway, mint("ann")) as ann:
            connection = ann.hear("connection.ok")["connection_id"]
            found = rest(gateway, "POST", "/video/calls", query, connection=connection)
            assert found.status == 201 and [state["call"]["id"] for state in found.json["calls"]] == ["again"]
            rest(gateway, "POST", f"{CALL}/again/event", {"custom": {}}, "bob")
            ann.hear("custom")


def test_a_connection_of_another_user_watches_nothing(gateway):
    with stream.swift(gateway, mint("ann")) as ann:
        connection = ann.hear("connection.ok")["connection_id"]
        refused = rest(gateway, "POST", f"{CALL}/mine", {}, "bob", connection)
        assert refused.status == 400 and refused.json["code"] == 46


def test_anonymous_users_read_and_join_what_their_token_opens(gateway):
    rest(gateway, "POST", f"{CALL}/open", {})
    token = mint("!anon", 600, call_cids=["default:open"])
    who = {"anonymous": True, "token": token}
    assert rest(gateway, "GET", f"{CALL}/open", **who).json["own_capabilities"] == ["join-call", "read-call"]
    joined = rest(gateway, "POST", f"{CALL}/open/join", {"location": "FRA"}, **who)
    assert joined.status == 201 and joined.json["call"]["session"]["anonymous_participant_count"] == 1
    for refused in (
        rest(gateway, "GET", f"{CALL}/closed", **who), rest(gateway, "POST", f"{CALL}/open/event", {"custom": {}}, **who)
    ):
        assert refused.status == 403 and refused.json["code"] == 17


@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_the_root_says_where_the_client_is(gateway, method):
    headers = {"Origin": "https://app.example"}
    answer = request(gateway.http_url, method, "/", headers=headers, document=None)
    assert answer.status == 200 and answer.headers["x-amz-cf-pop"] == "AMS1-P2" and answer.body == b""
    assert "x-amz-cf-pop" in answer.headers["access-control-expose-headers"]


def test_telemetry_needs_no_token(gateway):
    path = f"/video/call_client_event?api_key={stream.KEY}"
    assert request(gateway.http_url, "POST", path, {"event": "x"}, headers={}, document=None).status == 201


def test_stray_bytes_affect_no_client(gateway):
    with stream.javascript(gateway, mint("ann")) as ann:
        connection = ann.hear("connection.ok")["connection_id"]
        rest(gateway, "POST", f"{CALL}/calm", {}, connection=connection)
        ann.hear("call.created")
        for path in ("", "/join", "/event", "/members", "/accept", "/user_permissions"):
            for raw in (b"{", b"\xff\xfe", b"[1]", b'{"location":{}}', b"{" * 1000, b'{"custom":7,"update_members":1}'):
                answer = rest(gateway, "POST", f"{CALL}/calm{path}", raw=raw)
                assert answer.status in (201, 400) and json.loads(answer.body)["duration"], (path, raw)
        with RawSocket(gateway) as torn:
            torn.send(f"POST {CALL}/calm/join?api_key={stream.KEY} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n{{".encode())
        rest(gateway, "POST", f"{CALL}/calm/event", {"custom": {"still": "here"}})
        # The readable part of the rest was announced as well: events with an empty custom.
        while (event := until(ann, "custom"))["custom"] != {"still": "here"}:
            assert event["custom"] == {}

"""The guarantees of `--store sqlite:FILE` for Stream's users, guests and calls: they are there after a kill -9."""

import signal
import time

import jwt
import pytest
from websockets.exceptions import ConnectionClosed

import stream
from clients import request
from gateway import SECRET, Gateway
from stream import mint

CALL = "/video/call/default"
SERVER = jwt.encode({"server": True}, SECRET, algorithm="HS256")


@pytest.fixture
def flags(tmp_path):
    return ["--store", f"sqlite:{tmp_path / 'store'}", "--stream-api-key", stream.KEY, "--stream-sfu", "off"]


def kill(gateway):
    gateway.process.send_signal(signal.SIGKILL)
    gateway.process.wait()


def rest(gateway, method, path, body=None, token=None, status=201):
    headers = {"stream-auth-type": "jwt", "Authorization": token or SERVER}
    mark = "&" if "?" in path else "?"
    answer = request(
        gateway.http_url, method, f"{path}{mark}api_key={stream.KEY}", body, headers=headers, document=None)
    assert answer.status == status, answer.json
    return answer.json


def user(gateway, name):
    query = f'/users?payload=%7B%22filter_conditions%22%3A%7B%22id%22%3A%22{name}%22%7D%7D'
    return rest(gateway, "GET", query, status=200)["users"][0]


def refused(gateway, token, name):
    with stream.javascript(gateway, token, name) as client:
        error = client.hear("connection.error")["error"]
        with pytest.raises(ConnectionClosed):
            client.hear()
        return error["code"]


def test_users_guests_devices_and_what_was_taken_from_them_are_there_after_a_kill(flags):
    now = int(time.time())
    old, new = mint("ann", iat=now - 100), mint("ann", iat=now)
    with Gateway(*flags, expected_exit=-signal.SIGKILL) as gateway:
        rest(gateway, "POST", "/users", {"users": {n: {"id": n, "name": n.upper()} for n in ("ann", "bob", "eve")}})
        rest(gateway, "POST", "/users/block", {"user_id": "ann", "blocked_user_id": "bob"})
        rest(gateway, "POST", "/devices", {"id": "d1", "push_provider": "apn", "user_id": "ann"})
        rest(gateway, "POST", "/users/eve/deactivate", {})
        rest(gateway, "POST", "/moderation/ban", {"target_user_id": "bob", "banned_by_id": "ann", "timeout": 60})
        revoked = {"id": "ann", "set": {"revoke_tokens_issued_before": stream_date(now - 50)}}
        rest(gateway, "PATCH", "/users", {"users": [revoked]}, status=200)
        made = rest(gateway, "POST", "/video/guest", {"user": {"id": "tom", "name": "Tom"}})
        guest = made["user"]["id"]
        rest(gateway, "PATCH", "/app", {"guest_user_creation_disabled": True}, status=200)
        before = {name: user(gateway, name) for name in ("ann", "bob", guest)}
        kill(gateway)
    with Gateway(*flags) as gateway:
        assert {name: user(gateway, name) for name in before} == before
        assert before["ann"]["blocked_user_ids"] == ["bob"] and before["ann"]["devices"][0]["id"] == "d1"
        assert before["bob"]["banned"] and not before["ann"]["banned"]
        assert refused(gateway, old, "ann") == 40
        assert refused(gateway, mint("eve"), "eve") == 16
        with stream.javascript(gateway, new) as ann:
            assert ann.hear("connection.ok")["me"]["name"] == "ANN"
        with stream.javascript(gateway, made["access_token"], guest) as tom:
            assert tom.hear("connection.ok")["me"]["role"] == "guest"
        rest(gateway, "POST", "/video/guest", {"user": {"id": "tim"}}, status=403)


def test_calls_are_there_after_a_kill_their_sessions_have_ended_and_rings_end_when_they_would_have(flags):
    members = [{"user_id": "ann"}, {"user_id": "bob", "role": "host"}, {"user_id": "eve"}]
    short = {"ring": {"incoming_call_timeout_ms": 20_000, "auto_cancel_timeout_ms": 20_000, "missed_call_timeout_ms": 20_000}}
    data = {"members": members, "custom": {"topic": "x"}}
    with Gateway(*flags, expected_exit=-signal.SIGKILL) as gateway:
        with stream.javascript(gateway, mint("ann")) as ann:
            ann.hear("connection.ok")
            rest(gateway, "POST", f"{CALL}/kept", {"data": data}, mint("ann"))
            rest(gateway, "POST", f"{CALL}/kept/block", {"user_id": "mallory"})
            rest(gateway, "POST", f"{CALL}/kept/join", {"location": "FRA"}, mint("ann"))
            ringing = {"ring": True, "data": {**data, "settings_override": short}}
            rung = time.monotonic()
            rest(gateway, "POST", f"{CALL}/rung", ringing, mint("ann"))
            rest(gateway, "POST", f"{CALL}/rung/accept", {}, mint("bob"))
            before = rest(gateway, "GET", f"{CALL}/kept", status=200)
            assert len(before["call"]["session"]["participants"]) == 1
            kill(gateway)
    with Gateway(*flags) as gateway:
        after = rest(gateway, "GET", f"{CALL}/kept", status=200)
        # Earlier connections are gone.
        for member in before["members"]:
            member["user"]["online"] = False
        assert after["members"] == before["members"] and after["call"]["custom"] == {"topic": "x"}
        assert after["call"]["blocked_user_ids"] == ["mallory"]
        session = after["call"]["session"]
        assert session["participants"] == [] and session["ended_at"] and after["call"]["current_session_id"] == ""
        with stream.javascript(gateway, mint("eve"), "eve") as eve:
            eve.hear("connection.ok")
            missed = eve.hear("call.missed")
            assert time.monotonic() - rung > 19
            assert [member["user_id"] for member in missed["members"]] == ["eve"]
            assert set(missed["call"]["session"]["missed_by"]) == {"eve"}
            assert set(missed["call"]["session"]["accepted_by"]) == {"bob"}


def stream_date(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))

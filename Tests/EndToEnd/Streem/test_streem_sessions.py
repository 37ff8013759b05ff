"""Sessions on the socket: refresh, logout, change of user, invitations, and calls of two."""

import time

import pytest
from builders import node
from clients import control
from gateway import Gateway
from streem import Client, api, make_key


def test_nothing_works_before_identify(gateway):
    with Client(gateway) as client:
        for operation in ({"type": "getRecentlyIdentifiedUsers"}, {"type": "logout", "id": "1"}):
            answer = client.ask(operation.pop("type"), **operation)
            assert (answer["type"], answer["number"]) == ("error", 800101)
    assert api(gateway, "POST", "/streem/v1/logout").status == 409


def test_a_token_refresher_keeps_the_connection(gateway, key):
    with Client(gateway) as client:
        session = client.identify(node(key, "ann"))["sessionId"]
        assert control(gateway, "POST", "/users/ann/expire").json == {"sessions": 1}
        asked = client.receive("tokenRequired")
        assert asked["reason"] == "expired" and asked["timeoutMs"] == 60_000
        assert client.ask("token", token="x")["reason"] == "malformed"
        answer = client.ask("token", id="r", token=node(key, "ann", session_life=5000))
        assert answer["type"] == "identified" and answer["refreshed"] and answer["id"] == "r"
        assert answer["sessionId"] == session


def test_who_has_no_token_is_disconnected_at_once():
    with Gateway() as gateway, Client(gateway) as failing:
        failing.identify(node(make_key(gateway), "bob", session_life=6))
        assert failing.receive("tokenRequired")["reason"] == "expired"
        began = time.monotonic()
        failing.send("tokenFailed")
        assert failing.until_closed()[:2] == (4000, "session_expired")
        # If the gateway waited for a token anyway, this would take at least half a minute.
        assert time.monotonic() - began < 20


def test_who_brings_no_token_in_time_is_disconnected():
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "1s") as gateway, Client(gateway) as silent:
        silent.identify(node(make_key(gateway), "ann", session_life=6))
        assert silent.until_closed()[:2] == (4000, "session_expired")


def test_logging_out_leaves_the_socket(gateway, key):
    with Client(gateway) as client:
        client.identify(node(key, "ann"))
        assert client.ask("logout", id="2") == {"type": "loggedOut", "id": "2", "externalUserId": "ann"}
        assert client.ask("ping", id="3") == {"type": "pong", "id": "3"}
        assert client.identify(node(key, "bob"))["user"]["externalUserId"] == "bob"
        assert api(gateway, "POST", "/streem/v1/logout", token=node(key, "bob")).json["externalUserId"] == "bob"
        assert client.receive("loggedOut")["externalUserId"] == "bob"


def test_another_sub_is_a_new_identity(gateway, key):
    with Client(gateway) as client:
        client.identify(node(key, "ann"))
        client.send("identify", token=node(key, "bob"))
        assert client.receive("loggedOut")["externalUserId"] == "ann"
        assert client.receive("identified")["user"]["externalUserId"] == "bob"
        sessions = control(gateway, "GET", "/sessions?user=bob").json["sessions"]
        assert [s["user_id"] for s in sessions] == ["bob"]
        assert control(gateway, "GET", "/sessions?user=ann").json["sessions"] == []


def test_identify_over_http(gateway, key):
    answer = api(gateway, "POST", "/streem/v1/identify", {"token": node(key, "ann"), "isExpert": True, "appId": "a"})
    assert answer.status == 200 and answer.json["user"]["isExpert"]
    listed = api(gateway, "GET", "/streem/v1/recently-identified-users", token=node(key, "nobody-yet"))
    assert listed.status == 409
    with Client(gateway) as client:
        client.identify(node(key, "ann"))
        users = client.ask("getRecentlyIdentifiedUsers", onlyExperts=True)["users"]
        assert "ann" in [user["externalUserId"] for user in users]
        path = "/streem/v1/recently-identified-users?onlyExperts=true"
        assert api(gateway, "GET", path, token=node(key, "ann")).json["users"] == users


def test_an_invitation_leads_to_a_call(gateway, key):
    with Client(gateway) as pro, Client(gateway) as customer:
        uid = pro.identify(node(key, "ann", {"name": "Ann"}), isExpert=True)["user"]["streemUserId"]
        order = {"toUserName": "Carl", "referenceId": "R-1", "invitationType": "PHONE", "phone": "+14155550123"}
        made = api(gateway, "POST", "/streem/v1/invitations", order, token=node(key, "ann"))
        assert made.status == 201 and made.json["smsSent"] is False
        code = made.json["invitationCode"]
        assert made.json["url"] == f"https://postern.streem.us/i/{code.replace('-', '')}"
        path = f"/streem/v1/invitations/{code}/login"
        entrance = api(gateway, "POST", path, {"appId": "app", "isExpert": False}).json
        assert entrance["details"]["user"] == {"uid": uid, "displayName": "Ann", "photoURL": None}
        assert api(gateway, "POST", path, {"appId": "app"}).json["reason"] == "InvitationConsumed"

        identity = entrance["identity"]
        token, company = identity.pop("token"), identity["companyCode"]
        assert customer.identify(token, companyCode=company)["user"]["name"] == "Carl"
        ringing = customer.ask("startRemoteStream", role="LOCAL_CUSTOMER", remoteUserId=uid, referenceId="R-1")
        assert ringing["type"] == "remoteStreamRinging"
        room = pro.receive("incomingRemoteStream")["room"]["roomSid"]
        assert pro.ask("joinRemoteStream", roomSid=room, role="ONSITE_PRO")["type"] == "remoteStreamStarted"
        roles = [p["role"] for p in customer.receive("remoteStreamStarted")["room"]["participants"]]
        assert roles == ["LOCAL_CUSTOMER", "ONSITE_PRO"]
        rooms = api(gateway, "GET", "/v1/rooms?reference_id=R-1", key=key).json["rooms"]
        assert [(r["room_sid"], r["state"]) for r in rooms] == [(room, "live")]
        assert customer.ask("leaveRemoteStream", roomSid=room)["cause"] == "left"
        assert pro.receive("remoteStreamEnded")["room"]["state"] == "ended"
        over_socket = pro.ask("createInvitation", toUserName="Dora")
        assert over_socket["type"] == "invitation" and over_socket["toName"] == "Dora"


def test_codes_cannot_be_guessed():
    with Gateway() as gateway:
        for _ in range(10):
            answer = api(gateway, "POST", "/streem/v1/invitations/000000000/login", {})
            assert (answer.status, answer.json["reason"]) == (404, "InvitationInvalid")
        answer = api(gateway, "POST", "/streem/v1/invitations/000000000/login", {})
        assert answer.status == 429 and 0 < int(answer.headers["retry-after"]) <= 60


def test_reservations(gateway, key):
    path = "/v1/companies/postern/groups/support/reservations"
    order = {
        "externalUserId": "carl",
        "queue": True,
        "priority": 1,
        "reserve_for_seconds": 60,
        "details": [{"label": "Serial", "value": "7"}],
    }
    made = api(gateway, "POST", path, order, key=key)
    assert made.status == 201
    reservation = made.json["group_reservation"]
    assert api(gateway, "GET", f"{path}/{reservation['reservation_sid']}", key=key).json == made.json
    canceled = api(gateway, "POST", f"{path}/{reservation['reservation_sid']}/cancel", key=key)
    assert canceled.json["group_reservation"]["reservation_status"] == "GROUP_RESERVATION_STATUS_CANCELED"
    assert api(gateway, "GET", "/v1/companies/postern", key=key).json["company"]["active"] is True
    assert api(gateway, "GET", "/v1/companies/postern").status == 401


@pytest.mark.parametrize("text", ["", "{", "[]", '{"type":"nobody knows"}', "\u0000", '{"type":"identify"}', "💩"])
def test_nonsense_is_answered_and_survived(gateway, text):
    with Client(gateway) as client:
        client.socket.send(text)
        assert client.receive("error")["number"] in (400001, 400002, 400003)
        assert client.ask("ping")["type"] == "pong"


def test_a_drain_is_announced():
    with Gateway() as gateway:
        key = make_key(gateway)
        with Client(gateway) as client:
            client.identify(node(key, "ann"))
            control(gateway, "POST", "/drain", {"window_s": 1})
            assert client.receive("closing")["reason"] == "service_restart"
            assert client.until_closed()[0] == 1012


def test_companies_are_made_by_the_control_port(gateway):
    made = control(gateway, "POST", "/streem/companies", {"code": "acme", "name": "Acme"})
    assert made.status in (200, 201) and made.json["company"]["code"] == "acme"
    key = make_key(gateway, company_code="acme")
    with Client(gateway) as client:
        assert client.identify(node(key, "ann"), companyCode="acme")["user"]["companyName"] == "Acme"
    with Client(gateway) as client:
        assert client.identify(node(key, "ann"), companyCode="postern")["reason"] == "company_forbidden"

"""The guarantees of `--store sqlite:FILE` for Streem: a kill -9 loses nothing that was accepted, and revives nothing."""

import signal

from builders import node
from clients import control
from gateway import Gateway
from streem import Client, api, make_key
from test_streem_openid import ask, enter, post, redeem

RESERVATIONS = "/v1/companies/postern/groups/support/reservations"


def test_a_kill_loses_nothing_and_revives_nothing(tmp_path):
    flags = ["--store", f"sqlite:{tmp_path / 'store'}"]
    order = {"externalUserId": "carl", "queue": True, "priority": 1, "reserve_for_seconds": 600, "details": []}
    with Gateway(*flags, expected_exit=-signal.SIGKILL) as gateway:
        key, revoked = make_key(gateway), make_key(gateway)
        control(gateway, "POST", f"/streem/api-keys/{revoked.id}/revoke")
        assert control(gateway, "POST", "/streem/companies", {"code": "acme", "name": "Acme"}).status == 201
        acme = make_key(gateway, company_code="acme")
        tokens = redeem(gateway, enter(gateway, ask(gateway))).json
        dropped = redeem(gateway, enter(gateway, ask(gateway))).json
        post(gateway, "/revoke", client_id="streem-sdk", token=dropped["refresh_token"])
        exchanged = api(gateway, "POST", "/streem/v1/streem-token", {}, token=tokens["access_token"]).json
        reserved = api(gateway, "POST", RESERVATIONS, order, key=key).json["group_reservation"]
        canceled = api(gateway, "POST", RESERVATIONS, order, key=key).json["group_reservation"]
        api(gateway, "POST", f"{RESERVATIONS}/{canceled['reservation_sid']}/cancel", key=key)
        with Client(gateway) as ann, Client(gateway) as bob:
            uid = ann.identify(node(key, "ann", {"name": "Ann"}), isExpert=True)["user"]["streemUserId"]
            kept, used = (ann.ask("createInvitation", toUserName="Carl")["invitationCode"] for _ in range(2))
            assert api(gateway, "POST", f"/streem/v1/invitations/{used}/login", {}).status == 200
            remote = bob.identify(node(key, "bob"))["user"]["streemUserId"]
            ringing = ann.ask("startRemoteStream", role="REMOTE_PRO", remoteUserId=remote, referenceId="R-9")
            room = ringing["room"]["roomSid"]
            bob.receive("incomingRemoteStream")
            shared = api(gateway, "POST", f"/v1/rooms/{room}/share-tokens", key=key).json["share_token"]["share_url"]
            hook = api(gateway, "POST", "/v1/webhooks", {"url": "https://a.example/", "label": "a"}, key=key).json["webhook"]
            signing = {"shared_secret": "s3cret", "label": "k"}
            assert api(gateway, "POST", f"/v1/webhooks/{hook['sid']}/signing-keys", signing, key=key).status == 201
            hooks = api(gateway, "GET", "/v1/webhooks", key=key).json["webhooks"]
            assert [made["label"] for made in hooks[0]["signing_keys"]] == ["k"]
            gateway.process.send_signal(signal.SIGKILL)
            gateway.process.wait()
    with Gateway(*flags) as gateway:
        with Client(gateway) as ann, Client(gateway) as other, Client(gateway) as late:
            assert ann.identify(node(key, "ann"))["user"]["streemUserId"] == uid
            assert other.identify(node(acme, "ann"))["user"]["companyCode"] == "acme"
            assert late.identify(node(revoked, "eve"))["reason"] == "unknown_api_key"
        with Client(gateway) as ann:
            assert ann.identify(exchanged["streemToken"])["type"] == "identified"
        for code, status in ((kept, 200), (used, 410), (kept, 410)):
            assert api(gateway, "POST", f"/streem/v1/invitations/{code}/login", {}).status == status
        for made, state in ((reserved, "RESERVED"), (canceled, "CANCELED")):
            found = api(gateway, "GET", f"{RESERVATIONS}/{made['reservation_sid']}", key=key).json["group_reservation"]
            assert found["reservation_status"] == f"GROUP_RESERVATION_STATUS_{state}"
        rooms = api(gateway, "GET", "/v1/rooms?reference_id=R-9", key=key).json["rooms"]
        assert [(found["room_sid"], found["state"]) for found in rooms] == [(room, "ended")]
        page = api(gateway, "GET", shared.removeprefix("https://postern.streem.us"))
        assert page.status == 200 and "It is over." in page.body.decode()
        assert api(gateway, "GET", "/v1/webhooks", key=key).json["webhooks"] == hooks
        assert api(gateway, "DELETE", f"/v1/webhooks/{hook['sid']}", key=key).status == 200
        for refresh, status in ((tokens["refresh_token"], 200), (dropped["refresh_token"], 400)):
            form = {"grant_type": "refresh_token", "client_id": "streem-sdk", "refresh_token": refresh}
            assert post(gateway, "/token", **form).status == status
        assert api(gateway, "POST", "/streem/v1/streem-token", {}, token=tokens["access_token"]).status == 200

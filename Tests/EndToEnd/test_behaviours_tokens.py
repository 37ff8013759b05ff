"""The rows of Docs/behaviours.md about the token provider, revocation, kinds of users and clocks."""

import json
import socket
import threading
import time
import urllib.parse

import jwt

import sendbird
from behaviours import ROWS, case, host  # noqa: F401
from clients import Client, api, control
from openid_login import is_good, log_in, refresh


# The token provider


def provider(case, patience=60):
    """The provider's answer: the status and the header fields; None if none comes."""
    address = urllib.parse.urlsplit(case.http_url)
    body = json.dumps({"user_id": "martin"}).encode()
    with socket.create_connection((address.hostname, address.port), timeout=patience) as peer:
        head = f"POST /v1/tokens HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: {len(body)}\r\n"
        peer.sendall(head.encode() + b"Content-Type: application/json\r\nConnection: close\r\n\r\n" + body)
        try:
            text = peer.recv(65536).decode()
        except TimeoutError:
            return None
    head, _, _ = text.partition("\r\n\r\n")
    status, *fields = head.split("\r\n")
    return int(status.split()[1]), {name.lower(): value for name, value in (field.split(": ", 1) for field in fields)}


def test_p1(case):
    case.call()
    assert provider(case, patience=1) is None
    assert provider(case)[0] == 200


def test_p2(case):
    case.call()
    assert [provider(case)[0] for _ in range(3)] == [401, 401, 401]


def test_p3(case):
    case.call()
    status, fields = provider(case)
    assert (status, fields["retry-after"]) == (429, "5")
    assert provider(case)[0] == 200


def test_p4(case):
    case.call()
    assert [provider(case)[0] for _ in range(3)] == [500, 500, 200]


def test_p5(case):
    case.call(4)
    for _ in range(4):
        bad = api(case, "POST", "/v1/tokens", {"user_id": "martin"}, document=None).json["token"]
        assert case.refused(bad or "x").status == 401
    case.connect()


def test_p6(case):
    case.call()
    client = case.connect(case.token("martin"), welcome=False)
    assert client.receive("connected")["user_id"] == "mallory"


def test_p7(case):
    first = log_in(case).json
    winner, loser = (refresh(case, first["refresh_token"]).json for _ in range(2))
    newest = refresh(case, loser["refresh_token"]).json
    assert is_good(case, winner["access_token"]) and is_good(case, newest["access_token"])
    case.call()
    assert refresh(case, first["refresh_token"]).json["error"] == "invalid_grant"
    for tokens in (winner, newest):
        assert refresh(case, tokens["refresh_token"]).json["error"] == "invalid_grant"
        assert not is_good(case, tokens["access_token"])


def test_p8(case):
    old = case.token()
    case.connect(old)
    case.call()
    assert case.refused(old).status == 401
    case.connect()


def test_p9(case):
    case.call()
    route = json.loads(ROWS["P9"][0][0].split("'")[1])["route"]
    answer = api(case, "GET", route, document=None)
    assert answer.status == 429 and answer.headers["retry-after"] == "5"
    case.connect()


def test_p10(case):
    case.call()
    began = time.monotonic()
    threads = [threading.Thread(target=case.token) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # One in each fifth of a second, so the eighth has waited for seven.
    assert time.monotonic() - began > 1.3


# Revocation, and kinds of users


def test_v1(case):
    client = case.connect()
    case.call()
    assert client.receive("refresh_required")["cause"] == "revocation"


def test_v2(case):
    old = case.token()
    case.call()
    assert [case.refused(old).status for _ in range(3)] == [401] * 3


def test_v3(case):
    case.call()
    assert case.refused(case.token()).status == 403
    case.connect()
    anonymous = case.own_token("!anon", call_cids=["default:standup"])
    assert case.refused(anonymous).status == 403


def test_v4(case):
    case.call()
    case.connect()
    answer = api(case, "GET", "/v1/calls/default/standup", token=case.token(), document=None)
    assert answer.json["error"]["number"] == 800101
    client = Client(case)
    case.clients.append(client)
    client.send("join", cid="default:standup", id="1")
    assert client.receive("error")["error"]["number"] == 800101


def test_v5(case):
    guest = api(case, "POST", "/v1/guests", {}, document=None).json
    client = case.connect(guest["token"])
    case.call()
    client.receive("refresh_required")
    case.refresh(client, case.token(guest["user_id"], kind="guest"))
    client.receive("refreshed")


def test_v6(case):
    case.call()
    case.connect()
    answers = [api(case, "GET", "/v1/calls/default/standup", token=case.token(), document=None) for _ in range(2)]
    assert [answer.status for answer in answers] == [403, 404]
    anonymous = case.own_token("!anon", call_cids=["default:standup"])
    answer = api(case, "GET", "/v1/calls/default/other", token=anonymous, document=None)
    assert answer.status == 403


def test_v7(case):
    secret = case.made["secret"]
    made = api(
        case, "POST", "/v3/users", {"user_id": "martin", "nickname": "m", "profile_url": "", "issue_access_token": True},
        headers={"Api-Token": secret}, document=None,
    )
    assert made.status == 200, made.body
    query = {"p": "JS", "pv": "x", "sv": "4.9.8", "ai": sendbird.APPLICATION, "user_id": "martin"}
    query["access_token"] = made.json["access_token"]
    with sendbird.SendbirdClient(case, query) as first:
        assert first.receive("LOGI").get("error") is None
        with sendbird.SendbirdClient(case, query) as second:
            assert second.receive("LOGI")["code"] == 400500


# Clocks


def issued(case):
    return jwt.decode(case.token(), options={"verify_signature": False})["iat"]


def test_c1(case):
    case.call(2)
    assert issued(case) - time.time() > 3500
    case.connect()


def test_c2(case):
    case.call()
    answer = case.refused(case.token())
    assert answer.status == 401
    control(case, "DELETE", "/faults")
    assert control(case, "POST", "/faults", {"fault": "issuer_clock", "ahead_s": 3}).status == 201
    case.connect()


def test_c3(case):
    case.call()
    assert case.refused(case.own_token(life=1800)).error["name"] == "token_expired"


def test_c4(case):
    client = case.connect()
    case.call()
    assert client.until_closed()[0] == 4000
    assert [one["type"] for one in client.passed].count("refresh_required") == 1


def test_c5(case):
    case.call(2)
    wall = control(case.host, "GET", f"/spaces/{case.name}/clock").json["wall"]
    assert 350 < issued(case) - wall < 370

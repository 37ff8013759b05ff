"""Calls: members receive one another's messages on every loop, and anonymous users open their calls over HTTP."""

import uuid

import pytest

from clients import Client, api, control
from gateway import call_token, token


def fresh_call():
    return f"default:{uuid.uuid4().hex}"


def path(cid, suffix=""):
    return "/v1/calls/" + cid.replace(":", "/") + suffix


def loop(connection):
    return int(connection.split("_")[1])


def after_joins(client):
    """The next message that is not about a member joining or leaving; those of another loop may arrive late."""
    passed, client.passed = client.passed, []
    for message in passed:
        if message["type"] != "member_joined":
            return message
    while (message := client.receive())["type"] == "member_joined":
        pass
    return message


def test_the_members_of_a_call_hear_each_other_on_every_loop(gateway):
    cid = fresh_call()
    clients, loops = [], set()
    try:
        while len(loops) < 2 or len(clients) < 4:
            assert len(clients) < 64, "all connections are on one loop"
            client = Client(gateway, token=token(f"user{len(clients)}"))
            clients.append(client)
            loops.add(loop(client.receive("connected")["connection_id"]))
        for client in clients:
            assert client.ask("join", cid=cid)["type"] == "joined"
        # Every member is told of the members who joined later.
        for number, client in enumerate(clients):
            later = {f"user{n}" for n in range(number + 1, len(clients))}
            heard = {message["user_id"] for message in client.passed}
            while not later <= heard:
                heard.add(client.receive("member_joined")["user_id"])
            client.passed = []
        content = {"text": "☕ \" \\ \u0001", "n": [1.5, -0, 1e30, None, True]}
        assert clients[0].ask("publish", cid=cid, content=content)["type"] == "published"
        heard = [after_joins(client) for client in clients]
        assert heard == [{"type": "message", "cid": cid, "user_id": "user0", "content": content}] * len(clients)
        assert clients[0].ask("leave", cid=cid)["type"] == "left"
        for client in clients[1:]:
            assert client.receive("member_left")["user_id"] == "user0"
        assert clients[0].ask("publish", cid=cid, content=1)["error"]["number"] == 400006
        clients[1].socket.close()
        for client in clients[2:]:
            assert client.receive("member_left")["user_id"] == "user1"
    finally:
        for client in clients:
            client.__exit__()


def test_a_client_that_has_not_joined_can_neither_publish_nor_receive(gateway):
    cid = fresh_call()
    with Client(gateway, token=token("ann")) as ann, Client(gateway, token=token("bob")) as bob:
        ann.receive("connected")
        bob.receive("connected")
        assert ann.ask("publish", cid=cid, content=1)["error"]["number"] == 400006
        assert ann.ask("leave", cid=cid)["error"]["number"] == 400006
        ann.ask("join", cid=cid)
        ann.ask("publish", cid=cid, content=1)
        assert bob.is_alive() and bob.passed == []


def test_a_connected_user_makes_gets_and_joins_a_call_over_http_and_tells_its_members(gateway):
    cid = fresh_call()
    ann = token("ann")
    with Client(gateway, token=ann) as client:
        client.receive("connected")
        client.ask("join", cid=cid)
        assert api(gateway, "GET", path(cid), token=ann).status == 404
        made = api(gateway, "POST", path(cid), {}, ann)
        assert made.status == 201 and made.json["created_by"] == "ann" and made.json["members"] == []
        assert api(gateway, "POST", path(cid), token=ann).status == 200
        assert api(gateway, "POST", path(cid, "/events"), {"content": 1}, ann).error["number"] == 400006
        assert api(gateway, "POST", path(cid, "/join"), {}, ann).json["members"] == ["ann"]
        assert api(gateway, "POST", path(cid, "/join"), {}, ann).json["members"] == ["ann"]
        assert api(gateway, "POST", path(cid, "/events"), {"content": {"a": [1]}}, ann).status == 202
        assert client.receive("message")["content"] == {"a": [1]}
        assert api(gateway, "GET", path(cid), token=ann).json["members"] == ["ann"]
    assert api(gateway, "POST", path("default:never-made", "/join"), {}, ann).status in (404, 409)


def test_a_disconnected_user_gets_800101_again(gateway):
    user = uuid.uuid4().hex
    with Client(gateway, token=token(user)) as client:
        client.receive("connected")
        assert api(gateway, "GET", path(fresh_call()), token=token(user)).status == 404
        connection = control(gateway, "GET", f"/sessions?user={user}").json["sessions"][0]["id"]
        control(gateway, "POST", f"/sessions/{connection}/disconnect")
        assert client.until_closed() == (4005, "disconnected")
    assert api(gateway, "GET", path(fresh_call()), token=token(user)).error["number"] == 800101


def test_an_anonymous_user_opens_the_calls_of_its_token_over_http_only(gateway):
    mine, other = fresh_call(), fresh_call()
    anonymous = call_token(mine)
    assert api(gateway, "POST", path(mine), {}, anonymous).status == 201
    assert api(gateway, "POST", path(mine, "/join"), {}, anonymous).json["members"] == ["!anon"]
    assert api(gateway, "POST", path(mine, "/join"), {}, call_token(mine, other)).json["members"] == ["!anon"]
    assert api(gateway, "GET", path(mine), token=anonymous).json["created_by"] == "!anon"
    for method, suffix in [("GET", ""), ("POST", ""), ("POST", "/join")]:
        answer = api(gateway, method, path(other, suffix), token=anonymous)
        assert (answer.status, answer.error["number"]) == (403, 403002)
    assert api(gateway, "POST", path(mine, "/events"), {"content": 1}, anonymous).error["number"] == 403004


@pytest.mark.parametrize(
    "bad",
    [
        lambda cid: call_token(cid, life=None),
        lambda cid: call_token(cid, *(f"a:{n}" for n in range(100))),
        lambda cid: token("!anon"),
        lambda cid: call_token(cid, kind="regular"),
        lambda cid: token("ann", kind="anonymous", call_cids=[cid]),
    ],
    ids=["no expiry", "101 calls", "no calls", "another kind", "another user"],
)
def test_a_call_token_that_breaks_a_rule_is_refused(gateway, bad):
    cid = fresh_call()
    answer = api(gateway, "POST", path(cid), {}, bad(cid))
    assert (answer.status, answer.error["number"]) == (401, 401012)
    assert api(gateway, "GET", path(cid), token=call_token(cid)).status == 404


def test_an_expired_token_is_refused_over_http(gateway):
    answer = api(gateway, "GET", path(fresh_call()), token=token(life=-60))
    assert (answer.status, answer.error["number"]) == (401, 401002)


def test_a_crowd_gets_a_count_and_no_notice_of_each_join(gateway):
    cid = fresh_call()
    clients, loops = [], {}
    try:
        while max(loops.values(), default=0) <= 260:
            assert len(clients) < 2000, "the crowd spreads over too many loops"
            # They read all the time, also messages that the test ignores. A client that does not read gets no pings, and its
            # connection ends.
            client = Client(gateway, token=token(f"crowd{len(clients)}"), max_queue=None)
            clients.append(client)
            place = loop(client.receive("connected")["connection_id"])
            loops[place] = loops.get(place, 0) + 1
            assert client.ask("join", cid=cid)["type"] == "joined"
        told = 0
        while (message := clients[0].receive()).get("members", 0) < len(clients):
            assert message["type"] in ("member_joined", "members_changed")
            told += message["type"] == "member_joined"
        assert message == {"type": "members_changed", "cid": cid, "members": len(clients)}
        assert told < len(clients) - 1
    finally:
        for client in clients:
            client.__exit__()

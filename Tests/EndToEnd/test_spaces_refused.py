"""Spaces and time moves that cannot be: refused with a message, and nothing is created or moved."""

import pytest

from clients import Client, Refused, control
from gateway import Gateway, token
from spaces import Space

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


@pytest.mark.parametrize(
    "body, said",
    [
        ({"name": ""}, "small letters"), ({"name": "T17"}, "small letters"), ({"name": "a" * 64}, "small letters"),
        ({"name": "a/b"}, "small letters"), ({"name": "../x"}, "small letters"), ({"name": "é"}, "small letters"),
        ({"name": "a\n"}, "small letters"), ({"name": "a.b"}, "small letters"), ({"name": 7}, "JSON object"),
        ({"name": None}, "name is null"), ({"port": -1}, "0 to 65535"), ({"port": 65_536}, "0 to 65535"),
        ({"port": "80"}, "JSON object"), ({"frozen": 1}, "JSON object"), ({"seed": -1}, "0 or more"),
        ({"seed": 0.5}, "JSON object"), ({"idle_s": 0.9}, "1 to 604800"), ({"idle_s": 1e9}, "604800"),
        ({"nmae": "x"}, "'nmae'"), ({"settings": 1}, "must be an object"), ({"settings": []}, "must be an object"),
        ({"settings": {"token-life": None}}, "a value is text"), ({"settings": {"token-life": {}}}, "a value is text"),
        ({"settings": {"token-life": ["1s", "2s"]}}, "takes one value"), ({"settings": {"token-life": "soon"}}, "soon"),
        ({"settings": {"token-lfe": "1s"}}, "did you mean 'token-life'"), ({"settings": {"zzzzzz": 1}}, "token-life"),
        ({"settings": {"port": 1}}, "the whole process's"), ({"settings": {"store": "memory"}}, "the whole process's"),
        ({"settings": {"tls-key": "x"}}, "the whole process's"), ({"settings": {"loops": 2}}, "the whole process's"),
        ({"settings": {"spaces": True}}, "the whole process's"), ({"settings": {"seed": 1}}, "the whole process's"),
        ({"settings": {"refresh-timeout": "1s"}}, "60 to 1800"), ({"settings": {"secret": "short"}}, "has 5 bytes"),
        ({"settings": {"key-file": "/dev/zero"}}, "takes no path"), ({"settings": {"config": "/x"}}, "config"),
        ({"settings": {"key-file": {"file": "x"}}}, "--spaces-folder"), ({"port": 80}, "--spaces-low-ports"),
        ({"settings": {"token-life": {"content": "1h"}}}, "takes text, and no file"),
        ({"settings": {"secret-file": {"name": "x", "content": "y"}}}, "without a name"),
        ({"settings": {"template-secret": {"content": "y"}}}, 'with a "name"'),
    ],
)
def test_a_space_that_cannot_be_is_refused_and_not_made(host, body, said):
    before = control(host, "GET", "/spaces").json
    answer = control(host, "POST", "/spaces", body)
    assert answer.status == 400 and said in answer.error["message"], answer.body
    assert control(host, "GET", "/spaces").json == before


@pytest.mark.parametrize(
    "body, said",
    [
        ({}, "JSON object"), ({"by_s": "1d"}, "JSON object"), ({"by_s": -1}, "0 to"), ({"by_s": 1e12}, "0 to"),
        ({"by_s": 1, "patience_ms": -1}, "0 to 60000"), ({"by_s": 1, "patience_ms": 60_001}, "0 to 60000"),
        ({"by_s": 1, "patience_ms": 0.5}, "JSON object"), ({"by_s": 1, "wall": "runs"}, "moves or stays"),
        ({"by_s": 1, "stop_at": "noon"}, "refresh_required"), ({"by_s": 1, "by": 2}, "'by'"),
        ({"by_s": None}, "by_s is null"),
    ],
)
def test_a_move_that_cannot_be_is_refused_and_no_time_passes(host, body, said):
    with Space(host, frozen=True) as space:
        answer = control(host, "POST", f"/spaces/{space.name}/clock/advance", body)
        assert answer.status == 400 and said in answer.error["message"], answer.body
        assert space.clock()["moved_s"] == 0


def test_who_finds_no_room_in_a_space_is_told_when_to_come_back(host):
    with Space(host, settings={"connections-max": 1}) as space:
        with Client(space, token=token("ann", secret=space.made["secret"])) as ann:
            ann.receive("connected")
            with pytest.raises(Refused) as refusal:
                Client(host, url=f"{host.url}/s/{space.name}", token=token("bob", secret=space.made["secret"]))
            assert refusal.value.status == 503 and int(refusal.value.answer.headers["retry-after"]) > 0


def test_time_goes_a_hundred_years_and_no_further(host):
    with Space(host) as space:
        endless = token("ann", life=None, secret=space.made["secret"])
        with Client(space, token=endless) as ann:
            ann.receive("connected")
            for _ in range(10):
                space.advance(315_576_000, patience_ms=0)
            refused = control(host, "POST", f"/spaces/{space.name}/clock/advance", {"by_s": 0.001})
            assert refused.status == 400 and "a hundred years in all" in refused.error["message"]
            # All time values are unchanged.
            assert control(space, "POST", "/users/ann/expire", {}).json == {"sessions": 1}
            ann.receive("refresh_required")
            assert space.end().status == 200
            assert ann.until_closed()[0] == 1001


def test_names_and_ports_are_given_once(host):
    with Space(host, name="once") as space:
        for order in ({"name": "once"}, {"port": space.port}, {"port": host.port}):
            assert control(host, "POST", "/spaces", order).status == 409
        assert control(host, "POST", "/spaces", raw=b'{"name":"a","name":"b"}', headers=JSON).status == 400

def test_a_page_of_another_origin_makes_and_ends_nothing(host):
    with Space(host) as space:
        for method, path in (("POST", "/spaces"), ("DELETE", f"/spaces/{space.name}"), ("GET", f"/spaces/{space.name}")):
            answer = control(host, method, path, headers={"Origin": "https://evil.example"})
            assert answer.status == 403 and answer.error["name"] == "origin_refused"
            answer = control(host, method, path, headers={"Host": "evil.example"})
            assert answer.status == 403 and answer.error["name"] == "host_refused"
        answer = control(host, "POST", "/spaces", raw=b"{}", headers={"Content-Type": "text/plain"})
        assert answer.status == 415
        assert control(space, "GET", "/sessions").status == 200

"""Clocks at any date: a space in the year 2000, and clock faults of decades."""

import base64
import json
import subprocess
import os

import pytest

from clients import Client, Refused, control
from gateway import Gateway
from spaces import Space

Y2000, Y2020, YEAR = 946_684_800, 1_577_836_800, 31_536_000


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


def claims(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


@pytest.mark.parametrize("frozen", [False, True])
def test_a_space_lives_in_the_year_that_its_order_says_and_in_another_when_that_is_set(host, frozen):
    with Space(host, wall="2000-01-01T00:00:00Z", frozen=frozen) as space:
        token = space.token()
        assert Y2000 <= claims(token)["iat"] < Y2000 + 600
        with Client(space, token=token) as ann:
            ann.receive("connected")
            later = control(host, "POST", f"/spaces/{space.name}/clock", {"wall": "2020-01-01T00:00:00Z"})
            assert later.status == 200 and Y2020 <= later.json["wall"] < Y2020 + 600
            assert Y2020 <= claims(space.token())["iat"] < Y2020 + 600
            assert ann.is_alive()
            # A token that was good in 2000 has expired in 2020.
            with Client(space) as bob:
                assert bob.ask("connect", token=token)["error"]["name"] == "token_expired"
            back = control(host, "POST", f"/spaces/{space.name}/clock", {"wall": "1970-01-01T00:00:00Z"})
            assert back.status == 200 and back.json["wall"] < 600
            assert space.advance(3600)["moved_s"] == 3600
            assert 3600 <= space.clock()["wall"] < 4200


@pytest.mark.parametrize("wall", [
    "", "2000", "2000-13-01T00:00:00Z", "1969-12-31T23:59:59Z", "2200-01-01T00:00:01Z", "9999-12-31T23:59:59Z",
    "now", "2000-01-01T00:00:00Z ", "\u0662000-01-01T00:00:00Z",
])
def test_a_date_that_a_space_cannot_have_is_refused_and_the_clock_stays(host, wall):
    with Space(host, frozen=True) as space:
        before = space.clock()["wall"]
        for path, body in ((f"/spaces/{space.name}/clock", {"wall": wall}), ("/spaces", {"wall": wall})):
            answer = control(host, "POST", path, body)
            assert answer.status == 400 and "RFC 3339" in answer.error["message"]
        assert space.clock()["wall"] == before


def test_moves_beyond_the_end_of_the_nanoseconds_end_no_gateway(host):
    with Space(host, wall="2200-01-01T00:00:00Z", frozen=True) as space:
        for _ in range(9):
            space.advance(315_576_000)
        token = space.token(life=315_000_000)
        # At the end of the clock's range no token is valid any more.
        with pytest.raises(Refused):
            Client(space, token=token)
        assert control(space, "GET", "/sessions").status == 200
    assert control(host, "GET", "/ready").status == 200


@pytest.mark.parametrize("years", [-50, -25, 30, 200, -200])
@pytest.mark.parametrize("fault", ["gateway_clock", "issuer_clock"])
def test_a_clock_fault_of_decades_is_taken_and_ends_no_gateway(host, fault, years):
    with Space(host) as space:
        for _ in range(3):
            answer = control(space, "POST", "/faults", {"fault": fault, "ahead_s": years * YEAR, "drift": 1})
            assert answer.status == 201, answer.body
        token = space.token()
        with Client(space) as ann:
            ann.send("connect", token=token)
            assert json.loads(ann.socket.recv(timeout=60))["type"] in ("connected", "error")
        assert control(space, "GET", "/sessions").status == 200
        assert control(space, "DELETE", "/faults").status == 200
    assert control(host, "POST", "/spaces", {"name": "x" * 64}).status == 400
    with Space(host) as space:
        assert control(space, "POST", "/faults", {"fault": fault, "ahead_s": 201 * YEAR}).status == 400


def test_ctl_advance_waits_as_long_as_clients_may_take_to_answer(host):
    # A client that is asked for a token and says nothing has the whole timeout. Other orders end after 30 s.
    with Space(host, frozen=True) as space, Client(space, token=space.token(life=60)) as ann:
        ann.receive("connected")
        done = subprocess.run(
            [os.environ["POSTERN"], "ctl", "--url", host.control_url, "advance", "--space", space.name, "--by", "65s",
             "--patience", "33s", "--json"],
            capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["owing"][0]["user_id"] == "ann", done.stdout


def test_ctl_sets_the_date_of_a_space(host):
    with Space(host, name="dated") as space:
        words = ["ctl", "--url", host.control_url, "clock", "--space", "dated", "--wall", "2000-01-01T00:00:00Z"]
        done = subprocess.run([os.environ["POSTERN"], *words], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert Y2000 <= space.clock()["wall"] < Y2000 + 600

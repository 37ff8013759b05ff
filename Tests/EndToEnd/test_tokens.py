"""The token provider and the guests. PyJWT must be able to read their tokens."""

import os
import pathlib
import subprocess
import sys
import threading
import time

import jwt
import pytest

from clients import Client, api, control
from gateway import SECRET, Gateway
from orders import until
from spaces import Space


def claims(minted):
    return jwt.decode(minted["token"], SECRET, ["HS256"])


def test_the_provider_mints_what_pyjwt_verifies_and_the_gateway_accepts(gateway):
    before = time.time()
    minted = api(gateway, "POST", "/v1/tokens", {"user_id": "ann", "life_s": 120}).json
    read = claims(minted)
    assert read["user_id"] == "ann"
    assert before - 1 < read["iat"] <= time.time() and abs(read["exp"] - read["iat"] - 120) < 0.01
    assert abs(minted["expires_at"] - read["exp"]) < 0.01 and minted["expires_in_s"] == 120
    with Client(gateway, token=minted["token"]) as client:
        assert client.receive("connected")["user_id"] == "ann"


def test_an_opaque_access_token_logs_in_and_takes_the_place_of_a_jwt(gateway):
    order = {"user_id": "ann", "life_s": 60, "format": "opaque"}
    first, second = (api(gateway, "POST", "/v1/tokens", order).json["token"] for _ in range(2))
    assert first.startswith("pat_") and first != second
    with Client(gateway, token=first) as client:
        assert client.receive("connected")["user_id"] == "ann"
        control(gateway, "POST", "/users/ann/expire")
        client.receive("refresh_required")
        assert client.ask("refresh", token="pat_" + "A" * 43)["error"]["number"] == 401013
        assert client.ask("refresh", token=first)["error"]["number"] == 401010
        assert client.ask("refresh", token=second)["type"] == "refreshed"


def test_no_two_tokens_are_the_same(gateway):
    order = {"user_id": "ann", "expires_at": int(time.time()) + 600}
    assert len({api(gateway, "POST", "/v1/tokens", order).json["token"] for _ in range(20)}) == 20


def test_the_provider_mints_guests_and_call_tokens(gateway):
    guest = api(gateway, "POST", "/v1/tokens", {"user_id": "zoe", "kind": "guest"}).json
    assert claims(guest)["kind"] == "guest" and guest["expires_in_s"] == 3600
    call = api(gateway, "POST", "/v1/tokens", {"kind": "anonymous", "life_s": 60, "call_cids": ["a:b", "a:c"]}).json
    assert call["user_id"] == "!anon" and claims(call)["call_cids"] == ["a:b", "a:c"]
    assert api(gateway, "POST", "/v1/calls/a/b", {}, call["token"]).status in (200, 201)


@pytest.mark.parametrize(
    "order",
    [
        {},
        {"user_id": ""},
        {"user_id": 7},
        {"user_id": "a" * 256},
        {"user_id": "!anon"},
        {"user_id": "a", "kind": "root"},
        {"user_id": "a", "life_s": 0},
        {"user_id": "a", "life_s": "60"},
        {"user_id": "a", "life_s": 60, "expires_at": time.time() + 60},
        {"user_id": "a", "expires_at": 1},
        {"user_id": "a", "call_cids": ["a:b"]},
        {"kind": "anonymous", "call_cids": []},
        {"kind": "anonymous", "call_cids": ["nonsense"]},
    ],
)
def test_an_order_that_is_not_as_documented_is_refused(gateway, order):
    answer = api(gateway, "POST", "/v1/tokens", order)
    assert (answer.status, answer.error["number"]) == (400, 400003)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"nonsense", b'{"user_id":"a","user_id":"b"}', b'{"user_id":"\xff"}'])
def test_a_body_that_is_no_json_object_is_refused(gateway, raw):
    answer = api(gateway, "POST", "/v1/tokens", raw=raw)
    assert (answer.status, answer.error["number"]) == (400, 400004)


def test_a_slow_provider_with_a_short_queue_refuses_the_rest_and_says_when_to_come_back():
    settings = {"provider-latency": "300ms", "provider-concurrency": "2", "provider-queue-max": "2"}
    # No time passes until all eight have asked.
    with Gateway("--spaces", loops=1) as gateway, Space(gateway, frozen=True, settings=settings) as space:
        answers = []
        ask = lambda: answers.append(api(space, "POST", "/v1/tokens", {"user_id": "ann"}))
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for count in (4, 6, 8):
            until(lambda: len(answers) == count)
            space.advance(0.29, patience_ms=0)
            assert len(answers) == count
            space.advance(0.01, patience_ms=0)
        for thread in threads:
            thread.join()
        assert [answer.status for answer in answers[:4]] == [503] * 4
        assert sorted(answer.status for answer in answers) == [200] * 4 + [503] * 4
        refused = [answer for answer in answers if answer.status == 503]
        assert all(answer.error["number"] == 503001 and answer.headers["retry-after"] for answer in refused)


def test_a_failing_provider_fails():
    with Gateway("--provider-failure-rate", "1") as gateway:
        answer = api(gateway, "POST", "/v1/tokens", {"user_id": "ann"})
        assert (answer.status, answer.error["number"]) == (503, 503003)


def test_a_provider_with_a_secret_refuses_every_caller_without_it(tmp_path):
    secret = tmp_path / "provider-secret"
    secret.write_text("swordfish of sufficient length")
    with Gateway("--provider-secret-file", str(secret)) as gateway:
        for wrong in (None, "swordfish", "swordfish of sufficient length!"):
            answer = api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}, wrong)
            assert (answer.status, answer.error["number"]) == (401, 401000)
        right = api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}, "swordfish of sufficient length")
        assert right.status == 200


def test_every_algorithm_agrees_with_pyjwt_both_ways():
    script = pathlib.Path(__file__).parent.parent / "GatewayTokensTests" / "Fixtures" / "pyjwt_interop.py"
    done = subprocess.run([sys.executable, script, "check", os.environ["POSTERN"]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 12

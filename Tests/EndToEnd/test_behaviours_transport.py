"""The rows of Docs/behaviours.md about the transport, and about one failure reported in nine ways."""

import json
import time

import pytest
from websockets.sync.client import connect

from behaviours import case, end_of, host, is_silent  # noqa: F401
from clients import control


# Transport


def test_t1(case):
    client = case.connect()
    case.call()
    assert end_of(client) is None


def test_t2(case):
    client = case.connect()
    case.call()
    client.send("ping")
    assert is_silent(client)


def test_t3(case):
    client = case.connect()
    case.call()
    pong = client.socket.ping()
    client.send("ping")
    client.receive("pong")
    assert not pong.wait(0.3)


def test_t4(case):
    client = case.connect()
    case.call()
    began = time.monotonic()
    client.socket.close_timeout = 0.5
    client.socket.close()
    assert time.monotonic() - began > 0.4 and client.socket.protocol.close_rcvd is None


def test_t5(case):
    case.call()
    with pytest.raises(TimeoutError):
        connect(f"{case.url}/v1/connect", open_timeout=0.4, proxy=None)


def test_t6(case):
    case.call()
    assert is_silent(case.connect(welcome=False))


def test_t7(case):
    client = case.connect()
    case.call()
    began = time.monotonic()
    client.send("ping")
    client.receive("pong")
    assert time.monotonic() - began > 0.25


def test_t8(case):
    client = case.connect()
    case.call(2)
    client.send("ping")
    deadline = time.monotonic() + 60
    while control(case, "GET", "/sessions?user=martin").json["sessions"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert is_silent(client)


def test_t9(case):
    client = case.connect()
    case.call()
    client.send("ping")
    case.call()
    assert client.until_closed()[0] == 4005 and client.passed == []


def test_t10(case):
    client = case.connect()
    case.call()
    client.send("ping")
    assert is_silent(client)
    case.call()
    client.receive("pong")


def test_t11(case):
    client = case.connect()
    case.call()
    client.socket.send(json.dumps({"type": "join", "cid": "default:odd\u0000", "id": "1"}))
    assert is_silent(client)
    client.socket.send(json.dumps({"type": "join", "cid": "default:odd\u0000", "id": "2"}))
    client.receive("error")


# The same failure, nine ways


def test_s1(case):
    case.call()
    answer = case.refused(case.token())
    assert answer.status == 401 and answer.headers["www-authenticate"].startswith("Bearer")
    case.connect()


def test_s2(case):
    case.call()
    assert case.refused(case.token()).status == 403


def test_s3(case):
    case.call()
    client = case.connect(welcome=False)
    assert client.until_closed()[0] == 4500
    assert [one["error"]["number"] for one in client.passed if one["type"] == "error"] == [401002]


def test_s4(case):
    case.call()
    client = case.connect(welcome=False)
    assert client.until_closed()[0] == 3003 and client.passed == []


def test_s5(case):
    case.call()
    assert end_of(case.connect(welcome=False)) is None


def test_s6(case):
    case.call()
    assert case.connect(welcome=False).until_closed()[0] == 1011


def test_s7(case):
    case.call()
    client = case.connect(welcome=False)
    assert client.until_closed()[0] == 4000
    assert [one["error"]["number"] for one in client.passed if one["type"] == "error"] == [401002]


def test_s8(case):
    case.call()
    client = case.connect(welcome=False)
    text = client.socket.recv(timeout=60)
    assert json.loads(text)["type"] not in ("error", "connected")
    assert client.until_closed() == (4999, "")


def test_s9(case):
    case.call()
    answer = case.refused(case.token())
    assert answer.status == 503 and answer.headers["retry-after"] == "3"

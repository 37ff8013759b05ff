"""The rows of Docs/behaviours.md about expiry and refreshes."""

import json
import os
import shlex
import time

import jwt
import pytest

from behaviours import ROWS, case, end_of, host, is_silent  # noqa: F401
from clients import Client, Refused, control
from gateway import Gateway, token
from orders import until


# Expiry


def test_e1(case):
    client = case.connect()
    moved = json.loads(case.call())
    assert moved["moved_s"] == 3570
    client.receive("refresh_required")
    case.refresh(client)
    client.receive("refreshed")


def test_e2(case):
    client = case.connect()
    case.call(3)
    assert client.until_closed()[0] == 4000 and not [one for one in client.passed if one["type"] == "refresh_required"]
    case.mends()
    case.connect()


def test_e3(case):
    old = case.token()
    case.call()
    assert case.refused(old).status == 401
    case.connect()


def test_e4(case):
    case.call()
    answer = case.refused(case.token())
    assert answer.status == 401 and answer.error["name"] == "token_expired"
    case.connect()


def test_e5(case):
    client = case.connect()
    case.call()
    client.send("join", cid="default:standup", id="1")
    case.call()
    client.receive("refresh_required")
    client.send("ping", id="2")
    assert client.receive("pong")["id"] == "2"


def test_e6(case):
    client = case.connect(case.token(life=10))
    assert is_silent(client)
    case.call()
    client.receive("refresh_required")
    case.refresh(client, case.token(life=10))
    client.receive("refreshed")
    assert is_silent(client) and case.count("refresh_requested") == 1


def test_e7(case):
    client = case.connect()
    case.call()
    client.receive("refresh_required")
    client.send("ping")
    client.receive("pong")
    case.call()
    assert client.until_closed()[0] == 4000


def test_e8(case):
    client, late = case.connect(), case.connect()
    case.call(2)
    client.receive("refresh_required")
    case.refresh(client)
    client.receive("refreshed")
    case.call()
    assert late.until_closed()[0] == 4000


def test_e9(case):
    client = case.connect(case.token(life=315_360_000))
    case.call()
    assert is_silent(client)


def test_e10(case):
    first = case.token()
    client = case.connect(first)
    case.call()
    client.receive("refresh_required")
    assert jwt.decode(first, options={"verify_signature": False})["exp"] > time.time() + 3000


# The refresh


def test_r1(case):
    client = case.connect()
    case.call(2)
    assert is_silent(client)
    case.refresh(client)
    client.receive("refreshed")


def test_r2(case):
    client = case.connect()
    case.call(2)
    client.receive("refresh_required")
    case.refresh(client)
    until(lambda: case.count("refreshed") == 1)
    assert is_silent(client)


def test_r3(case):
    client = case.connect()
    case.call(2)
    client.receive("refresh_required")
    began = time.monotonic()
    case.refresh(client)
    client.receive("refreshed")
    assert time.monotonic() - began > 0.6


def test_r4(case):
    client = case.connect()
    case.call(3)
    client.receive("refresh_required")
    client.receive("refresh_required")
    case.refresh(client)
    client.receive("refreshed")
    client.receive("refreshed")


def test_r5(case):
    case.call()
    first = case.token()
    client = case.connect(first)
    case.call()
    client.receive("refresh_required")
    again = case.token()
    assert again == first
    case.refresh(client, again)
    assert client.receive("error")["error"]["number"] == 401010


def test_r6(case):
    client = case.connect()
    case.call(2)
    client.receive("refresh_required")
    case.refresh(client)
    assert client.receive("error")["error"]["number"] == 401004
    case.refresh(client)
    client.receive("refreshed")


def test_r7(case):
    client = case.connect()
    case.call(2)
    client.receive("refresh_required")
    second = case.token()
    case.refresh(client, second)
    assert client.receive("error")["error"]["number"] // 1000 == 503
    case.refresh(client, second)
    client.receive("refreshed")


def test_r8(case):
    client = case.connect()
    case.call(2)
    client.receive("refresh_required")
    case.refresh(client)
    assert client.receive("error")["error"]["number"] == 401011
    case.refresh(client)
    client.receive("refreshed")


def test_r9(case):
    client = case.connect()
    case.call(2)
    client.receive("refresh_required")
    tokens = [case.token(), case.token()]
    for one in tokens:
        case.refresh(client, one)
    assert client.receive("error")["error"]["number"] == 400005
    client.receive("refreshed")


def test_r10(case):
    client = case.connect()
    case.call(3)
    client.receive("refresh_required")
    assert case.token()
    assert end_of(client) is None


def test_r11(case):
    old = case.connect()
    case.call(2)
    new = case.connect()
    assert is_silent(old)
    old.stack.close()
    new.send("ping")
    new.receive("pong")


def test_r12(tmp_path):
    (call,) = ROWS["R12"][0]
    flags = shlex.split(call)[1:]
    flags[flags.index("sqlite:store")] = f"sqlite:{tmp_path}/store"
    first, second = token("martin"), token("martin")
    with Gateway(*flags) as gateway:
        with Client(gateway, token=first) as client:
            client.receive("connected")
            control(gateway, "POST", "/revocations", {"user_id": "mallory"})
            control(gateway, "POST", "/users/martin/expire", {})
            client.receive("refresh_required")
            os.kill(gateway.process.pid, 15)
            assert client.until_closed()[0] == 1012 and client.passed[-1]["type"] == "closing"
        gateway.process.wait(60)
    with Gateway(*flags) as gateway:
        with pytest.raises(Refused):
            Client(gateway, token=first)
        with Client(gateway, token=second) as client:
            client.receive("connected")


def test_r13(case):
    client = case.connect()
    case.call(2)
    client.receive("refresh_required")
    assert client.until_closed()[0] == 4000

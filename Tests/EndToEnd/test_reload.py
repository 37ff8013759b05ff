"""SIGHUP: keys and secrets are read anew, an error keeps the old ones, and sessions stay."""

import signal
import time

import jwt
import pytest

from clients import Client, Refused, api, request
from gateway import Gateway, token

OLD = "the old secret of the gateway, forty letters"
NEW = "the new secret of the gateway, forty letters"


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "key"
    file.write_text(OLD)
    return file


def reload(gateway, event):
    """Has it read its files anew, and waits until it says how that went."""
    before = gateway.log().count(event)
    gateway.process.send_signal(signal.SIGHUP)
    gateway.logged(event, before + 1)


def is_let_in(gateway, secret):
    try:
        with Client(gateway, token=token("bob", secret=secret)) as bob:
            return bob.receive("connected")["user_id"] == "bob"
    except Refused as refusal:
        assert refusal.error["name"] == "signature_invalid"
        return False


def test_a_new_secret_counts_after_sighup_the_old_one_no_more_and_sessions_stay(file):
    with Gateway("--secret-file", str(file), has_secret=False) as gateway:
        with Client(gateway, token=token("ann", secret=OLD)) as ann:
            ann.receive("connected")
            assert is_let_in(gateway, OLD) and not is_let_in(gateway, NEW)
            file.write_text(NEW)
            assert is_let_in(gateway, OLD) and not is_let_in(gateway, NEW)
            reload(gateway, "event=keys_reloaded")
            assert is_let_in(gateway, NEW) and not is_let_in(gateway, OLD)
            assert ann.is_alive()
            assert ann.ask("refresh", token=token("ann", secret=NEW))["type"] == "refreshed"
            # What the gateway mints itself is signed with the new one.
            minted = api(gateway, "POST", "/v1/tokens", {"user_id": "cleo"}).json["token"]
            with Client(gateway, token=minted) as cleo:
                cleo.receive("connected")


@pytest.mark.parametrize("content, said", [(None, "does not exist"), ("", "is empty"), ("short", "has 5 bytes")])
def test_a_secret_that_cannot_be_read_keeps_the_old_one_and_the_log_says_why(file, content, said):
    with Gateway("--secret-file", str(file), has_secret=False) as gateway:
        file.unlink()
        if content is not None:
            file.write_text(content)
        reload(gateway, "event=keys_kept")
        assert said in gateway.log() and str(file) in gateway.log() or content == "short"
        assert is_let_in(gateway, OLD) and not is_let_in(gateway, NEW)
        file.write_text(NEW)
        reload(gateway, "event=keys_reloaded")
        assert is_let_in(gateway, NEW)


def test_the_random_secret_of_a_gateway_without_keys_stays_over_sighup():
    with Gateway(has_secret=False) as gateway:
        minted = api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}).json["token"]
        reload(gateway, "event=keys_reloaded")
        with Client(gateway, token=minted) as ann:
            ann.receive("connected")


def test_a_stream_secret_is_read_anew_after_sighup(file):
    with Gateway("--stream-api-key", "k1", "--stream-secret-file", str(file)) as gateway:
        def status(secret):
            headers = {"Authorization": jwt.encode({"server": True}, secret), "stream-auth-type": "jwt"}
            path = "/video/call/default/x?api_key=k1"
            return request(gateway.http_url, "GET", path, headers=headers, document=None).status

        before = (status(OLD), status(NEW))
        file.write_text(NEW)
        reload(gateway, "event=keys_reloaded")
        assert (status(NEW), status(OLD)) == before and before[0] != before[1] == 401

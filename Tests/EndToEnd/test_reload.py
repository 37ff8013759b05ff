"""SIGHUP: keys and secrets are read again, an error keeps the old ones, and sessions stay."""

import base64
import json
import os
import signal
import subprocess
import time

import jwt
import pytest
from websockets.sync.client import connect

import openid_login
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
    """Makes it read its files again, and waits until it reports the result."""
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


def test_after_sighup_a_new_secret_replaces_the_old_one_and_sessions_stay(file):
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
            # The gateway signs its own tokens with the new key.
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


def test_a_stream_secret_is_read_again_after_sighup(file):
    with Gateway("--stream-api-key", "k1", "--stream-secret-file", str(file)) as gateway:
        def status(secret):
            headers = {"Authorization": jwt.encode({"server": True}, secret), "stream-auth-type": "jwt"}
            path = "/video/call/default/x?api_key=k1"
            return request(gateway.http_url, "GET", path, headers=headers, document=None).status

        before = (status(OLD), status(NEW))
        file.write_text(NEW)
        reload(gateway, "event=keys_reloaded")
        assert (status(NEW), status(OLD)) == before and before[0] != before[1] == 401


def control_status(gateway, secret, path="/settings", **options):
    return request(gateway.control_url, "GET", path, token=secret, document=None, **options).status


def test_a_new_control_secret_counts_after_sighup_and_ends_the_dashboards_sessions(file):
    with Gateway("--control-secret-file", str(file)) as gateway:
        answer = request(gateway.control_url, "POST", "/dashboard/login", {"secret": OLD}, document=None)
        cookie = {"Cookie": answer.headers["set-cookie"].split(";")[0]}
        assert control_status(gateway, None, "/dashboard/style.css", headers=cookie) == 200
        seen = request(gateway.control_url, "GET", "/dashboard", headers=cookie, document=None).body
        with Client(gateway, token=token()) as ann:
            ann.receive("connected")
            file.write_text(NEW)
            assert (control_status(gateway, OLD), control_status(gateway, NEW)) == (200, 401)
            reload(gateway, "event=keys_reloaded")
            assert (control_status(gateway, OLD), control_status(gateway, NEW)) == (401, 200)
            # Without a session the same path is the login page.
            assert request(gateway.control_url, "GET", "/dashboard", headers=cookie, document=None).body != seen
            answer = request(gateway.control_url, "POST", "/dashboard/login", {"secret": NEW}, document=None)
            cookie = {"Cookie": answer.headers["set-cookie"].split(";")[0]}
            assert request(gateway.control_url, "GET", "/dashboard", headers=cookie, document=None).body == seen
            # Reading the same secret again ends no session.
            reload(gateway, "event=keys_reloaded")
            assert request(gateway.control_url, "GET", "/dashboard", headers=cookie, document=None).body == seen
            assert ann.is_alive()


def test_a_new_provider_secret_counts_after_sighup(file):
    def status(secret):
        return api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}, token=secret).status

    with Gateway("--provider-secret-file", str(file)) as gateway:
        file.write_text(NEW)
        assert (status(OLD), status(NEW)) == (200, 401)
        reload(gateway, "event=keys_reloaded")
        assert (status(OLD), status(NEW)) == (401, 200)


def streem_secrets():
    """The secrets of two API keys, as a gateway hands them out."""
    with Gateway() as gateway:
        command = [os.environ["POSTERN"], "ctl", "streem-api-key", "--json", "--url", gateway.control_url]
        return [json.loads(subprocess.check_output(command, timeout=60))["secret"] for _ in range(2)]


def streem_status(gateway, secret):
    credentials = base64.b64encode(f"k1:{secret}".encode()).decode()
    headers = {"Authorization": f"Basic {credentials}"}
    return request(gateway.http_url, "GET", "/v1/webhooks", headers=headers, document=None).status


def test_a_streem_api_key_is_read_again_after_sighup(file):
    old, new = streem_secrets()
    file.write_text(old)
    with Gateway("--streem-api-key", f"k1={file}") as gateway:
        file.write_text(new)
        assert streem_status(gateway, old) == 200 and streem_status(gateway, new) == 401
        reload(gateway, "event=keys_reloaded")
        assert streem_status(gateway, new) == 200 and streem_status(gateway, old) == 401


def carols_status(gateway, password):
    path = "/users/username/carol/authentication"
    body = {"password": password}
    headers = {"Authorization": "application postern"}
    return request(gateway.http_url, "POST", path, body, headers=headers, document=None).status


def can_log_in(gateway):
    """Whether ann can log in at the OpenID provider, with the password that `openid_login` uses for everyone."""
    try:
        return openid_login.log_in(gateway, "ann").status == 200
    except KeyError:
        return False


def test_passwords_are_read_again_after_sighup(file, tmp_path):
    other = tmp_path / "other"
    other.write_text("not that")
    with Gateway("--sinch-user", f"carol={file}", "--streem-oidc-user", f"ann={other}") as gateway:
        file.write_text(NEW)
        other.write_text("secret")
        assert carols_status(gateway, OLD) == 200 and carols_status(gateway, NEW) != 200 and not can_log_in(gateway)
        reload(gateway, "event=keys_reloaded")
        assert carols_status(gateway, NEW) == 200 and carols_status(gateway, OLD) != 200 and can_log_in(gateway)


def test_the_secret_of_a_described_wire_is_read_again_after_sighup(file, tmp_path):
    wire = tmp_path / "said.json"
    wire.write_text(json.dumps({
        "wire": 1, "name": "said", "connect": {"path": "/said"},
        "say": {"login": {"json": {"token": "{{token}}"}}},
        "at_open": {"say": "login"},
        "hear": [
            {"when": {"json": {"/is": "in"}}, "during": "logging_in", "is": "logged_in",
             "as": {"json": {"is": "in", "of": "{{secret.key}}"}}},
            {"when": {"json": {"/is": "out"}}, "is": "login_refused", "then": "renew", "as": {"json": {"is": "out"}}},
        ],
        "refresh": {"how": "reconnect"},
    }))
    flags = ["--wire", str(wire), "--template-secret", f"key={file}"]
    with Gateway(*flags) as gateway:
        def said():
            with connect(f"{gateway.url}/said", proxy=None, open_timeout=30) as socket:
                socket.send(json.dumps({"token": token()}))
                return json.loads(socket.recv(timeout=30))["of"]

        file.write_text(NEW)
        assert said() == OLD
        reload(gateway, "event=keys_reloaded")
        assert said() == NEW


def test_one_unreadable_file_keeps_every_old_key_and_secret(file, tmp_path):
    files = {name: tmp_path / name for name in ("control", "provider", "streem", "password")}
    old, new = streem_secrets()
    for name, path in files.items():
        path.write_text(old if name == "streem" else OLD)
    flags = ["--secret-file", str(file), "--control-secret-file", str(files["control"])]
    flags += ["--provider-secret-file", str(files["provider"]), "--streem-api-key", f"k1={files['streem']}"]
    flags += ["--sinch-user", f"carol={files['password']}"]

    def let_in(secret, streem):
        """The users that the gateway accepts with these passwords."""
        minted = api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}, token=secret).status == 200
        return [
            is_let_in(gateway, secret), control_status(gateway, secret) == 200, minted,
            streem_status(gateway, streem) == 200, carols_status(gateway, secret) == 200,
        ]

    with Gateway(*flags, has_secret=False) as gateway:
        everything = {file: NEW} | {path: new if name == "streem" else NEW for name, path in files.items()}
        for bad, text in everything.items():
            for path in everything:
                path.write_text(everything[path])
            bad.write_text("")
            reload(gateway, "event=keys_kept")
            assert let_in(OLD, old) == [True] * 5 and let_in(NEW, new) == [False] * 5, bad
            bad.write_text(text)
        reload(gateway, "event=keys_reloaded")
        assert let_in(NEW, new) == [True] * 5 and let_in(OLD, old) == [False] * 5


@pytest.mark.parametrize("content", ["garbage\n", "[]", "\x00\x01"])
def test_a_key_file_that_is_no_jwk_set_and_no_pem_is_refused_with_both(file, content):
    file.write_text(content)
    done = subprocess.run(
        [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", "--key-file", str(file)],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "neither a JWK set" in done.stderr and "nor PEM" in done.stderr, done.stderr

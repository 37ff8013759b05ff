"""Several `postern serve --node-name` on one store: the actions and the end of one process disturb no other."""

import os
import re
import signal
import subprocess
import time
import urllib.parse

import jwt
import pytest

import openid_login
import stream
from clients import Client, Refused, api, control, request
from gateway import SECRET, Gateway, halt, token
from test_store_redis import Redis, flags_of

CALL = "/video/call/default/kept"
SERVER = jwt.encode({"server": True}, SECRET, algorithm="HS256")
KILLED = -signal.SIGKILL


@pytest.fixture(params=["sqlite", "redis"])
def store(request, tmp_path):
    if request.param == "sqlite":
        yield ["--store", f"sqlite:{tmp_path / 'store'}"]
    else:
        with Redis(tmp_path) as server:
            yield flags_of(server)


def node(store, name, **options):
    return Gateway(*store, "--node-name", name, "--stream-api-key", stream.KEY, "--stream-sfu", "off", **options)


def rest(gateway, method, path, body=None, token=None, connection=None):
    headers = {"stream-auth-type": "jwt", "Authorization": token or SERVER}
    target = f"{path}?api_key={stream.KEY}" + (f"&connection_id={connection}" if connection else "")
    return request(gateway.http_url, method, target, body, headers=headers, document=None).json


def participants(gateway):
    return [one["user"]["id"] for one in rest(gateway, "GET", CALL)["call"]["session"]["participants"]]


def join(gateway, client):
    connection = client.hear("connection.ok")["connection_id"]
    rest(gateway, "POST", CALL, {"data": {"members": [{"user_id": "ann"}]}}, stream.mint("ann"))
    rest(gateway, "POST", f"{CALL}/join", {"location": "FRA"}, stream.mint("ann"), connection)


def sealed(gateway):
    """The sealed request of a login page, and the keys that sign ID tokens."""
    query = urllib.parse.urlencode({
        **openid_login.CLIENT, **openid_login.REDIRECT, "response_type": "code", "scope": "openid",
        "code_challenge": openid_login.CHALLENGE, "code_challenge_method": "S256",
    })
    def answer(path):
        # Redis may not answer within its two seconds on a busy machine: 503 says so.
        return eventually(lambda: (answer := request(gateway.http_url, "GET", path, document=None)).status != 503 and answer)

    page = answer(f"{openid_login.FOLDER}/authorize?{query}")
    keys = answer(f"{openid_login.FOLDER}/jwks")
    return re.search(rb'name="request" value="([^"]+)"', page.body)[1].decode(), keys.json


def stop(gateway):
    gateway.process.send_signal(signal.SIGKILL)
    gateway.process.wait()


def eventually(condition, patience=60):
    deadline = time.monotonic() + patience
    while not (answer := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    return answer


def test_a_process_that_starts_is_killed_and_starts_again_disturbs_no_other(store):
    with node(store, "a") as first:
        assert (first.ready["node"], first.ready["slot"]) == ("a", 0)
        with Client(first, token=token("bob")) as bob, stream.javascript(first, stream.mint("ann")) as ann:
            bob.receive("connected")
            join(first, ann)
            seal, keys = sealed(first)
            sessions = control(first, "GET", "/sessions").json["sessions"]
            for life in range(2):
                with node(store, "b", expected_exit=KILLED) as second:
                    assert (second.ready["node"], second.ready["slot"]) == ("b", 1)
                    # One process accepts what the other has signed or sealed.
                    assert sealed(second)[1] == keys
                    form = {"request": seal, "username": "martin", "password": "secret"}
                    assert openid_login.post(second, "/login", **form).status in (302, 303)
                    with Client(second, token=token("cat")) as cat:
                        node_of = int(cat.receive("connected")["connection_id"].split("_")[1]) // 256
                        assert node_of == 1
                        assert participants(first) == participants(second) == ["ann"]
                        stop(second)
            assert bob.is_alive() and participants(first) == ["ann"]
            first.logged("event=node_taken_over", patience=60)
            assert bob.is_alive() and participants(first) == ["ann"]
            assert [one["id"] for one in control(first, "GET", "/sessions").json["sessions"]] == [
                one["id"] for one in sessions
            ]


def test_the_others_clean_up_after_a_killed_process_within_its_lease(store):
    with node(store, "b") as second:
        with node(store, "a", expected_exit=KILLED) as first:
            with stream.javascript(first, stream.mint("ann")) as ann:
                join(first, ann)
                assert participants(second) == ["ann"]
                begun = time.monotonic()
                stop(first)
        eventually(lambda: participants(second) == [])
        assert time.monotonic() - begun > 5, "it waits for the lease"
        second.logged("event=node_taken_over", patience=60)


def test_a_process_that_was_stopped_for_too_long_closes_its_clients_and_says_why(store):
    with node(store, "b") as second, node(store, "a", expected_exit=1) as first:
        with Client(first, token=token("bob")) as bob:
            bob.receive("connected")
            halt(first.process)
            second.logged("event=node_taken_over", patience=60)
            first.process.send_signal(signal.SIGCONT)
            assert bob.until_closed()[0] == 1012
        first.logged("event=node_lost")
        first.process.wait(timeout=60)
        with Client(second, token=token("bob")) as bob:
            bob.receive("connected")


def test_a_process_that_was_stopped_for_less_than_its_lease_continues(store):
    with node(store, "b") as second, node(store, "a") as first:
        with Client(first, token=token("bob")) as bob:
            bob.receive("connected")
            while True:
                begun = time.monotonic()
                halt(first.process)
                time.sleep(4)
                first.process.send_signal(signal.SIGCONT)
                # On a busy machine it may have taken longer than a lease.
                if (stopped := time.monotonic() - begun) < 7 or "node_" in second.log():
                    break
            time.sleep(10)
            assert stopped >= 7 or (bob.is_alive() and "node_" not in second.log())


def serve(store, *flags):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *store, *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_name_belongs_to_one_process_and_a_store_is_shared_by_all_or_by_none(store):
    with node(store, "a") as first:
        again = serve(store, "--node-name", "a")
        assert again.returncode == 1 and "--node-name a: a process of this name is running" in again.stderr
        alone = serve(store)
        assert alone.returncode == 1 and re.search("another process has it open|--node-name", alone.stderr)
        assert api(first, "POST", "/v1/guests", {}).status == 201
    with Gateway(*store) as alone:
        shared = serve(store, "--node-name", "a")
        assert shared.returncode == 1 and not shared.stdout
        assert api(alone, "POST", "/v1/guests", {}).status == 201


def test_a_name_of_another_form_or_without_a_store_is_refused():
    for name, flags in (("a b", ["--store", "sqlite:x"]), ("", ["--store", "sqlite:x"]), ("a", [])):
        outcome = serve(flags, "--node-name", name)
        assert outcome.returncode == 2 and "--node-name" in outcome.stderr


def test_a_token_revoked_on_one_process_is_refused_by_one_that_starts_later(store):
    with node(store, "a") as first:
        revoked = token("ann", iat=time.time() - 5)
        assert control(first, "POST", "/revocations", {"user_id": "ann"}).status == 200
        with node(store, "b") as second, pytest.raises(Refused, match="token_revoked"):
            Client(second, token=revoked).__enter__()


def test_a_revocation_on_one_process_reaches_the_others_within_seconds(store):
    with node(store, "a") as first, node(store, "b") as second:
        revoked, other = token("ann", iat=time.time() - 5), token("bob", iat=time.time() - 5)
        with Client(second, token=revoked) as ann, Client(second, token=other) as bob:
            ann.receive("connected")
            bob.receive("connected")
            assert control(first, "POST", "/revocations", {"user_id": "ann"}).status == 200
            ann.receive("refresh_required")
            with pytest.raises(Refused, match="token_revoked"):
                Client(second, token=revoked).__enter__()
            fresh = token("ann", iat=time.time() + 1)
            assert ann.ask("refresh", token=fresh)["type"] == "refreshed"
            with Client(second, token=fresh) as again:
                again.receive("connected")
            time.sleep(5)
            assert ann.is_alive() and bob.is_alive()

"""Wires whose clients send no message to renew: storms against servers that are not ours, clients that are not ours against
`postern serve --wire`."""

import asyncio
import json
import os
import subprocess
import time

import pytest
import storms
from conftest import WIRES
from described import TIMES
from gateway import Gateway, token
from orders import lines, order
from proxy_process import Proxy
from renewals import HTTP, PUSHED, KeysClient, keys, minted, pushes
from schemas import DescriptionSchema
from servers import Server
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

CLIENTS = 20


@pytest.fixture
def wire(tmp_path):
    def wire(text):
        path = tmp_path / "wire.json"
        path.write_text(text)
        return str(path)

    return wire


@pytest.fixture
def storm(secret_file):
    def storm(wire, server, *more, expected=(0,)):
        flags = ["--wire", wire, "--url", server.url, "--mint", "--secret-file", secret_file, "--clients", str(CLIENTS), "--rate", "100"]
        return storms.run(*flags, "--timeout", "40s", *more, expected=expected)["result"]

    return storm


@pytest.mark.parametrize("text", [HTTP, PUSHED], ids=["http", "pushed"])
def test_the_schema_and_wire_check_accept_the_descriptions(text, wire, tmp_path):
    path = wire(text)
    DescriptionSchema(WIRES, "wire.schema.json").validate(tmp_path / "wire.json")
    done = subprocess.run([os.environ["POSTERN"], "wire", "check", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "renewal " in done.stdout, done.stdout + done.stderr


# Storms


def test_a_storm_renews_its_connections_over_http(wire, storm):
    with Server(keys) as server:
        result = storm(wire(HTTP), server, "--life", "8s", "--expiry", "own", "--hold", "1s")
        log = server.log
    assert result["refreshes"]["accepted"] == log["renewed"] >= CLIENTS and result["errors"] == {}, (result, log)
    assert log["accepted"] == CLIENTS == result["connects"]["accepted"] and log["over"] == log["refused"] == 0
    # Each with a token of its own.
    assert len([name for name in log if name.startswith("eyJ")]) == log["renewed"]


@pytest.mark.parametrize(("status", "refused"), [(401, CLIENTS), (503, 0)])
def test_a_storm_asks_for_another_token_after_401_and_shows_the_same_again_after_503(status, refused, wire, storm):
    with Server(lambda log: keys(log, 1, status)) as server:
        result = storm(wire(HTTP), server, "--life", "8s", "--expiry", "own")
        log = server.log
    assert result["refreshes"]["accepted"] == log["renewed"] >= CLIENTS, (result, log)
    assert sum(result["refreshes"]["refused"].values()) == refused and log["unwilling"] == CLIENTS
    assert log["accepted"] == CLIENTS


def test_a_storm_gives_up_clients_whose_renewal_is_refused_with_403(wire, storm):
    with Server(lambda log: keys(log, 100, 403)) as server:
        result = storm(wire(HTTP), server, "--life", "8s", "--expiry", "own", expected=(1,))
    assert result["refreshes"]["refused"] == {"http_403": CLIENTS} and result["refreshes"]["accepted"] == 0, result


def test_a_storm_keeps_pushed_tokens_for_its_next_connections(wire, storm):
    with Server(pushes) as server:
        result = storm(wire(PUSHED), server, "--life", "20s", "--expiry", "own", "--waves", "2")
        log = server.log
    assert log["pushed"] == CLIENTS == log["came back with the pushed one"], (result, log)
    assert result["refreshes"]["accepted"] == 2 * CLIENTS
    assert log["came back with another"] == 0 and result["errors"] == {}
    # None but the first tokens.
    assert result["provider"]["minted"] == CLIENTS if "minted" in result["provider"] else result["provider"]["calls"] == 0


def test_a_trial_shows_requests_and_pushes_without_their_tokens(wire, secret_file):
    for text, make, shown in [(HTTP, keys, "→ POST /keys/refresh"), (PUSHED, pushes, "/hear/1 pushed")]:
        with Server(make) as server:
            flags = ["--wire", wire(text), "--url", server.url, "--mint", "--secret-file", secret_file, "--life", "8s"]
            done = subprocess.run([os.environ["POSTERN"], "wire", "try", *flags], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and shown in done.stdout and "eyJ" not in done.stdout, done.stdout + done.stderr
        assert "renewed 1 times" in done.stdout, done.stdout


# Clients


@pytest.fixture
def serve(wire):
    def serve(text):
        return Gateway("--wire", wire(text), *TIMES, loops=1)

    return serve


def kinds(gateway):
    return [line["kind"] for line in lines(gateway)]


def test_a_client_renews_its_connection_over_http(serve):
    async def play(gateway):
        async with KeysClient(gateway, token("ann", 8)) as ann, KeysClient(gateway, token("ann", 8)) as other:
            status, answer = await ann.renew(token("ann", 60))
            assert status == 200 and 55 <= answer["expires_in"] <= 60, answer
            assert (await ann.renew(token("bob", 60)))[0] == 403
            assert (await ann.renew("a.b.c"))[0] == 403
            assert (await ann.renew(token("ann", -5)))[0] == 401
            assert (await ann.renew(token("ann", 60), key="nobody's"))[0] == 404
            # The other one's token and its grace end.
            assert json.loads(await other.socket.recv()) == {"type": "bye"}
            with pytest.raises(ConnectionClosed) as end:
                await other.socket.recv()
            assert end.value.rcvd.code == 4401
            await ann.socket.ping()
            assert (await ann.renew(token("ann", 60)))[0] == 200
        return ann

    with serve(HTTP) as gateway:
        asyncio.run(play(gateway))
        said = kinds(gateway)
        everything = json.dumps(lines(gateway))
    assert said.count("refreshed") == 2 and said.count("refresh_refused") == 3 and said.count("logged_in") == 2, said
    assert "eyJ" not in everything


def test_a_fault_refuses_a_renewal_over_http(serve):
    async def play(gateway):
        async with KeysClient(gateway, token("ann", 60)) as ann:
            order(gateway, "/faults", {"fault": "refuse_token", "error": "token_expired", "times": 1})
            assert (await ann.renew(token("ann", 60)))[0] == 401
            assert (await ann.renew(token("ann", 60)))[0] == 200

    with Gateway("--wire", serve(HTTP).flags[1], *TIMES, "--faults", loops=1) as gateway:
        asyncio.run(play(gateway))


def test_a_client_renews_in_seconds_again_and_again_at_an_unchanged_gateway(wire):
    """Its timer is the life that the last answer told."""

    async def play(proxy, renewals):
        times, lives = [], []
        async with KeysClient(proxy, minted("ann", 600)) as ann:
            for _ in range(renewals):
                status, answer = await ann.renew(minted("ann", 600))
                assert status == 200, answer
                times.append(time.monotonic())
                lives.append(answer["expires_in"])
                await asyncio.sleep(min(answer["expires_in"], 4) - 1)
            await ann.socket.ping()
        return times, lives

    with Server(keys) as server, Proxy(server.url, "--control-port", "0", "--wire", wire(HTTP), "--journal-payloads") as proxy:
        number = proxy.fail(fault="shorten", life_s=3, who={"users": ["ann"]})
        times, lives = asyncio.run(play(proxy, 4))
        assert lives == [3] * 4 and all(1.9 < later - earlier < 60 for earlier, later in zip(times, times[1:])), (lives, times)
        faulted = proxy.lines("faulted")
        assert [(line["user"], line["fault"], line["connection"]) for line in faulted] == [("ann", "shorten", faulted[0]["connection"])] * 4
        # What the gateway means, by its own words.
        assert [line["expires_in_ms"] > 500_000 for line in proxy.lines("refreshed")] == [True] * 4
        assert server.log["renewed"] == 4 and server.log["over"] == 0
        assert proxy.ask("DELETE", f"/faults/{number}")[0] == 200
        assert all(life > 500 for life in asyncio.run(play(proxy, 1))[1])
        assert "eyJ" not in json.dumps(proxy.lines(payloads=True)) + proxy.said()


def test_a_client_gets_the_next_token_pushed_and_comes_back_with_it(serve):
    async def play(gateway):
        def at(shown):
            return connect(f"{gateway.url}/pushes/socket?access_token={shown}", proxy=None)

        begun, first = time.monotonic(), token("ann", 8)
        async with at(first) as socket:
            assert json.loads(await socket.recv()) == {"type": "hello"}
            message = json.loads(await asyncio.wait_for(socket.recv(), 30))
            assert message["type"] == "token" and message["refresh_token"] != first and time.monotonic() - begun > 1
            order(gateway, "/users/ann/refresh", {})
            again = json.loads(await asyncio.wait_for(socket.recv(), 30))
            assert again["refresh_token"] not in (first, message["refresh_token"])
        async with at(again["refresh_token"]) as socket:
            assert json.loads(await socket.recv()) == {"type": "hello"}

    with serve(PUSHED) as gateway:
        asyncio.run(play(gateway))
        said = kinds(gateway)
        verdict = order(gateway, "/journal/expect", {"expect": "one_provider_call_per_expiry", "user": "ann", "quiet_ms": 0})
        everything = json.dumps(lines(gateway))
    assert said.count("refreshed") >= 2 and "provider_asked" not in said and "provider_minted" not in said, said
    assert verdict["verdict"] == "passed", verdict
    assert "eyJ" not in everything


def test_a_storm_of_either_wire_is_renewed_by_the_gateway_that_plays_it(serve, wire):
    for text in (HTTP, PUSHED):
        with serve(text) as gateway:
            flags = ["--wire", wire(text), "--url", gateway.url, "--clients", str(CLIENTS), "--rate", "100", "--life", "8s", "--expiry", "own"]
            result = storms.run(*flags, "--timeout", "40s")["result"]
            said = kinds(gateway)
        assert result["refreshes"]["accepted"] >= CLIENTS == result["connects"]["accepted"] and result["errors"] == {}, result
        assert said.count("refreshed") >= CLIENTS == said.count("logged_in")

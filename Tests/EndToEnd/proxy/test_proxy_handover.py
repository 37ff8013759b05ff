"""A gateway that sends its clients to another address: `is: "handover"` at `postern proxy`, with two servers and a client that
follows."""

import asyncio
import json
import os
import subprocess
import time

import pytest
from proxied import Proxy, Route, WebsocketsServer
from websockets.asyncio.client import connect

OPTIONS = {"ping_interval": None, "compression": None, "proxy": None, "open_timeout": 60}
WIRE = {
    "wire": 1, "name": "moving", "connect": {"path": "/ws", "query": {"token": "{{token}}"}}, "at_open": {"is": "logged_in"},
    "hear": [
        {"when": {"json": {"/type": "reconnect"}}, "is": "handover", "take": {"next_url": "/session/reconnect_url"}, "then": "retry"},
        {"when": {"json": {"/type": {"exists": True}}}, "is": "ignore"},
    ],
    "ends": [{"code": 4004, "then": "retry"}],
}


@pytest.fixture
def wire(tmp_path):
    path = tmp_path / "moving.json"
    path.write_text(json.dumps(WIRE))
    return str(path)


class Mover(WebsocketsServer):
    """A gateway that sends each client to `address`, or greets it, and closes when the client has followed or after a word."""

    def __init__(self, address=None):
        super().__init__(self.move, subprotocols=None)
        self.address, self.paths = address, []

    async def move(self, socket):
        self.paths.append(socket.request.path)
        if self.address is None:
            await socket.send(json.dumps({"type": "welcome"}))
        else:
            await socket.send('{"type": "reconnect",  "session": {"id": 1, "reconnect_url": ' + json.dumps(self.address) + "}}")
        async for _ in socket:
            await socket.close(4004, "moved")


async def follow(url):
    """Does what Twitch's clients do: connects to the address, and leaves the first connection when it is welcome there."""
    addresses = []
    async with connect(url, **OPTIONS) as first:
        message = json.loads(await asyncio.wait_for(first.recv(), 60))
        while message["type"] == "reconnect":
            addresses.append(message["session"]["reconnect_url"])
            second = await connect(addresses[-1], **OPTIONS)
            await first.send("bye")
            await asyncio.wait_for(first.wait_closed(), 60)
            first, message = second, json.loads(await asyncio.wait_for(second.recv(), 60))
        await first.close()
    return addresses


def test_a_client_that_follows_a_hand_over_stays_behind_the_proxy(wire):
    with Mover() as second, Mover(f"{second.url}/ws?resume=a%2Fb") as first:
        with Proxy(first.url, "--also-to", second.url, "--control-port", "0", "--wire", wire, "--journal-payloads") as proxy:
            [address] = asyncio.run(asyncio.wait_for(follow(f"{proxy.url}/ws?token=t"), 90))
            assert address == f"{proxy.url}/postern-target-2/ws?resume=a%2Fb"
            assert second.paths == ["/ws?resume=a%2Fb"] and first.paths == ["/ws?token=t"]
            [line] = proxy.await_line("handed_over")
            assert (line["to"], line["then"], line["connection"]) == (second.url.removeprefix("ws://"), "retry", "conn_0_1"), line
            # The second connection may end for the proxy before the first.
            [closed] = [line for line in proxy.await_line("closed", 2) if line["connection"] == "conn_0_1"]
            assert closed["then"] == "retry"
            assert [line["connection"] for line in proxy.lines("connection_opened")] == ["conn_0_1", "conn_0_2"]
            assert "handed_over" in proxy.ctl("journal")
            assert "to=" in proxy.ctl("await", "handed_over", "--within", "20s")


def test_the_address_of_the_target_itself_needs_no_other(wire):
    with Mover() as first, Proxy(first.url, "--control-port", "0", "--wire", wire) as proxy:
        first.address = f"{first.url}/ws?again=1"

        async def once():
            async with connect(f"{proxy.url}/ws", **OPTIONS) as socket:
                return json.loads(await asyncio.wait_for(socket.recv(), 60))["session"]["reconnect_url"]

        assert asyncio.run(asyncio.wait_for(once(), 90)) == f"{proxy.url}/ws?again=1"


def test_an_address_that_nobody_has_named_is_left_and_logged_without_its_query(wire):
    with Mover() as second, Mover(f"{second.url}/ws?resume=s3cr3t") as first, Proxy(first.url, "--control-port", "0", "--wire", wire) as proxy:
        [address] = asyncio.run(asyncio.wait_for(follow(f"{proxy.url}/ws"), 90))
        assert address == f"{second.url}/ws?resume=s3cr3t"
        [line] = proxy.await_line("handed_over")
        assert line["failure"] == "host_not_named" and "to" not in line, line
        deadline = time.monotonic() + 60
        while "handover_left" not in (said := proxy.said()):
            assert time.monotonic() < deadline, said
            time.sleep(0.05)
        assert "host_not_named" in said and "s3cr3t" not in said, said


def test_a_route_names_the_other_addresses_itself(wire, tmp_path):
    with Mover() as second, Mover(f"{second.url}/ws") as first:
        with Proxy(None, "--control-port", "0", "--spaces", "--wire", wire) as proxy:
            with Route(proxy, first.url, name="t17", settings={"also-to": [second.url]}) as route:
                [address] = asyncio.run(asyncio.wait_for(follow(f"{proxy.url}/s/t17/ws"), 90))
                assert address == f"{proxy.url}/s/t17/postern-target-2/ws"
                assert "handed_over" in route.kinds()
                [address] = asyncio.run(asyncio.wait_for(follow(f"{route.url}/ws"), 90))
                assert address == f"{route.url}/postern-target-2/ws" and second.paths == ["/ws", "/ws"]
            status, answer = proxy.ask("POST", "/spaces", {"upstream": first.url, "settings": {"also-to": ["ws://elsewhere.example"]}})
            assert status == 403 and "elsewhere.example" in str(answer), answer


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (["--also-to", "ws://elsewhere.example"], "--also-to: elsewhere.example is not this machine"),
        (["--also-to", "elsewhere"], "no scheme"), (["--also-to", "ws://127.0.0.1:1/ws"], "the path is the client's"),
        ([flag for _ in range(9) for flag in ("--also-to", "ws://127.0.0.1:1")], "at most 8 addresses"),
    ],
)
def test_a_wrong_other_address_is_refused_at_the_start(flags, wanted):
    done = subprocess.run([os.environ["POSTERN"], "proxy", "--to", "ws://127.0.0.1:1", "--port", "0", *flags], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and wanted in done.stderr, done


def test_a_storm_and_serve_refuse_a_hand_over_and_check_says_what_plays_it(wire, tmp_path):
    def postern(*words):
        return subprocess.run([os.environ["POSTERN"], *words], capture_output=True, text=True, timeout=60)

    checked = postern("wire", "check", wire)
    assert checked.returncode == 0 and "for postern proxy, not for storms and postern serve" in checked.stdout, checked
    assert "/hear/0: a handover is followed by real clients only" in checked.stdout
    secret = tmp_path / "secret"
    secret.write_text("s" * 64)
    for words in [
        ["storm", "--wire", wire, "--url", "ws://127.0.0.1:1", "--mint", "--secret-file", str(secret)], ["wire", "try", "--wire", wire, "--url", "ws://127.0.0.1:1"],
        ["serve", "--wire", wire, "--port", "0", "--secret-file", str(secret)],
    ]:
        done = postern(*words)
        assert done.returncode != 0 and "a handover is followed by real clients only" in done.stderr, done

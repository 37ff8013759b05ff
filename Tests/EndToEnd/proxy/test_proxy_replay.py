"""`postern ctl replay` of what a proxy or a browser recorded: upgrades, refused ones too, messages, closes and HTTP requests."""

import asyncio
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone

import centrifuge
import pytest
import websockets
from gateway import Gateway, token
from proxied import Proxy, WebServer, web
from websockets.asyncio.client import connect

OPTIONS = {"ping_interval": None, "compression": None, "proxy": None, "open_timeout": 60}


@pytest.fixture(scope="module")
def host():
    """A gateway in which recordings are played."""
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


def replay(host, file, *flags, status=0):
    command = [os.environ["POSTERN"], "ctl", "replay", str(file), "--url", host.control_url, *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == status and "eyJ" not in done.stdout + done.stderr, done
    return done.stdout + done.stderr


def ask(url, body=None, **fields):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **fields})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, None


async def refused(url):
    with pytest.raises(websockets.exceptions.InvalidStatus) as caught:
        await connect(url, **OPTIONS)
    return caught.value.response.status_code


def recorded(proxy, path, visit):
    """The recording of a visit, as lines; the proxy has ended."""
    visit(proxy)
    proxy.process.send_signal(signal.SIGTERM)
    assert proxy.process.wait(60) == 0
    text = path.read_text()
    assert "eyJ" not in text
    return [json.loads(line) for line in text.splitlines()]


def changed(lines, path, change):
    """The recording with `change` made to each of its lines."""
    for line in lines:
        change(line)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def visit_centrifugo(proxy):
    """centrifuge-python gets its tokens over HTTP through the proxy, and renews twice on its timer. Another client is
    refused."""

    async def main():
        asked = []

        async def get_token(*_):
            asked.append(await asyncio.to_thread(lambda: ask(f"{proxy.http_url}/v1/tokens", {"user_id": "ann", "life_s": 5})))
            return asked[-1][1]["token"]

        client = centrifuge.Client(proxy.url + "/connection/websocket", get_token=get_token)
        await client.connect()
        await client.ready(timeout=60)
        while len(asked) < 4:
            await asyncio.sleep(0.05)
        await client.disconnect()
        assert await refused(proxy.url + "/no/such") == 404

    asyncio.run(asyncio.wait_for(main(), 90))
    assert ask(f"{proxy.http_url}/no/such/thing")[0] == 404


@pytest.fixture(scope="module")
def centrifugo(tmp_path_factory):
    path = tmp_path_factory.mktemp("centrifugo") / "run.jsonl"
    with Gateway("--wire", "centrifugo", "--any-refresh-timeout", "--refresh-timeout", "30s", loops=1) as gateway:
        with Proxy(gateway.http_url, "--wire", "centrifugo", "--control-port", "0", "--record", str(path)) as proxy:
            return recorded(proxy, path, visit_centrifugo), path


SAME = ["--set", "any-refresh-timeout=true", "--set", "refresh-timeout=30s"]


def test_upgrades_refused_ones_token_calls_and_messages_are_played_with_new_tokens(host, centrifugo):
    lines, path = centrifugo
    said = replay(host, path, *SAME)
    calls = len([line for line in lines if line.get("route") == "POST /v1/tokens"])
    heard = len([line for line in lines if line.get("kind") == "message_out"])
    # Each token call, the other request, both upgrades, and each message of the gateway.
    assert calls >= 4 and f"{calls + 1 + 2 + heard} alike, 0 different" in said, said


def test_the_recorded_times_are_kept_if_asked(host, centrifugo):
    lines, path = centrifugo
    timed = [line["at_ms"] for line in lines if line.get("kind") in ("connection_opened", "http_answered", "message_in", "upgrade_refused")]
    began = time.monotonic()
    said = replay(host, path, "--real-time", *SAME)
    assert time.monotonic() - began > (max(timed) - min(timed)) / 1000 > 3
    assert "0 different" in said, said


def test_what_comes_out_differently_is_told_with_its_line(host, centrifugo, tmp_path):
    lines, _ = centrifugo

    def change(line):
        if line.get("kind") == "upgrade_refused":
            line["answer"]["status"] = 503
        if line.get("route") == "GET /no/such/thing":
            line["answer"]["status"] = 200

    said = replay(host, changed(json.loads(json.dumps(lines)), tmp_path / "a.jsonl", change), *SAME, status=1)
    assert re.search(r"line \d+: recorded the upgrade's status 503, replayed the upgrade was answered with HTTP status 404", said), said
    assert "recorded GET /no/such/thing with status 200, replayed 404" in said and "2 different" in said, said

    def expire(line):
        # The client shows tokens that had ended long ago.
        if line.get("form") == "jwt":
            line["ends_ms"] -= 3_600_000
        if line.get("route") == "POST /v1/tokens":
            line["kind"] = "ignored"

    said = replay(host, changed(json.loads(json.dumps(lines)), tmp_path / "b.jsonl", expire), *SAME, status=1)
    assert "recorded the message" in said and "1 different" in said, said


def test_the_token_of_an_endpoint_that_the_gateway_does_not_have_is_minted(host, tmp_path):
    """The application's server: another endpoint, and the plain wire's messages with an answer of its own."""

    async def mint(request):
        return web.json_response({"access": {"token": token((await request.json())["name"])}})

    async def serve(request):
        if "access_token" not in request.query:
            return web.json_response({"error": "no token"}, status=401)
        socket = web.WebSocketResponse(protocols=["chat"])
        await socket.prepare(request)
        await socket.send_json({"type": "connected", "server": "own"})
        async for message in socket:
            await socket.close(code=4000 if "ask" in message.data else 4321)
        return socket

    def add(router):
        router.add_post("/login", mint)
        router.add_get("/v1/connect", serve)

    def visit(proxy):
        async def main():
            assert await refused(proxy.url + "/v1/connect") == 401
            shown = (await asyncio.to_thread(lambda: ask(f"{proxy.http_url}/login", {"name": "ann"})))[1]["access"]["token"]
            async with connect(f"{proxy.url}/v1/connect?access_token={shown}", subprotocols=["chat"], **OPTIONS) as socket:
                assert json.loads(await socket.recv())["server"] == "own"
                await socket.send('{"type":"ask"}')
                await socket.wait_closed()
                assert socket.close_code == 4000

        asyncio.run(asyncio.wait_for(main(), 90))

    path = tmp_path / "run.jsonl"
    with WebServer(add) as server, Proxy(server.http_url, "--record", str(path)) as proxy:
        recorded(proxy, path, visit)
    said = replay(host, path, status=1)
    assert "this gateway has no POST /login; its tokens are minted" in said, said
    # Logged in, by another answer than the recorded one.
    assert re.search(r'recorded the message \{"type": "connected", "server": "own"\}, replayed \{"type":"connected","connection_id"', said), said


def test_a_har_file_is_played_as_a_recording_is(host, tmp_path):
    now = time.time()

    def at(seconds):
        return datetime.fromtimestamp(now + seconds, timezone.utc).isoformat()

    first = token("ann", 600)
    got = {"user_id": "ann", "token": first, "expires_at": now + 600, "expires_in_s": 600}
    messages = [
        ("send", {"type": "connect", "token": first}),
        ("receive", {"type": "connected", "connection_id": "conn_0_7", "user_id": "ann", "user_kind": "regular", "expires_in_ms": 599_000}),
        ("send", {"type": "join", "cid": "default:standup"}), ("receive", None),
    ]
    path = tmp_path / "page.har"

    def har(last):
        messages[-1] = ("receive", last)
        entries = [
            {"startedDateTime": at(0), "time": 5, "request": {"method": "POST", "url": "https://app.example/v1/tokens", "headers": [{"name": "Content-Type", "value": "application/json"}], "postData": {"text": '{"user_id":"ann"}'}},
             "response": {"status": 200, "headers": [], "content": {"text": json.dumps(got)}}},
            {"startedDateTime": at(1), "_resourceType": "websocket", "request": {"method": "GET", "url": "wss://app.example/v1/connect", "headers": []},
             "response": {"status": 101, "headers": [], "content": {}},
             "_webSocketMessages": [{"type": kind, "time": now + 1 + index / 10, "opcode": 1, "data": json.dumps(data)} for index, (kind, data) in enumerate(messages)]},
            {"startedDateTime": at(2), "_resourceType": "websocket", "request": {"method": "GET", "url": "wss://app.example/no/such", "headers": []}, "response": {"status": 404, "headers": [], "content": {}}},
        ]
        path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
        return path

    # The token call, both upgrades, both answers.
    assert "5 alike, 0 different" in replay(host, har({"type": "joined", "cid": "default:standup"}))
    said = replay(host, har({"type": "left", "cid": "default:standup"}), status=1)
    assert '"type": "left"' in said and "1 different" in said, said


@pytest.mark.parametrize("flag", [["--real-time"]])
def test_the_recorded_times_of_a_gateways_journal_cannot_be_asked_for(host, tmp_path, flag):
    path = tmp_path / "journal.jsonl"
    path.write_text('{"n":1,"at_ms":0,"kind":"connection_opened","connection":"0.1"}\n')
    assert "--real-time is for a proxy's recording" in replay(host, path, *flag, status=2)

"""`"encoding": "msgpack"` in a description: the msgpack library on the other side of `serve`, `storm`, `proxy` and a recording."""

import asyncio
import contextlib
import json
import os
import re
import subprocess
import threading
from collections import Counter

import jwt
import msgpack
import pytest
import storms
from described import TIMES, WIRES
from gateway import Gateway, token
from orders import get, lines, order, until
from schemas import DescriptionSchema
from servers import SECRET
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

WIRE = {
    "wire": 1, "name": "packed", "connect": {"path": "/packed"}, "frames": {"encoding": "msgpack"},
    "say": {
        "login": {"json": {"op": 1, "id": "{{id:number}}", "auth": {"token": {"$base64": "{{token:base64}}"}}}},
        "renew": {"json": {"op": 2, "id": "{{id:number}}", "token": "{{token}}"}}, "pong": {"json": {"op": 9}},
    },
    "at_open": {"say": "login"},
    "hear": [
        {"when": {"json": {"/op": 1, "/id": "{{sent.login:number}}", "/ttl": {"exists": True}}}, "is": "logged_in", "take": {"life_s": "/ttl"},
         "as": {"json": {"op": 1, "id": "{{sent.login:number}}", "ttl": "{{life_s:number}}"}}},
        {"when": {"json": {"/op": 1, "/error": {"exists": True}}}, "is": "login_refused", "then": "renew", "as": {"json": {"op": 1, "error": "no"}}},
        {"when": {"json": {"/op": 2, "/ttl": {"exists": True}}}, "is": "refreshed", "take": {"life_s": "/ttl"}, "as": {"json": {"op": 2, "ttl": "{{life_s:number}}"}}},
        {"when": {"json": {"/op": 2, "/error": {"exists": True}}}, "is": "refresh_refused", "as": {"json": {"op": 2, "error": "no"}}},
        {"when": {"json": {"/op": 9}}, "is": "alive", "say": "pong", "as": {"json": {"op": 9, "at": {"$ext": -1, "$base64": "AAAAAA=="}}}},
        {"when": {"json": {"/op": 3}}, "is": "ignore"},
    ],
    "ends": [{"code": 4401, "then": "renew"}],
    "refresh": {"how": "timer", "lead": "1s", "say": "renew", "grace": "5s"},
    "serve": {"ping_every": "1s", "closes": {"expired": 4401, "refused": 4403}},
}
OPTIONS = {"proxy": None, "ping_interval": None, "open_timeout": 60, "compression": None}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "packed.json"
    path.write_text(json.dumps(WIRE))
    return str(path)


def postern(*words):
    return subprocess.run([os.environ["POSTERN"], *words], capture_output=True, text=True, timeout=90)


def pack(message):
    return msgpack.packb(message, datetime=True)


def unpack(frame):
    assert isinstance(frame, bytes), frame
    return msgpack.unpackb(frame, timestamp=1, strict_map_key=False)


async def hear(socket, op):
    while (message := unpack(await asyncio.wait_for(socket.recv(), 60)))["op"] != op:
        pass
    return message


class Server:
    """A gateway that packs with the msgpack library, every number in eight bytes. It counts what it sees; `strange` are messages
    that no description knows."""

    def __init__(self, life=3, strange=()):
        self.life, self.strange, self.log, self.heard = life, strange, Counter(), []

    def reply(self, socket, message):
        # As large as MessagePack allows, which no shortest form would be.
        ttl = b"\xcf" + self.life.to_bytes(8, "big")
        return socket.send(pack({**message, "ttl": 0}).removesuffix(b"\x00") + ttl)

    async def serve(self, socket):
        with contextlib.suppress(ConnectionClosed):
            first = unpack(await socket.recv())
            self.heard.append(first)
            assert isinstance(first["auth"]["token"], bytes)
            jwt.decode(first["auth"]["token"].decode(), SECRET, algorithms=["HS256"])
            self.log["logins"] += 1
            await self.reply(socket, {"op": 1, "id": first["id"]})
            for message in self.strange:
                await socket.send(message)
            async for frame in socket:
                self.heard.append(unpack(frame))
                if self.heard[-1]["op"] == 2:
                    jwt.decode(self.heard[-1]["token"], SECRET, algorithms=["HS256"])
                    self.log["renewals"] += 1
                    await self.reply(socket, {"op": 2, "id": self.heard[-1]["id"]})

    def __enter__(self):
        started = threading.Event()
        self.loop = asyncio.new_event_loop()

        async def start():
            self.server = await serve(self.serve, "127.0.0.1", 0, ping_interval=None, compression=None)
            self.url = f"ws://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
            started.set()

        self.loop.create_task(start())
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        assert started.wait(60)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(60)


class Proxy:
    """`postern proxy` in front of the server, with a journal of what messages say."""

    def __init__(self, to, *flags):
        self.command = [os.environ["POSTERN"], "proxy", "--to", to, "--port", "0", "--control-port", "0", "--journal-payloads", *flags]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        text = self.process.stdout.readline() + self.process.stdout.readline()
        self.url, self.control_url = re.search(r"ws://\S+", text)[0], re.search(r"http://[^;\s]+", text)[0]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        self.process.stdout.close()


def test_a_client_of_the_msgpack_library_is_served(path):
    assert postern("wire", "check", path).returncode == 0
    schema = DescriptionSchema(WIRES, "wire.schema.json")
    for frames in [{"encoding": "msgpak"}, {"encoding": "msgpack", "kind": "text"}, {"encoding": "msgpack", "split": "\n"}]:
        assert schema.tells_apart(WIRE, {"frames": frames})

    async def client(gateway):
        async with connect(f"{gateway.url}/packed", **OPTIONS) as socket:
            # Unknown to the gateway: a timestamp, a set of numbers as keys, bytes, a frame of text, and what is no MessagePack.
            for strange in [pack({"op": 77, "at": msgpack.Timestamp(1), 5: {6: b"\xff"}}), "hello", b"\xc1", b"\x93\x01"]:
                await socket.send(strange)
            await socket.send(pack({"op": 1, "id": 41, "auth": {"token": token("ann", 600).encode()}}))
            reply = await hear(socket, 1)
            assert reply["id"] == 41 and 590 <= reply["ttl"] <= 600, reply
            ping = await hear(socket, 9)
            assert ping["at"] == 0.0
            await socket.send(pack({"op": 9}))
            await socket.send(pack({"op": 2, "id": 42, "token": token("ann", 60)}))
            assert (await hear(socket, 2))["ttl"] <= 60
            await socket.send(pack({"op": 2, "id": 43, "token": "no token"}))
            assert (await hear(socket, 2))["error"] == "no"
            # An operator's JSON is said in MessagePack, and his text is said as text.
            order(gateway, "/users/ann/say", {"text": '{"op": 3, "big": {"$uint": "18446744073709551615"}}'})
            assert (await hear(socket, 3))["big"] == 2**64 - 1
            order(gateway, "/users/ann/say", {"text": "bye"})
            while (frame := await socket.recv()) != "bye":
                assert unpack(frame)["op"] == 9

    with Gateway("--wire", path, *TIMES, "--journal-payloads", loops=1) as gateway:
        asyncio.run(asyncio.wait_for(client(gateway), 90))
        shown = [line.get("payload", "") for line in get(gateway, "/journal?limit=1000&payloads=true")["lines"]]
        assert any('"auth":{"token":"(redacted)"}' in payload for payload in shown), shown
        assert not any("eyJ" in payload or "ZXlK" in payload for payload in shown), shown
        tried = postern("wire", "try", "--wire", path, "--url", gateway.url, "--life", "4s", "--timeout", "40s")
        assert tried.returncode == 0 and "renewed 1 times" in tried.stdout, tried
        assert '"auth":{"token":{"$base64":"<token>"}}' in tried.stdout and "ZXlK" not in tried.stdout, tried.stdout


def test_a_fault_finds_messages_by_their_content_and_puts_packed_ones_in_their_place(path):
    async def client(gateway):
        order(gateway, "/faults", {"fault": "replace", "what": "any:out", "match": {"json": {"/op": 2}}, "text": '{"op": 3, "why": "a fault"}', "times": 1})
        order(gateway, "/faults", {"fault": "drop", "what": "any:in", "match": {"json": {"/op": 2, "/id": 2}}, "times": 1})
        async with connect(f"{gateway.url}/packed", **OPTIONS) as socket:
            await socket.send(pack({"op": 1, "id": 1, "auth": {"token": token("ann", 600).encode()}}))
            await hear(socket, 1)
            for number in [2, 3]:
                await socket.send(pack({"op": 2, "id": number, "token": token("ann", 600)}))
            assert (await hear(socket, 3))["why"] == "a fault"
            await socket.send(pack({"op": 2, "id": 4, "token": token("ann", 600)}))
            assert "ttl" in await hear(socket, 2)

    with Gateway("--wire", path, *TIMES, "--faults", loops=1) as gateway:
        asyncio.run(asyncio.wait_for(client(gateway), 90))
        counts = Counter(line["kind"] for line in lines(gateway))
        assert counts["refreshed"] == 2 and counts["faulted"] == 2, counts


def test_a_storm_renews_at_a_server_of_the_msgpack_library(path, secret_file):
    with Server() as server:
        flags = ["--wire", path, "--url", server.url, "--mint", "--secret-file", secret_file, "--clients", "20", "--rate", "100", "--life", "10s"]
        result = storms.run(*flags, "--hold", "6s", "--timeout", "60s", expected=(0, 1))["result"]
        assert result["connects"]["accepted"] == server.log["logins"] == 20, (server.log, result)
        assert result["refreshes"]["accepted"] == server.log["renewals"] >= 20, (server.log, result)
        assert not result.get("errors", {}).get("unmatched"), result


def test_a_proxy_reads_and_records_but_changes_only_a_shortened_life(path, secret_file, tmp_path):
    # Six keys that JSON cannot have, a text that is no UTF-8, and bytes that are no MessagePack pass as they are.
    strange = [pack({"op": 3, 1: None, None: b"x", True: 1.5}), b"\x82\xa2op\x03\xa1\xff\xa1\xfe", b"\x82\xa2op\x03\xa2op\x03", b"\xc1\xff", b""]
    recording = tmp_path / "run.jsonl"
    mark = token("ann", 600, secret=SECRET, mark="m4rk")

    async def client(proxy):
        async with connect(f"{proxy.url}/packed", **OPTIONS) as socket:
            await socket.send(pack({"op": 1, "id": 2**40, "big": 2**63, "auth": {"token": mark.encode()}, "password": "p4ssw0rd"}))
            reply = await socket.recv()
            assert reply.endswith(b"\xa3ttl\x02") and unpack(reply)["id"] == 2**40, reply
            assert [await socket.recv() for _ in strange] == strange
            order(proxy, "/sessions/say", {"text": '{"op": 9}'})
            assert await socket.recv() == b"\x81\xa2op\x09"
            await socket.send(pack({"op": 2, "id": 3, "token": token("ann", 600, secret=SECRET)}))
            assert (await hear(socket, 2))["ttl"] == 2

    with Server(life=600, strange=strange) as server, Proxy(server.url, "--wire", path, "--record", str(recording)) as proxy:
        order(proxy, "/faults", {"fault": "shorten", "life_s": 2})
        order(proxy, "/faults", {"fault": "say", "side": "upstream", "text": '{"op": 8}', "when": {"after": "refreshed"}, "times": 1})
        asyncio.run(asyncio.wait_for(client(proxy), 90))
        until(lambda: {"op": 8} in server.heard)
        until(lambda: "closed" in [line["kind"] for line in lines(proxy)])
        journal = get(proxy, "/journal?limit=1000&payloads=true")["lines"]
        kinds = [line["kind"] for line in journal]
        assert kinds.count("logged_in") == kinds.count("refreshed") == 1, kinds
        assert next(line["user"] for line in journal if line["kind"] == "logged_in") == "ann"
        shown = json.dumps(journal)
        assert '\\"op\\":2' in shown
    text = recording.read_text()
    for secret in ["m4rk", "p4ssw0rd", mark, mark[:20], "ZXlK", "eyJ"]:
        assert secret not in shown and secret not in text, secret
    packed = [json.loads(line) for line in text.splitlines() if '"encoding":"msgpack"' in line]
    assert len(packed) >= 6 and all(line["binary"] for line in packed), text
    assert json.loads(packed[0]["payload"])["big"].keys() == {"$uint"}


def test_a_recording_of_packed_messages_is_drafted_and_served(path, secret_file, tmp_path):
    recording, draft = tmp_path / "run.jsonl", tmp_path / "draft.json"
    with Server(life=4) as server, Proxy(server.url, "--record", str(recording)) as proxy:
        flags = ["--wire", path, "--url", proxy.url, "--mint", "--secret-file", secret_file, "--life", "4s", "--timeout", "40s"]
        tried = postern("wire", "try", *flags)
        assert tried.returncode == 0 and "renewed 1 times" in tried.stdout, tried
    done = postern("wire", "draft", str(recording))
    assert done.returncode == 0 and '"encoding": "msgpack"' in done.stdout, done
    draft.write_text(done.stdout)
    checked = postern("wire", "check", str(draft))
    assert checked.returncode == 0, (checked, done.stdout)

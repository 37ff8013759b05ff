"""`hex` in a description: bytes that are no text, in what clients say, in conditions, and in what the gateway says."""

import asyncio
import json
import os
import subprocess

import pytest
import storms
from described import TIMES, WIRES
from gateway import Gateway, token
from schemas import DescriptionSchema
from websockets.asyncio.client import connect

WIRE = {
    "wire": 1, "name": "hexed", "connect": {"path": "/hex"}, "frames": {"kind": "binary"},
    "say": {"login": {"text": "LOGIN {{token}}"}, "beat": {"hex": "2b FF"}},
    "at_open": {"say": "login"},
    "hear": [
        {"when": {"text": "OK"}, "is": "logged_in", "as": {"text": "OK"}},
        {"when": {"hex": "2a 00 ff"}, "is": "alive", "say": "beat", "as": {"hex": "2a00FF"}},
        {"when": {"text": "BYE"}, "is": "goodbye", "then": "renew", "as": {"text": "BYE"}},
        {"when": {"text": "NO"}, "is": "login_refused", "then": "give_up", "as": {"text": "NO"}},
    ],
    "ends": [{"code": 4401, "then": "renew"}, {"code": 4403, "then": "give_up"}],
    "refresh": {"how": "reconnect"}, "serve": {"ping_every": "1s", "closes": {"expired": 4401, "refused": 4403}},
}


def described(folder, **changes):
    path = folder / "hexed.json"
    path.write_text(json.dumps({**WIRE, **changes}))
    return str(path)


def postern(*words):
    return subprocess.run([os.environ["POSTERN"], *words], capture_output=True, text=True, timeout=90)


def test_bytes_are_said_heard_and_read_by_serve_try_and_storm(tmp_path):
    path = described(tmp_path)
    assert postern("wire", "check", path).returncode == 0
    schema = DescriptionSchema(WIRES, "wire.schema.json")
    assert schema.tells_apart(WIRE, {"say": {**WIRE["say"], "beat": {"hex": "2"}}})
    assert schema.tells_apart(WIRE, {"say": {**WIRE["say"], "beat": {"hex": "2a", "text": "x"}}})

    async def beat(url):
        async with connect(f"{url}/hex", proxy=None, ping_interval=None, open_timeout=60) as socket:
            await socket.send(b"LOGIN " + token("ann", 60).encode())
            assert await socket.recv() == b"OK"
            for _ in range(2):
                assert await socket.recv() == b"\x2a\x00\xff"
                await socket.send(b"\x2b\xff")

    with Gateway("--wire", path, *TIMES, loops=1) as gateway:
        asyncio.run(asyncio.wait_for(beat(gateway.url), 90))
        tried = postern("wire", "try", "--wire", path, "--url", gateway.url, "--life", "4s", "--timeout", "40s")
        assert tried.returncode == 0 and "renewed 1 times" in tried.stdout, tried
        result = storms.run("--wire", path, "--url", gateway.url, "--clients", "3", "--rate", "100", "--hold", "5s", "--timeout", "60s", expected=(0, 1))["result"]
        assert result["connects"]["accepted"] == 6 and not result.get("errors", {}).get("unmatched"), result


@pytest.mark.parametrize(
    ("say", "frames", "wanted"),
    [
        ({"hex": "2"}, "binary", "pairs of hexadecimal digits"), ({"hex": "zz"}, "binary", "hexadecimal digits"), ({"hex": " "}, "binary", "pairs"),
        ({"hex": "2a", "text": "x"}, "binary", "keep one"), ({"hex": "ff"}, "text", "no UTF-8"), ({"hex": "2a" * 4097}, "binary", "at most 4096"),
    ],
)
def test_what_is_no_hex_is_refused_with_its_place(say, frames, wanted, tmp_path):
    path = described(tmp_path, say={"login": WIRE["say"]["login"], "beat": say}, frames={"kind": frames}, hear=[rule for rule in WIRE["hear"] if "hex" not in rule["when"]])
    done = postern("wire", "check", path)
    assert done.returncode != 0 and wanted in done.stdout + done.stderr and "/say" in done.stdout + done.stderr, done

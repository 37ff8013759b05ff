"""Recordings of `postern proxy --record` and `postern ctl record`: what they have, and that no secret is in them."""

import asyncio
import base64
import json
import os
import re
import resource
import signal
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from proxied import Proxy, WebServer, web
from websockets.asyncio.client import connect

SECRET = "mark-9f3Kq7Zt21vLx0Wb"
OTHER = "mark-4d8Rp2Ys77mNc5Qa"
JWT = ".".join(
    base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
    for part in ({"alg": "HS256"}, {"sub": "ann", "iat": 1_900_000_000, "exp": 1_900_003_600})
) + ".bWFyay1zaWduYXR1cmUtOTk5"
PASSWORD = "correcthorse"


def forms(secret):
    """A secret as it may stand in a text: itself, in base64, percent-encoded."""
    raw = secret.encode()
    return [secret, base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("="), urllib.parse.quote(secret, safe="")]


async def echo(request):
    """Answers messages with themselves, and requests with what they said."""
    if request.headers.get("upgrade", "").lower() == "websocket":
        socket = web.WebSocketResponse(protocols=request.headers.get("sec-websocket-protocol", "").replace(" ", "").split(",")[:1])
        await socket.prepare(request)
        async for message in socket:
            if message.type.name == "TEXT":
                await socket.send_str(message.data)
            elif message.type.name == "BINARY":
                await socket.send_bytes(message.data)
        return socket
    answer = web.json_response({"refresh_token": OTHER, "said": await request.text()})
    answer.set_cookie("session", SECRET)
    return answer


@pytest.fixture(scope="module")
def server():
    with WebServer(lambda router: router.add_route("*", "/{tail:.*}", echo)) as server:
        yield server


MESSAGES = [
    json.dumps({"type": "auth", "token": SECRET}),
    json.dumps({"type": "auth", "token": JWT}),
    json.dumps({"op": "login", "args": [{"user": "ann", "password": PASSWORD}]}),
    json.dumps({"event": "sub", "data": json.dumps({"channel": "room", "auth": f"app:{SECRET}"})}),
    json.dumps({"event": "strange", "value": SECRET, SECRET: 1}),
    f"40{json.dumps({'token': SECRET})}",
    f"AUTH {SECRET} {PASSWORD}",
    f"key={SECRET}&other={OTHER}",
    json.dumps({"basic": "Basic " + base64.b64encode(f"ann:{SECRET}".encode()).decode()}),
    json.dumps({"data": base64.b64encode(SECRET.encode()).decode()}),
    json.dumps({"pin": 8642097531, "deep": [[[{"secret": {"value": OTHER}}]]]}),
    f'{{"broken": "{SECRET}',
    f"said it was {PASSWORD}",
]


async def send_all(url):
    query = urllib.parse.urlencode({"access_token": SECRET, "room": OTHER})
    fields = {"Authorization": f"Bearer {SECRET}", "Cookie": f"session={SECRET}; theme=dark", "X-Custom": OTHER}
    async with connect(f"{url}/sockets/{SECRET}?{query}", subprotocols=["chat", SECRET], additional_headers=fields, compression=None) as socket:
        for message in MESSAGES:
            await socket.send(message)
            assert await socket.recv() == message
            await socket.send(message.encode())
            assert await socket.recv() == message.encode()
        await socket.send(b"\x82\x01" + SECRET.encode())
        await socket.recv()


def post(url):
    body = urllib.parse.urlencode({"grant_type": "password", "username": "ann", "password": PASSWORD, "client": SECRET}).encode()
    request = urllib.request.Request(f"{url}/auth?api_key={SECRET}", body, {"Cookie": f"a={OTHER}", "X-Api-Key": SECRET})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert json.loads(answer.read())["refresh_token"] == OTHER


def read(path):
    text = Path(path).read_text()
    assert text.endswith("\n")
    return text, [json.loads(line) for line in text.splitlines()]


def check_no_secret(text):
    for secret in (SECRET, OTHER, JWT, JWT.split(".")[1], JWT.split(".")[2], PASSWORD, f"ann:{SECRET}"):
        for form in forms(secret):
            assert form not in text, f"{form} in the recording: {text[max(0, text.find(form) - 200):][:400]}"
    assert "8642097531" not in text


def test_a_secret_in_any_place_that_a_client_can_put_it_is_not_in_the_recording(server, tmp_path):
    path = tmp_path / "run.jsonl"
    with Proxy(server.url, "--record", str(path)) as proxy:
        asyncio.run(send_all(proxy.url))
        post(proxy.http_url)
        proxy.process.send_signal(signal.SIGTERM)
        assert proxy.process.wait(60) == 0
    text, lines = read(path)
    check_no_secret(text)
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    end = lines[-1]
    assert lines[0]["postern_recording"] == 1 and end.pop("at_ms") >= lines[-2]["at_ms"]
    assert end == {"recording_ended": "stopped", "lines": len(lines) - 1, "lost": 0}
    opened = next(line for line in lines if line.get("kind") == "connection_opened")["request"]
    name = dict(opened["query"])["access_token"]
    assert re.fullmatch(r"token-\d+|id-\d+", name)
    headers = dict(opened["headers"])
    # The same secret has the same name in the path, the query, fields, subprotocols, messages and bodies.
    assert opened["path"] == f"/sockets/{name}" and headers["sec-websocket-protocol"] == f"chat, {name}"
    assert headers["authorization"] == f"Bearer {name}" and headers["cookie"] == f"session={name}; theme=cookie-short"
    said = [line["payload"] for line in lines if line.get("kind") == "message_in" and "payload" in line]
    assert json.loads(said[0]) == json.loads(said[1]) == {"type": "auth", "token": name}
    assert json.loads(said[6])["data"].startswith('{"channel":"room"') or "room" in said[6]
    answered = next(line for line in lines if line.get("kind") == "http_answered")
    assert dict(answered["request"]["query"]) == {"api_key": name} and dict(answered["request"]["headers"])["x-api-key"] == name
    assert json.loads(answered["answer"]["body"])["refresh_token"] == headers["x-custom"]
    # Of a JWT it has the times and the user.
    jwt = next(line for line in lines if line.get("form") == "jwt")
    assert (jwt["issued_ms"], jwt["ends_ms"], jwt["user"]) == (1_900_000_000_000, 1_900_003_600_000, "ann")
    assert json.loads(said[2]) == {"type": "auth", "token": jwt["secret"]}


def test_ctl_record_records_a_running_proxy_and_a_route_until_it_is_stopped(server, tmp_path):
    with Proxy(server.url, "--control-port", "0", "--spaces") as proxy:
        route = json.loads(proxy.ctl("space", "create", "--name", "t17", "--json"))
        for name, url, flags in (("own", proxy.url, []), ("route", f"ws://127.0.0.1:{route['port']}", ["--space", "t17"])):
            path = tmp_path / f"{name}.jsonl"
            command = [os.environ["POSTERN"], "ctl", "record", str(path), *flags, "--url", proxy.control_url]
            recording = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            deadline = time.monotonic() + 60
            while not (path.exists() and path.read_text()):
                assert recording.poll() is None and time.monotonic() < deadline
                time.sleep(0.05)
            asyncio.run(send_all(url))
            while '"closed"' not in path.read_text():
                assert time.monotonic() < deadline
                time.sleep(0.05)
            recording.send_signal(signal.SIGINT)
            assert "recorded" in recording.communicate(timeout=60)[0] and recording.returncode == 0
            text, lines = read(path)
            check_no_secret(text)
            assert lines[-1]["recording_ended"] == "stopped"
            kinds = [line.get("kind") for line in lines]
            assert "connection_opened" in kinds and kinds.count("message_in") == 2 * len(MESSAGES) + 1


def test_a_recording_ends_when_it_is_as_large_as_it_may_be(server, tmp_path):
    path = tmp_path / "run.jsonl"
    with Proxy(server.url, "--record", str(path), "--record-bytes-max", "8192") as proxy:
        for _ in range(3):
            asyncio.run(send_all(proxy.url))
        proxy.process.send_signal(signal.SIGTERM)
        assert proxy.process.wait(60) == 0
        assert "is full" in proxy.said()
    _, lines = read(path)
    assert lines[-1]["recording_ended"] == "full" and path.stat().st_size < 8192 + 200


def test_a_full_disk_ends_the_recording_with_a_word_and_the_proxy_goes_on(server, tmp_path):
    path = tmp_path / "run.jsonl"
    # A limit of the process is a disk without room: the write fails.
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    proxy = Proxy(server.url, "--record", str(path))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, old[1]))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with proxy:
            resource.setrlimit(resource.RLIMIT_FSIZE, old)
            for _ in range(3):
                asyncio.run(send_all(proxy.url))
            proxy.process.send_signal(signal.SIGTERM)
            assert proxy.process.wait(60) == 0
            assert "cannot write" in proxy.said() and "the proxy goes on" in proxy.said()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    if path.stat().st_size:
        read(path)


def test_a_recording_that_cannot_be_written_is_refused_at_the_start(server, tmp_path):
    done = subprocess.run([os.environ["POSTERN"], "proxy", "--to", server.url, "--port", "0", "--record", str(tmp_path / "no" / "run.jsonl")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--record: cannot write" in done.stderr


def test_a_recording_that_cannot_begin_leaves_the_former_one_and_a_new_one_is_its_owners_alone(server, tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text("the former one\n")
    path.chmod(0o644)
    command = [os.environ["POSTERN"], "ctl", "record", str(path), "--for", "5s"]
    done = subprocess.run([*command, "--url", "http://127.0.0.1:1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and path.read_text() == "the former one\n", done
    with Proxy(server.url, "--control-port", "0") as proxy:
        done = subprocess.run([*command, "--url", proxy.control_url], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and path.stat().st_mode & 0o777 == 0o600, done
    assert read(path)[1][0]["postern_recording"] == 1


def test_a_reader_that_leaves_ends_a_recording_to_standard_output_quietly(server):
    with Proxy(server.url, "--control-port", "0") as proxy:
        command = [os.environ["POSTERN"], "ctl", "record", "-", "--url", proxy.control_url]
        recording = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert "postern_recording" in recording.stdout.readline()
        recording.stdout.close()
        while recording.poll() is None:
            post(proxy.http_url)
            time.sleep(0.05)
        assert recording.returncode == 0 and recording.stderr.read() == ""

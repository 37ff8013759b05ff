"""Marked secrets in every place a client or a server can put them: none in the journal, the recording, the log, a draft, an error or a
metric of `postern proxy`."""

import asyncio
import base64
import json
import os
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import uuid

import pytest
from proxied import Proxy, WebServer, web
from websockets.asyncio.client import connect

# Values as vendors make them: of letters and digits, hexadecimal, base64, with a prefix, a UUID, and a JWT.
MARKS = {
    "mixed": "9f3Kq7Zt21vLx0Wb", "hex": "3f9c0a17be55d2486a1100ffcd34e7b9", "base64": "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ=",
    "prefixed": "sk_live_51Hx9Zr2eKq7Wm4T", "uuid": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjE5OTk5OTk5OTl9.c2lnbmF0dXJlLW1hcms5OTk",
}
PASSWORD = "correcthorse"


def packed(value):
    """MessagePack, of texts, bytes, lists and objects."""
    if isinstance(value, str):
        raw = value.encode()
        return (bytes([0xA0 | len(raw)]) if len(raw) < 32 else bytes([0xD9, len(raw)])) + raw
    if isinstance(value, bytes):
        return bytes([0xC4, len(value)]) + value
    if isinstance(value, list):
        return bytes([0x90 | len(value)]) + b"".join(map(packed, value))
    return bytes([0x80 | len(value)]) + b"".join(packed(name) + packed(one) for name, one in value.items())


def bodies(mark):
    """Bodies of each kind with the mark and the password in them."""
    line = uuid.uuid4().hex[:8]
    part = f'--{line}\r\nContent-Disposition: form-data; name="{{}}"\r\n\r\n{{}}\r\n'
    multipart = (part.format("token", mark) + part.format("password", PASSWORD) + part.format("file", mark) + f"--{line}--\r\n").encode()
    return {
        "application/json": json.dumps({"token": mark, "password": PASSWORD, "deep": [{"value": mark}], mark: 1}).encode(),
        "application/x-www-form-urlencoded": urllib.parse.urlencode({"client_secret": mark, "password": PASSWORD, "x": mark}).encode(),
        f"multipart/form-data; boundary={line}": multipart,
        "application/msgpack": packed({"token": mark, "password": PASSWORD, "list": [mark, mark.encode()]}),
        "application/x-msgpack": packed("password " + PASSWORD + " " + mark + " " + "x" * (140 - 18 - len(PASSWORD) - len(mark) + 8)),
        "text/plain": f"token {mark} password {PASSWORD}".encode(),
        "application/xml": f"<login token='{mark}'><password>{PASSWORD}</password><k>{mark}</k></login>".encode(),
    }


async def echo(request):
    """Messages and bodies come back as they were, with the mark of the query in a cookie and a field."""
    if request.headers.get("upgrade", "").lower() == "websocket":
        offered = request.headers.get("sec-websocket-protocol", "").replace(" ", "").split(",")
        socket = web.WebSocketResponse(protocols=offered[-1:])
        await socket.prepare(request)
        async for message in socket:
            if message.type.name == "TEXT":
                await (socket.close(code=4000, message=message.data[5:].encode()) if message.data.startswith("close") else socket.send_str(message.data))
            elif message.type.name == "BINARY":
                await socket.send_bytes(message.data)
        return socket
    status = 401 if "refuse" in request.path else 200
    answer = web.Response(body=await request.read(), headers={"Content-Type": request.headers.get("Content-Type", "text/plain")}, status=status)
    answer.set_cookie("sid", request.query.get("token", ""))
    answer.headers["X-Session-Token"] = request.query.get("token", "")
    answer.headers["Location"] = "/next?code=" + request.query.get("token", "")
    return answer


def ask(url, mark, body=None, kind="text/plain", **fields):
    headers = {"Content-Type": kind, "Cookie": f"sid={mark}; b={mark}", "X-Api-Key": mark, "X-Odd": mark, **fields}
    request = urllib.request.Request(url, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        return error.read()


async def talk(url, mark):
    query = urllib.parse.urlencode({"token": mark, "room": mark})
    basic = base64.b64encode(f"ann:{mark}".encode()).decode()
    protocol = mark.rstrip("=").replace("=", "")
    for authorization in (f"Basic {basic}", f"Bearer {mark}", mark, f"Token token={mark}"):
        fields = {"Authorization": authorization, "Cookie": f"sid={mark}", "X-Odd": mark}
        async with connect(f"{url}/s/{urllib.parse.quote(mark, safe='')}?{query}", subprotocols=["v1", f"auth.{protocol}"], additional_headers=fields, compression=None, open_timeout=60) as socket:
            for body in bodies(mark).values():
                await socket.send(body)
                assert await socket.recv() == body
                try:
                    text = body.decode()
                except UnicodeDecodeError:
                    continue
                await socket.send(text)
                assert await socket.recv() == text
            await socket.send(f"close{mark}")
            await socket.wait_closed()
            assert socket.close_reason == mark


def hidden_in(text, mark):
    """The forms of a mark that are in a text."""
    raw = mark.encode()
    forms = {
        mark, urllib.parse.quote(mark, safe=""), base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("="), raw.hex(),
        base64.b64encode(f"ann:{mark}".encode()).decode(), mark.rstrip("="), *(mark.split(".")[1:] if mark.startswith("eyJ") else []), PASSWORD,
    }
    return [(form, text[max(0, text.find(form) - 120):][:240]) for form in forms if form in text]


@pytest.mark.parametrize("kind", MARKS)
def test_no_marked_secret_is_told_by_anything_that_the_proxy_writes(kind, tmp_path):
    mark, path = MARKS[kind], tmp_path / "run.jsonl"
    with WebServer(lambda router: router.add_route("*", "/{tail:.*}", echo)) as server:
        flags = ["--control-port", "0", "--journal-payloads", "--record", str(path), "--token-route", "POST /auth/refuse"]
        with Proxy(server.url, *flags) as proxy:
            asyncio.run(talk(proxy.url, mark))
            query = urllib.parse.urlencode({"token": mark, "odd": mark})
            for place in ("/auth", "/auth/refuse", f"/{urllib.parse.quote(mark, safe='')}/x"):
                for content, body in bodies(mark).items():
                    assert ask(f"{proxy.http_url}{place}?{query}", mark, body, content) == body
            # What an operator's mistakes say must not hold what the order held.
            errors = [proxy.ask("POST", "/faults", {"fault": "drop", "match": {"prefix": mark}, "token": mark}), proxy.ask("POST", f"/users/{urllib.parse.quote(mark, safe='')}/nothing", {})]
            assert all(status >= 400 for status, _ in errors), errors
            places = {
                "journal": json.dumps(proxy.lines(payloads=True)), "export": proxy.ctl("journal"), "sessions": proxy.ctl("sessions"),
                "metrics": str(proxy.ask("GET", "/metrics")), "routes": str(proxy.ask("GET", "/journal/counts")),
            }
            proxy.process.send_signal(signal.SIGTERM)
            assert proxy.process.wait(60) == 0
            places["log"] = proxy.said()
    places["recording"] = path.read_text()
    for command in (["wire", "draft"], ["scenario", "draft"]):
        done = subprocess.run([os.environ["POSTERN"], *command, str(path)], capture_output=True, text=True, timeout=60)
        places[" ".join(command)] = done.stdout + done.stderr
    assert places["recording"].count("message_in") > 20 and places["journal"].count("http_answered") > 10
    found = {place: hidden_in(text, mark) for place, text in places.items()}
    assert not any(found.values()), {place: some for place, some in found.items() if some}

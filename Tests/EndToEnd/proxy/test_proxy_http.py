"""HTTP through `postern proxy`, its safeguards for other people's systems, and its errors."""

import asyncio
import hashlib
import http.client
import os
import socket
import subprocess
import threading
import time

import aiohttp
import pytest
from proxied import Proxy, WebServer, WSMsgType, fields, web
from ports import free_port

LARGE = hashlib.sha512(b"seed").digest() * (20 << 14)
left = threading.Event()
# How the end of a body is marked is a matter of each connection.
FRAMING = {"content-length", "transfer-encoding"}


def add(router):
    async def echo(request):
        body = await request.read()
        shown = {"method": request.method, "target": request.raw_path, "fields": [field for field in fields(request.headers.items()) if field[0] not in FRAMING], "body": hashlib.sha256(body).hexdigest(), "length": len(body)}
        return web.json_response(shown, headers={"X-Host": request.headers["Host"], "X-Via": request.headers.get("Via", "")})

    async def fixed(request):
        if request.headers.get("If-None-Match") == '"7"':
            return web.Response(status=304, headers={"ETag": '"7"'})
        return web.Response(body=b"\x00\x1f\x8b raw bytes", headers={"ETag": '"7"', "X-Spaces": "a  b", "Content-Type": "application/x-thing"})

    async def large(request):
        return web.Response(body=LARGE)

    async def chunked(request):
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(300):
            await response.write(b"0123456789abcdef" * 1000)
        return response

    async def cookies(request):
        response = web.Response(status=201, text="made")
        response.set_cookie("a", "1")
        response.set_cookie("b", "2")
        return response

    async def redirect(request):
        raise web.HTTPFound("/elsewhere?x=1")

    async def events(request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for number in range(10_000):
                await response.write(f"data: {number}\n\n".encode())
                await asyncio.sleep(0.05)
        finally:
            left.set()
        return response

    async def cut(request):
        response = web.StreamResponse(headers=request.query.get("length") and {"Content-Length": "1000"} or {})
        await response.prepare(request)
        await response.write(b"x" * 500)
        request.transport.abort()
        return response

    async def socket(request):
        answer = web.WebSocketResponse(protocols=["p"], autoping=True)
        answer.headers["Set-Cookie"] = "session=7"
        await answer.prepare(request)
        async for message in answer:
            if message.type == WSMsgType.TEXT and message.data == "close":
                await answer.close(code=4444, message=b"told so")
            elif message.type == WSMsgType.TEXT:
                await answer.send_str(message.data)
            elif message.type == WSMsgType.BINARY:
                await answer.send_bytes(message.data)
        return answer

    for path in ["/echo", "/echo/{rest:.*}"]:
        router.add_route("*", path, echo)
    for path, handler in [("fixed", fixed), ("large", large), ("chunked", chunked), ("cookies", cookies), ("redirect", redirect), ("events", events), ("cut", cut), ("socket", socket)]:
        router.add_get(f"/{path}", handler)


@pytest.fixture(scope="module")
def server():
    with WebServer(add) as server:
        yield server


@pytest.fixture(scope="module")
def proxy(server):
    with Proxy(server.http_url) as proxy:
        yield proxy


def curl(url, *flags):
    """The head, without what belongs to the connection, and the body of the answer to curl."""
    done = subprocess.run(["curl", "-s", "-i", "--max-time", "60", *flags, url], capture_output=True, timeout=90)
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    own = ("date:", "connection:", "transfer-encoding:", "keep-alive:", "x-host:", "x-via:")
    named = sorted((line.partition(":")[0].lower(), line.partition(":")[2].strip()) for line in lines[1:] if not line.lower().startswith(own))
    return done.returncode, lines[0].split(" ")[1:2], named, body


@pytest.mark.parametrize(
    "path, flags",
    [
        ("/echo?a=%2Bb+c&d=%C3%A4&e=&f", []),
        ("/echo/x%2Fy;z=1/%20", ["-X", "DELETE"]),
        ("/echo", ["-X", "POST", "-d", "user=ann&secret=%20"]),
        ("/echo", ["-X", "PATCH", "-d", "", "-H", "Authorization: Bearer x.y.z", "-H", "Cookie: a=1; b=2", "-H", "X-Long: " + "v" * 7000]),
        ("/echo", ["-H", "Transfer-Encoding: chunked", "-d", "in chunks"]),
        ("/echo", ["-X", "OPTIONS", "-H", "Origin: https://app.example", "-H", "Access-Control-Request-Method: POST"]),
        ("/fixed", []),
        ("/fixed", ["-H", 'If-None-Match: "7"']),
        ("/fixed", ["-I"]),
        ("/cookies", []),
        ("/redirect", []),
        ("/missing", []),
        ("/large", []),
        ("/chunked", []),
        ("/chunked", ["-0"]),
    ])
def test_curl_sees_the_same_answer(server, proxy, path, flags):
    direct, through = curl(server.http_url + path, *flags), curl(proxy.http_url + path, *flags)
    assert direct[0] == 0 and through == direct


def test_the_target_is_asked_by_its_own_name_and_told_of_the_proxy(server, proxy):
    async def ask():
        async with aiohttp.ClientSession() as session, session.get(proxy.http_url + "/echo") as answer:
            return answer.headers["X-Host"], answer.headers["X-Via"]

    host, via = asyncio.run(ask())
    assert host == f"127.0.0.1:{server.port}" and via.startswith("1.1 postern-")


def test_a_field_may_be_replaced(server):
    with Proxy(server.http_url, "--set-header", "X-Key=other", "--set-header", "host=realtime.example") as proxy:
        done = subprocess.run(["curl", "-s", "-i", "-H", "X-Key: mine", proxy.http_url + "/echo"], capture_output=True, text=True, timeout=60)
        assert '["x-key", "other"]' in done.stdout and "mine" not in done.stdout and "X-Host: realtime.example" in done.stdout.replace("x-host", "X-Host")


@pytest.mark.parametrize("length", [100, 64 << 10, 1 << 20, (8 << 20) + 1])
def test_bodies_of_requests_arrive_whole(server, proxy, tmp_path, length):
    body = os.urandom(length)
    (tmp_path / "body").write_bytes(body)
    done = subprocess.run(["curl", "-s", "--data-binary", f"@{tmp_path}/body", proxy.http_url + "/echo"], capture_output=True, text=True, timeout=90)
    assert hashlib.sha256(body).hexdigest() in done.stdout


def test_events_arrive_one_by_one_and_a_reader_that_leaves_takes_the_request_along(proxy):
    async def read():
        async with aiohttp.ClientSession() as session:
            answer = await session.get(proxy.http_url + "/events")
            begun = time.monotonic()
            lines = [await asyncio.wait_for(answer.content.readuntil(b"\n\n"), 60) for _ in range(3)]
            assert lines == [f"data: {number}\n\n".encode() for number in range(3)]
            assert time.monotonic() - begun < 30
            left.clear()
            answer.close()

    asyncio.run(read())
    assert left.wait(60)


@pytest.mark.parametrize("path", ["/cut", "/cut?length=1"])
def test_an_answer_that_is_cut_stays_cut(server, proxy, path):
    direct, through = curl(server.http_url + path), curl(proxy.http_url + path)
    assert direct[0] == through[0] == 18 and len(through[3]) == 500


def test_memory_stays_small_while_a_slow_reader_takes_a_large_answer(server, proxy):
    with socket.create_connection(("127.0.0.1", proxy.port)) as reader:
        before = proxy.memory()
        reader.sendall(b"GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        time.sleep(1)
        assert proxy.memory() - before < 4 << 20
        got = b""
        reader.settimeout(60)
        while piece := reader.recv(1 << 20):
            got += piece
        assert got.endswith(LARGE)


def test_aiohttp_on_both_sides_sees_subprotocol_cookie_messages_and_close(server, proxy):
    async def talk(url):
        async with aiohttp.ClientSession() as session:
            client = await session.ws_connect(url + "/socket", protocols=["q", "p"])
            seen = [client.protocol, client._response.cookies["session"].value]
            for size in [0, 125, 126, 65_536, 300_000]:
                await client.send_str("x" * size)
                await client.send_bytes(b"y" * size)
                seen += [(await client.receive(60)).data, (await client.receive(60)).data]
            await client.send_str("close")
            end = await client.receive(60)
            return seen, end.type, end.data, end.extra, client.close_code

    direct, through = asyncio.run(talk(server.http_url)), asyncio.run(talk(proxy.http_url))
    assert through == direct and through[2:] == (4444, "told so", 4444)


def test_a_proxy_whose_target_is_itself_reports_it():
    port = free_port()
    command = [os.environ["POSTERN"], "proxy", "--to", f"http://127.0.0.1:{port}", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline().startswith("ready")
        assert curl(f"http://127.0.0.1:{port}/")[1] == ["508"]
    finally:
        process.terminate()
        process.wait(30)


def test_systems_of_others_get_little_and_no_storm(server):
    # 0.0.0.0 is not one of this machine's names, but it leads here.
    with Proxy(f"http://0.0.0.0:{server.port}", "--i-may-proxy", "0.0.0.0") as proxy:
        assert proxy.limits.strip() == "limits   50 connections, 10 dials/s, 20 requests/s, 1048576 bytes/s to 0.0.0.0"
        assert curl(proxy.http_url + "/fixed")[1] == ["200"]
        stormy = curl(proxy.http_url + "/fixed", "-H", "Postern-Storm: 5f3a")
        assert stormy[1] == ["403"] and ("postern-proxy", "storm") in stormy[2]
    with Proxy(f"http://0.0.0.0:{server.port}", "--i-may-proxy", "0.0.0.0", "--requests-per-second", "0.02") as proxy:
        assert curl(proxy.http_url + "/fixed")[1] == ["200"]
        _, status, named, body = curl(proxy.http_url + "/fixed")
        assert status == ["429"] and ("postern-proxy", "cap") in named
        assert 1 <= int(dict(named)["retry-after"]) <= 50 and b"0.02 requests/s to 0.0.0.0 are allowed; nothing was sent on" in body
    with Proxy(f"http://0.0.0.0:{server.port}", "--i-may-proxy", "0.0.0.0", "--i-may-storm", "0.0.0.0") as proxy:
        assert curl(proxy.http_url + "/fixed", "-H", "Postern-Storm: 5f3a")[1] == ["200"]


def test_messages_to_others_are_slowed_to_the_limit(server):
    async def talk(url):
        async with aiohttp.ClientSession() as session:
            client = await session.ws_connect(url + "/socket")
            begun = time.monotonic()
            for _ in range(16):
                await client.send_bytes(bytes(16_384))
                await client.receive(60)
            await client.close()
            return time.monotonic() - begun

    with Proxy(server.http_url, "--bytes-per-second", "65536") as proxy:
        # 256 KiB, of which 64 KiB are sent at once.
        assert 2.5 < asyncio.run(talk(proxy.http_url)) < 30


@pytest.mark.parametrize(
    "flags, said",
    [
        ([], "--to is needed"),
        (["--to", "realtime.example"], "--to realtime.example: no scheme; write wss://realtime.example (or ws://, https://, http://)"),
        (["--to", "wss://realtime.example"], "--to: realtime.example is not this machine; if those who run it know of your test, add --i-may-proxy realtime.example"),
        (["--to", "ws://127.0.0.1:1/path"], "the path is the client's"),
        (["--to", "ftp://127.0.0.1:1"], "is wrong; expected an address as wss://"),
        (["--to", "ws://127.0.0.1:1", "--host", "0.0.0.0"], "add --allow-from NETWORK"),
        (["--to", "ws://0.0.0.0:1", "--i-may-proxy", "0.0.0.0", "--upstream-untrusted"], "--upstream-untrusted is for this machine"),
        (["--to", "ws://127.0.0.1:1", "--set-header", "a b=c"], "expected a field as"),
        (["--to", "ws://127.0.0.1:1", "--set-header", "Sec-WebSocket-Key=x"], "the proxy sets sec-websocket-key itself"),
        (["--to", "ws://127.0.0.1:1", "--tls-key", "x"], "are given together"),
        (["--to", "ws://127.0.0.1:1", "--upstream-ca", "/nowhere"], "--upstream-ca"),
    ])
def test_wrong_flags_are_refused_with_what_to_do(flags, said):
    done = subprocess.run([os.environ["POSTERN"], "proxy", *flags], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr, done.stderr


def test_only_named_networks_reach_a_proxy_that_listens_everywhere(server):
    with Proxy(server.http_url, "--host", "0.0.0.0", "--allow-from", "192.0.2.0/24") as proxy:
        assert curl(f"http://127.0.0.1:{proxy.port}/fixed")[1] == ["200"]


def status_of(proxy, **fields):
    """The status of a GET with these fields, and the proxy's error if it answers by itself."""
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
    connection.request("GET", "/echo", headers=fields)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers.get("postern-proxy")


def test_a_page_whose_name_was_pointed_here_does_not_reach_the_target(server):
    with Proxy(server.http_url, "--allowed-host", "proxy.test") as proxy:
        for host in ("evil.example", f"evil.example:{proxy.port}", "127.0.0.1.evil.example"):
            assert status_of(proxy, Host=host) == (403, "host_refused"), host
        for host in ("localhost", "10.0.2.2:1", "[::1]", "proxy.test:8080", "PROXY.TEST"):
            assert status_of(proxy, Host=host)[1] is None, host
        # The target decides about a page's origin, not the proxy.
        assert status_of(proxy, Origin="https://evil.example")[1] is None


def test_a_foreign_page_does_not_get_what_the_proxy_adds(server):
    with Proxy(server.http_url, "--set-header", "Authorization=Bearer mine") as proxy:
        assert status_of(proxy, Origin="https://evil.example") == (403, "origin_refused")
        assert status_of(proxy, Origin="null") == (403, "origin_refused")
        assert status_of(proxy, Origin="http://localhost:5173")[1] is None
        assert status_of(proxy)[1] is None

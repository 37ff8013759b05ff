"""Large bodies of requests through `postern proxy` arrive whole, with little memory."""

import asyncio
import http.client
import json
import socket
import time

import aiohttp
import pytest
from proxied import Proxy
from uploading import READ, Server, curl, digest, forget_peak, framing, peak, pieces

SIZES = [READ - 1, READ, READ + 1, 5 << 20]


@pytest.fixture(scope="module")
def server():
    with Server() as server:
        yield server


@pytest.fixture(scope="module")
def proxy(server):
    with Proxy(server.http_url, "--control-port", "0") as proxy:
        yield proxy


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_curls_uploads_arrive_whole(proxy, size, chunked, method):
    status, _, body = curl(proxy.http_url + "/sum", size, "-X", method, *framing(size, chunked))
    seen = json.loads(body)
    assert status == 200 and seen["sha256"] == digest(size) and seen["length"] == size
    # A small body was read whole, so its length is known.
    told = seen["fields"].get("content-length"), seen["fields"].get("transfer-encoding")
    assert told == ((None, "chunked") if chunked and size > READ else (str(size), None))
    assert "expect" not in seen["fields"] and seen["fields"]["via"].startswith("1.1 postern")


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_aiohttps_uploads_arrive_whole_one_after_the_other_on_one_connection(proxy, size, chunked):
    async def run():
        ports = set()
        trace = aiohttp.TraceConfig()
        trace.on_connection_create_end.append(lambda *_: note())

        async def note():
            ports.add(len(ports))

        async def body():
            for piece in pieces(size):
                yield piece

        async with aiohttp.ClientSession(trace_configs=[trace]) as session:
            for number in range(4):
                headers = {} if chunked else {"Content-Length": str(size)}
                expects = {"expect100": True} if number == 2 else {}
                async with session.post(proxy.http_url + "/sum", data=body(), headers=headers, **expects) as answer:
                    assert answer.status == 200 and (await answer.json())["sha256"] == digest(size)
                async with session.get(proxy.http_url + "/sum") as answer:
                    assert (await answer.json())["length"] == 0
        return ports

    assert asyncio.run(run()) == {0}


def test_connections_to_the_server_are_used_again_after_an_upload(server, proxy):
    async def run():
        async with aiohttp.ClientSession() as session:
            seen = []
            for method, size in [("POST", 1 << 20), ("GET", 0), ("PUT", 1 << 20), ("GET", 0)]:
                server.begun.clear()
                data = b"".join(pieces(size)) if size else None
                async with session.request(method, proxy.http_url + "/sum", data=data) as answer:
                    assert (await answer.json())["length"] == size
                seen += server.begun
            return seen

    first, second, third, fourth = asyncio.run(run())
    # A request that cannot be repeated has a connection of its own, which the next one may take.
    assert first == second != third and fourth in (second, third)


@pytest.mark.parametrize("chunked", [False, True])
def test_500_mib_leave_the_proxys_memory_as_it_was(server, chunked):
    size = 500 << 20
    with Proxy(server.http_url, "--control-port", "0") as proxy:
        assert curl(proxy.http_url + "/sum", 5 << 20, *framing(5 << 20, chunked))[0] == 200
        forget_peak(proxy)
        before = peak(proxy)
        status, _, body = curl(proxy.http_url + "/sum", size, *framing(size, chunked))
        assert status == 200 and json.loads(body) | {"sha256": digest(size), "length": size} == json.loads(body)
        assert peak(proxy) - before < 4 << 20, (before, peak(proxy))


def test_a_slow_server_stops_the_client(server):
    server.go_on.clear()
    with Proxy(server.http_url) as proxy, socket.create_connection(("127.0.0.1", proxy.port)) as client:
        assert curl(proxy.http_url + "/sum", 5 << 20)[0] == 200
        forget_peak(proxy)
        before, size, sent = peak(proxy), 64 << 20, 0
        client.sendall(b"PUT /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % size)
        client.settimeout(2)
        rest = b"".join(pieces(size))
        with pytest.raises(TimeoutError):
            while sent < size:
                sent += client.send(rest[sent:])
        # What the systems of all three hold, and 64 KiB.
        assert sent < 32 << 20
        assert peak(proxy) - before < 4 << 20
        server.go_on.set()
        client.settimeout(60)
        client.sendall(rest[sent:])
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert json.loads(answer.read())["sha256"] == digest(size)

"""The end of the routes of `postern proxy --spaces`: clients and requests end, and nothing is left behind."""

import asyncio
import contextlib
import http.client
import json
import os
import socket
import threading
import time

import aiohttp
import pytest
from proxied import Proxy, Route, WebServer, WebsocketsServer, web
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

OPTIONS = {"subprotocols": ["two"], "ping_interval": None, "compression": None, "proxy": None, "open_timeout": 60}


def test_deleting_a_route_ends_its_clients_and_its_waiting_requests_and_frees_its_port():
    waiting = threading.Event()

    def add(router):
        async def never(request):
            waiting.set()
            await asyncio.sleep(120)
            return web.Response()

        async def upgrade(request):
            opened = web.WebSocketResponse()
            await opened.prepare(request)
            async for _ in opened:
                pass
            return opened

        async def feed(request):
            answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await answer.prepare(request)
            await answer.write(b"data: 1\n\n")
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await asyncio.sleep(60)
            return answer

        router.add_get("/never", never)
        router.add_get("/socket", upgrade)
        router.add_get("/feed", feed)

    # Accepts connections, and never answers.
    with WebServer(add) as server, socket.create_server(("127.0.0.1", 0)) as mute, Proxy(None, "--spaces", "--control-port", "0") as proxy:
        mute.settimeout(60)
        route = Route(proxy, server.http_url)
        silent = Route(proxy, f"ws://127.0.0.1:{mute.getsockname()[1]}")

        async def run():
            async with aiohttp.ClientSession() as session:
                open_socket = await session.ws_connect(f"{route.url}/socket")
                stubborn = socket.create_connection(("127.0.0.1", route.made["port"]))
                stubborn.sendall(
                    b"GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                )
                feed = await session.get(f"{route.http_url}/feed")
                assert await feed.content.readline() == b"data: 1\n"
                never = asyncio.create_task(session.get(f"{route.http_url}/never"))
                dialling = asyncio.create_task(session.ws_connect(f"{silent.url}/"))
                # Is sent before the route is deleted.
                watch = http.client.HTTPConnection(proxy.control_url.removeprefix("http://"), timeout=90)
                body = json.dumps({"kind": "refreshed", "within_ms": 60_000})
                watch.request("POST", f"/spaces/{route.name}/journal/await", body, {"Content-Type": "application/json"})
                watching = asyncio.create_task(asyncio.to_thread(lambda: json.loads(watch.getresponse().read())))
                assert await asyncio.to_thread(waiting.wait, 60)
                dialled, _ = await asyncio.to_thread(mute.accept)
                while len(route.ask("GET", "/sessions")[1]["sessions"]) < 2:
                    await asyncio.sleep(0.05)
                ends = [asyncio.create_task(asyncio.to_thread(each.__exit__)) for each in (route, silent)]
                message = await open_socket.receive(timeout=60)
                assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1001)
                # Otherwise it would wait for a minute.
                answer = await asyncio.wait_for(never, 45)
                assert (answer.status, answer.headers["postern-proxy"]) == (503, "ending")
                with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
                    await asyncio.wait_for(dialling, 60)
                assert caught.value.status == 503
                await asyncio.wait_for(asyncio.gather(*ends), 60)
                assert (await asyncio.wait_for(watching, 45))["met"] is False
                watch.close()
                dialled.close()
                stubborn.close()
                feed.close()

        asyncio.run(run())
        for each in (route, silent):
            with pytest.raises(OSError):
                socket.create_connection(("127.0.0.1", each.made["port"]), timeout=5)
        assert proxy.ask("GET", "/spaces")[1]["spaces"] == []


def open_descriptors(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def threads(process):
    return len(os.listdir(f"/proc/{process.pid}/task"))


def test_a_thousand_routes_with_a_client_each_leave_nothing_behind():
    count = 1_000

    async def echo(socket):
        with contextlib.suppress(ConnectionClosed):
            async for message in socket:
                await socket.send(message)

    with WebsocketsServer(echo) as server, Proxy(None, "--spaces", "--control-port", "0") as proxy:
        def ask(method, path, body=None):
            status, answer = proxy.ask(method, path, body)
            assert status < 300, answer
            return answer

        def rounds():
            made = [ask("POST", "/spaces", {"upstream": server.url, "idle_s": 3600}) for _ in range(count)]
            assert len({route["port"] for route in made}) == count

            async def talk():
                async def one(route, number):
                    client = await connect(route["url"], **OPTIONS)
                    await client.send(f"hello {number}")
                    assert await client.recv() == f"hello {number}"
                    return client

                clients = []
                for start in range(0, count, 100):
                    clients += await asyncio.gather(*(one(route, start + n) for n, route in enumerate(made[start : start + 100])))
                return clients, asyncio.get_running_loop()

            async def run():
                clients, _ = await talk()
                busy = open_descriptors(proxy.process), proxy.memory()
                for route in made:
                    kinds = [line["kind"] for line in (await asyncio.to_thread(ask, "GET", f"/spaces/{route['name']}/journal"))["lines"]]
                    assert kinds == ["connection_opened", "message_in", "message_out"], kinds

                async def gone(client):
                    with contextlib.suppress(ConnectionClosed):
                        await client.recv()
                    return client.close_code

                leaving = [asyncio.create_task(gone(client)) for client in clients]
                for route in made:
                    assert (await asyncio.to_thread(ask, "DELETE", f"/spaces/{route['name']}"))["connections"] == 1
                assert set(await asyncio.wait_for(asyncio.gather(*leaving), 60)) == {1001}
                return busy

            return asyncio.run(run())

        # The first journal of the process opens the descriptors that measure its lateness.
        Route(proxy, server.url).__exit__()
        before = open_descriptors(proxy.process), threads(proxy.process)
        busy, most = rounds()
        deadline = time.monotonic() + 60
        while True:
            after = open_descriptors(proxy.process), threads(proxy.process)
            if (after[0] <= before[0] + 2 and after[1] <= before[1]) or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        print(f"{count} routes: {busy} descriptors and {most >> 20} MB; {after[0]} descriptors and {proxy.memory() >> 20} MB when they are gone")
        assert before[0] + 3 * count <= busy <= before[0] + 3 * count + 20
        # Two descriptors are opened once, for the first client of a journal, whatever the number of routes.
        assert after[0] <= before[0] + 2 and after[1] <= before[1], (before, after)
        assert ask("GET", "/spaces")["spaces"] == []

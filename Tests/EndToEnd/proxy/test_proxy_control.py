"""The control port of `postern proxy`: journal, sessions and orders, and which callers are refused."""

import asyncio
import http.client
import json
import os
import signal
import subprocess
import threading

import aiohttp
import pytest
from proxied import Proxy, WebServer, WebsocketsServer, web
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

OPTIONS = {"subprotocols": ["two"], "ping_interval": None, "compression": None, "proxy": None, "open_timeout": 60, "max_size": 8 << 20}
SECRET = "m4rk3d-s3cr3t"


@pytest.fixture(scope="module")
def server():
    with WebsocketsServer() as server:
        yield server


@pytest.fixture
def proxy(server):
    with Proxy(server.url, "--control-port", "0") as proxy:
        yield proxy


def test_ctl_journal_await_sessions_and_disconnect_work_on_a_proxy(server, proxy):
    async def conversation():
        async with connect(f"{proxy.url}/by-order", **OPTIONS) as client:
            await client.send("hello")
            assert await client.recv() == "hello"
            await client.send(b"\x00\x01")
            await client.recv()
            listed = await asyncio.to_thread(proxy.ctl, "sessions")
            assert "conn_0_1" in listed and "open" in listed
            await asyncio.to_thread(proxy.ctl, "disconnect", "--session", "conn_0_1", "--code", "4012", "--reason", "by order")
            with pytest.raises(ConnectionClosed):
                await client.recv()
            return client.close_code, client.close_reason

    assert asyncio.run(conversation()) == (4012, "by order")
    assert "closed" in proxy.ctl("await", "closed", "--within", "60s")
    assert server.ended("/by-order")[-1] == ("closed", 4012, "by order")
    lines = proxy.lines()
    kinds = [line["kind"] for line in lines]
    assert kinds == ["connection_opened", "message_in", "message_out", "message_in", "message_out", "ordered", "cut_off", "closed"]
    assert lines[0]["upstream_ms"] >= 0 and lines[0]["dialect"] == "blind"
    assert [(line["message"], line["bytes"]) for line in lines[1:5]] == [("text", 5), ("text", 5), ("binary", 2), ("binary", 2)]
    assert (lines[-1]["code"], lines[-1]["by"]) == (4012, "gateway")
    assert "message_in" in proxy.ctl("journal", "--kind", "message_in")
    assert "no session" in proxy.ctl("disconnect", "--session", "conn_0_9", status=1)
    assert "conn_0_1" not in proxy.ctl("sessions")


def test_a_message_is_said_to_the_client_or_by_a_fault_to_the_gateway(server, proxy):
    async def conversation():
        async with connect(f"{proxy.url}/room", **OPTIONS) as client:
            await client.send("hello")
            assert await client.recv() == "hello"
            await asyncio.to_thread(proxy.ctl, "say", "--session", "conn_0_1", "a notice")
            assert await client.recv() == "a notice"
            await asyncio.to_thread(proxy.ctl, "say", "--all", "another")
            assert await client.recv() == "another"
            # A server that echoes.
            await asyncio.to_thread(proxy.ctl, "fault", '{"fault": "say", "base64": "AAEC", "side": "upstream"}')
            assert await client.recv() == b"\x00\x01\x02"
            await asyncio.to_thread(proxy.ctl, "fault", '{"fault": "say", "text": "by a fault", "when": {"after": "message_in"}, "times": 1}')
            await client.send("now")
            assert {await client.recv(), await client.recv()} == {"now", "by a fault"}

    asyncio.run(conversation())
    said = [(line["kind"], line["bytes"]) for line in proxy.lines() if line.get("message") == "said"]
    assert said == [("message_out", 8), ("message_out", 7), ("message_in", 3), ("message_out", 10)]
    assert "needs_wire" in proxy.ctl("say", "--user", "ann", "a", status=1)
    assert "needs_wire" in proxy.ctl("say", "--all", "--mean", "request:refresh", status=1)


@pytest.mark.parametrize("end", ["client", "server", "client vanishes", "server vanishes"])
def test_the_journal_names_the_side_that_ended_a_connection(proxy, end):
    async def run():
        async with connect(proxy.url, **OPTIONS) as client:
            await client.send("hello")
            await client.recv()
            if end == "client":
                await client.close(4001, "mine")
            elif end == "client vanishes":
                client.transport.abort()
            else:
                await client.send("close 4002 yours" if end == "server" else "drop")
                await client.wait_closed()

    asyncio.run(run())
    line = proxy.await_line("closed")[0]
    wanted = {"client": (4001, "peer"), "server": (4002, "gateway"), "client vanishes": (1006, "transport"), "server vanishes": (1006, "gateway")}
    assert (line["code"], line["by"]) == wanted[end]


def test_refused_upgrades_requests_and_a_missing_gateway_have_their_lines():
    def refuse(connection, request):
        return connection.respond(401, "no\n") if "no" in request.path else None

    async def refused(url, status):
        with pytest.raises(InvalidStatus) as caught:
            await connect(url, **OPTIONS)
        assert caught.value.response.status_code == status

    with WebsocketsServer(process_request=refuse) as server, Proxy(server.url, "--control-port", "0") as proxy:
        asyncio.run(refused(f"{proxy.url}/no", 401))
        server.server.close()
        server.run(server.server.wait_closed())
        asyncio.run(refused(proxy.url, 502))
        lines = proxy.lines("upgrade_refused", "upstream_failed")
        assert [(line["kind"], line["status"]) for line in lines] == [("upgrade_refused", 401), ("upgrade_refused", 502), ("upstream_failed", 502)]
        assert lines[-1]["failure"] == "upstream_unreachable"


def test_orders_that_make_no_sense_at_a_proxy_are_refused_with_what_to_use(proxy):
    assert "needs_wire" in proxy.ctl("expire", "--user", "ann", status=1)
    assert "needs_wire" in proxy.ctl("refresh", "--all", status=1)
    assert "not_ours" in proxy.ctl("revoke", "--user", "ann", status=1)
    for path, status in [("/settings", 409), ("/horizon", 400), ("/spaces", 404), ("/spaces/t1/journal", 404), ("/metrics", 409)]:
        assert proxy.ask("GET", path)[0] == status, path
    assert "makes no routes" in proxy.ask("GET", "/spaces/t1/journal")[1]["error"]["message"]


def test_a_web_page_reaches_neither_journal_nor_faults(proxy):
    """DNS rebinding, a foreign origin, and a form's content types."""
    port = int(proxy.control_url.rpartition(":")[2])
    for fields in [{"Host": f"evil.example:{port}"}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/faults", b'{"fault": "reset"}', {"Content-Type": "application/json", **fields})
        assert connection.getresponse().status == 403, fields
        connection.close()
    status, _ = proxy.ask("POST", "/faults", b'{"fault": "reset"}', Content_Type="text/plain")
    assert status == 415
    status, _ = proxy.ask("GET", "/journal", Host=f"evil.example:{port}")
    assert status == 403
    assert proxy.ask("GET", "/faults")[1] == {"faults": []}


def test_a_control_port_off_loopback_needs_a_secret_and_asks_for_it(server, tmp_path):
    command = [os.environ["POSTERN"], "proxy", "--to", server.url, "--port", "0", "--control-port", "0", "--control-host"]
    done = subprocess.run([*command, "0.0.0.0"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--control-secret-file" in done.stderr
    done = subprocess.run([*command[:-3], "--control-host", "127.0.0.1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--control-port" in done.stderr
    file = tmp_path / "secret"
    file.write_text("long enough a secret for a control port")
    with Proxy(server.url, "--control-port", "0", "--control-secret-file", str(file)) as proxy:
        assert proxy.ask("GET", "/journal")[0] == 401
        assert proxy.ask("GET", "/journal", Authorization="Bearer wrong")[0] == 401
        assert proxy.ask("GET", "/journal", Authorization=f"Bearer {file.read_text()}")[0] == 200
        assert proxy.ask("GET", "/health")[0] == 200
        assert "connections" not in proxy.ctl("sessions", status=1)
        assert "SESSION" in proxy.ctl("sessions", "--control-secret-file", str(file))


def test_marked_secrets_are_in_no_line_and_no_log():
    def add(router):
        async def socket(request):
            opened = web.WebSocketResponse()
            await opened.prepare(request)
            async for message in opened:
                await opened.send_str(message.data)
            return opened

        async def token(request):
            return web.json_response({"token": SECRET})

        router.add_get("/socket", socket)
        router.add_post("/{rest:.*}", token)

    async def use(proxy):
        marked = {"Authorization": f"Bearer {SECRET}", "Cookie": f"session={SECRET}", "X-Api-Key": SECRET}
        async with aiohttp.ClientSession() as session:
            async with session.ws_connect(f"{proxy.http_url}/socket?access_token={SECRET}", headers=marked) as socket:
                for text in [json.dumps({"type": "login", "token": SECRET}), f'42["auth",{{"jwt":"{SECRET}"}}]', SECRET, f"CONNECT {SECRET}",
                             json.dumps({"data": f"a text with {SECRET} inside of it"}), json.dumps([SECRET + SECRET])]:
                    await socket.send_str(text)
                    await socket.receive()
            await session.post(f"{proxy.http_url}/auth/{SECRET}/token?key={SECRET}", headers=marked, json={"password": SECRET})

    with WebServer(add) as server, Proxy(server.http_url, "--control-port", "0", "--journal-payloads") as proxy:
        asyncio.run(use(proxy))
        proxy.fail(fault="drop", what="any:in", times=1)
        lines = proxy.lines(payloads=True)
        assert sum("payload" in line for line in lines) >= 6
        assert SECRET not in json.dumps(lines)
        assert SECRET not in proxy.ctl("journal", "--payloads") and SECRET not in proxy.said()
        assert {line["route"] for line in lines if line["kind"] == "http_answered"} == {"POST /auth/{id}/token"}


def test_two_controls_at_once_lose_no_order_and_no_message(server, proxy):
    """Two threads order and end faults and one reads the journal, while messages pass in both directions."""
    wrong, done = [], threading.Event()

    def orders(what):
        try:
            while not done.is_set():
                number = proxy.fail(fault="delay", what=what, by_ms=1)
                status, _ = proxy.ask("DELETE", f"/faults/{number}")
                if status != 200:
                    wrong.append(status)
        except Exception as error:
            wrong.append(error)

    def reads():
        try:
            while not done.is_set():
                assert proxy.lines()
                proxy.ctl("sessions")
        except Exception as error:
            wrong.append(error)

    async def traffic():
        async with connect(proxy.url, **OPTIONS) as client:
            for number in range(400):
                await client.send(f"{number}")
                assert await asyncio.wait_for(client.recv(), 60) == f"{number}"

    threads = [threading.Thread(target=orders, args=[what]) for what in ("any:in", "any:out")] + [threading.Thread(target=reads)]
    warm = asyncio.run(connect_once(proxy.url))
    assert warm is None
    for thread in threads:
        thread.start()
    try:
        asyncio.run(traffic())
    finally:
        done.set()
        for thread in threads:
            thread.join(timeout=60)
    assert not wrong
    assert proxy.ask("GET", "/faults")[1] == {"faults": []}


async def connect_once(url):
    async with connect(url, **OPTIONS):
        pass


@pytest.mark.parametrize("window", ["0s", "2s"])
def test_a_drain_closes_both_sides_and_ends_the_process(server, window):
    async def connected(proxy, count):
        clients = [await connect(proxy.url, **OPTIONS) for _ in range(count)]
        await asyncio.to_thread(proxy.ctl, "drain", "--window", window)
        for client in clients:
            await asyncio.wait_for(client.wait_closed(), 30)
        return {client.close_code for client in clients}

    with Proxy(server.url, "--control-port", "0") as proxy:
        assert asyncio.run(connected(proxy, 10)) == {1001}
        assert proxy.process.wait(timeout=30) == 0


def test_a_signal_ends_the_process_in_the_middle_of_a_drain(server):
    async def connected(proxy):
        async with connect(proxy.url, **OPTIONS) as client:
            await asyncio.to_thread(proxy.ctl, "drain", "--window", "10m")
            proxy.process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(client.wait_closed(), 60)
            return client.close_code

    with Proxy(server.url, "--control-port", "0") as proxy:
        assert asyncio.run(connected(proxy)) == 1001
        assert proxy.process.wait(timeout=30) == 0

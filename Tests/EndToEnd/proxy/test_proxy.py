"""What clients and servers see through `postern proxy`, compared with what they see without it."""

import asyncio
import socket
import struct
import threading
import time

import pytest
from proxied import CODES, Proxy, WebsocketsServer, fields
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus


@pytest.fixture(scope="module")
def server():
    with WebsocketsServer() as server:
        yield server


@pytest.fixture(scope="module")
def proxy(server):
    with Proxy(server.url) as proxy:
        yield proxy


def options(**more):
    return {"ping_interval": None, "max_size": 8 << 20, "compression": None, "proxy": None, "open_timeout": 60, "subprotocols": ["two"], **more}


PATH = "/room/ann%20b?token=a%2Bb+c&x=%C3%A4&empty="


async def conversation(url, says, **more):
    """Sends each message and waits for its answer. Returns what the client saw, and the close."""
    seen = []
    async with connect(url + PATH, **options(**more)) as client:
        seen.append((client.response.status_code, client.subprotocol, fields(client.response.headers.raw_items())))
        try:
            for message in says:
                await client.send(message)
                seen.append(await asyncio.wait_for(client.recv(), 60))
        except ConnectionClosed:
            pass
        if ends := not isinstance(says[-1], str) or not says[-1].startswith(("close", "drop")):
            await client.close(4007, "client's end é")
        await client.wait_closed()
        # The proxy itself answers the close frame, with the same code and without the reason.
        seen.append(("closed", client.close_code, "" if ends else client.close_reason))
    return seen


def both(server, proxy, says, **more):
    """What client and server saw, without the proxy and with it."""
    views = []
    for url in [server.url, proxy.url]:
        server.lives.pop(PATH, None)
        heard = asyncio.run(conversation(url, says, **more))
        life = server.ended(PATH)
        if any(isinstance(seen, str) and seen.startswith("close") for seen in life):
            life[-1] = (*life[-1][:2], "")
        views.append((heard, life))
    return views


LONG = "x" * 1_000_000


@pytest.mark.parametrize(
    "says",
    [["hello", "", "é€😀", b"", b"\x00\xff" * 50, LONG], ["a" * size for size in (125, 126, 65_535, 65_536)]],
    ids=["kinds", "sizes"])
def test_both_ends_see_the_same_messages_fields_and_close(server, proxy, says):
    more = {"subprotocols": ["nine", "two", "one"], "additional_headers": {"Authorization": "Bearer a.b.c", "X-Two": "a,  b", "Cookie": "a=1; b=2"}}
    direct, through = both(server, proxy, says, origin="https://app.example", **more)
    assert through == direct
    assert through[0][-1] == ("closed", 4007, "") and through[1][-1] == ("closed", 4007, "client's end é")


@pytest.mark.parametrize("code", CODES)
def test_every_close_code_of_the_server_reaches_the_client_with_its_text(server, proxy, code):
    direct, through = both(server, proxy, [f"close {code} going é"])
    assert through == direct
    assert through[0][-1] == ("closed", code, "going é")


@pytest.mark.parametrize("code", [1000, 1001, 3000, 4000, 4999])
def test_every_close_code_of_the_client_reaches_the_server_with_its_text(server, proxy, code):
    async def close():
        async with connect(f"{proxy.url}/{code}", **options()) as client:
            await client.close(code, "bye")

    asyncio.run(close())
    assert server.ended(f"/{code}")[-1] == ("closed", code, "bye")


def test_an_end_without_a_close_frame_stays_one_in_both_directions(server, proxy):
    direct, through = both(server, proxy, ["drop"])
    assert through == direct and through[0][-1][1] == 1006

    async def vanish():
        async with connect(f"{proxy.url}/vanishes", **options()) as client:
            await client.send("here")
            await client.recv()
            client.transport.abort()

    asyncio.run(vanish())
    assert server.ended("/vanishes")[-1] == ("closed", 1006, "")


@pytest.mark.parametrize("payload", ["x", "payload of a ping", ""])
def test_pings_and_pongs_go_end_to_end(server, proxy, payload):
    async def pinged():
        async with connect(proxy.url, **options()) as client:
            await client.send(f"ping {payload}")
            assert await asyncio.wait_for(client.recv(), 60) == "ponged"
            # The other direction: only the server can answer this.
            await asyncio.wait_for(await client.ping(payload.encode()), 60)

    asyncio.run(pinged())


def test_a_server_that_answers_no_ping_is_as_silent_as_without_the_proxy():
    async def deaf(socket):
        socket.transport.pause_reading()
        await asyncio.sleep(60)

    async def unanswered(url):
        async with connect(url, **options()) as client:
            waiting = await client.ping(b"anybody?")
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(waiting), 1)
            client.transport.abort()

    with WebsocketsServer(deaf) as server, Proxy(server.url) as proxy:
        asyncio.run(unanswered(proxy.url))


def test_a_refused_upgrade_arrives_with_its_status_fields_and_body():
    def refuse(connection, request):
        response = connection.respond(429, "slow down\n" * 100)
        response.headers["Retry-After"] = "7"
        response.headers["Set-Cookie"] = "a=1"
        response.headers["Set-Cookie"] = "b=2"
        return response

    async def refused(url):
        with pytest.raises(InvalidStatus) as caught:
            await connect(url, **options())
        response = caught.value.response
        return response.status_code, bytes(response.body), [field for field in fields(response.headers.raw_items()) if field[0] != "server"]

    with WebsocketsServer(process_request=refuse) as server, Proxy(server.url) as proxy:
        direct, through = asyncio.run(refused(server.url)), asyncio.run(refused(proxy.url))
        assert through == direct
        assert through[0] == 429 and ("retry-after", "7") in through[2] and [f for f in through[2] if f[0] == "set-cookie"] == [("set-cookie", "a=1"), ("set-cookie", "b=2")]


def test_a_server_that_is_not_there_is_told_from_one_that_refuses():
    # It keeps its port, and does not listen.
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    with taken, Proxy(f"ws://127.0.0.1:{port}") as proxy:
        with pytest.raises(InvalidStatus) as caught:
            asyncio.run(connect_once(proxy.url))
        response = caught.value.response
        assert response.status_code == 502 and response.headers["Postern-Proxy"] == "upstream_unreachable"
        assert response.body.decode() == f"502 upstream_unreachable: cannot connect to 127.0.0.1:{port}: Connection refused; check --to\n"
        deadline = time.monotonic() + 60
        while "upstream_unreachable" not in proxy.said() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "postern: 502 upstream_unreachable: cannot connect" in proxy.said()


async def connect_once(url):
    async with connect(url, **options()):
        pass


def test_a_message_above_the_limit_closes_both_sides_with_1009(server):
    with Proxy(server.url, "--message-bytes-max", "2048") as proxy:
        for direction in ["client", "server"]:
            async def send():
                async with connect(f"{proxy.url}/large/{direction}", **options()) as client:
                    with pytest.raises(ConnectionClosed):
                        if direction == "client":
                            await client.send("x" * 5000)
                        else:
                            await client.send("x" * 2048)
                            assert await client.recv() == "x" * 2048
                            await client.send("large 2049")
                        await client.recv()
                    return client.close_code

            assert asyncio.run(send()) == 1009
            assert server.ended(f"/large/{direction}")[-1][1] == 1009


@pytest.mark.parametrize("slow", ["client", "server"])
def test_a_slow_reader_stops_the_sender_and_nothing_is_lost_or_kept(slow):
    """Sends 32 MiB to a peer that does not read. The sender waits, the proxy's memory does not grow, and then everything
    arrives in order."""
    count, size = 512, 64 << 10
    sent, reads = {"server": 0}, threading.Event()

    async def peer(socket):
        if slow == "server":
            socket.transport.pause_reading()
            await asyncio.to_thread(reads.wait, 60)
            socket.transport.resume_reading()
            received = [struct.unpack("!I", (await socket.recv())[:4])[0] for _ in range(count)]
            await socket.send("in order" if received == list(range(count)) else "wrong")
            await socket.wait_closed()
            return
        for number in range(count):
            await socket.send(struct.pack("!I", number) + bytes(size))
            sent["server"] = number + 1
        await socket.close(4123, "all sent")

    async def run(proxy):
        async with connect(proxy.url, **options(max_queue=4)) as client:
            before = proxy.memory()
            if slow == "server":
                async def send():
                    for number in range(count):
                        await client.send(struct.pack("!I", number) + bytes(size))
                        sent["server"] = number + 1

                task = asyncio.create_task(send())
                await asyncio.sleep(2)
                stalled = sent["server"]
                grown = proxy.memory() - before
                reads.set()
                await asyncio.wait_for(task, 60)
                assert await asyncio.wait_for(client.recv(), 60) == "in order"
            else:
                client.transport.pause_reading()
                await asyncio.sleep(2)
                stalled = sent["server"]
                grown = proxy.memory() - before
                client.transport.resume_reading()
                received = []
                with pytest.raises(ConnectionClosed):
                    while True:
                        received.append(struct.unpack("!I", (await asyncio.wait_for(client.recv(), 60))[:4])[0])
                assert received == list(range(count))
                assert (client.close_code, client.close_reason) == (4123, "all sent")
            assert stalled < count, "the sender was never stopped"
            assert grown < 4 << 20

    with WebsocketsServer(peer, max_queue=4) as server, Proxy(server.url) as proxy:
        asyncio.run(run(proxy))


def test_many_numbered_messages_both_ways_keep_their_order(server, proxy):
    count = 20_000

    async def run():
        async with connect(proxy.url, **options()) as client:
            async def send():
                for number in range(count):
                    await client.send(f"n{number}" + "." * (number % 700))

            task = asyncio.create_task(send())
            for number in range(count):
                message = await asyncio.wait_for(client.recv(), 60)
                assert message == f"n{number}" + "." * (number % 700)
            await task

    asyncio.run(run())


def test_the_end_of_the_proxy_closes_both_sides_with_1001(server):
    async def run():
        proxy = Proxy(server.url)
        with proxy:
            client = await connect(f"{proxy.url}/end", **options())
            await client.send("here")
            await client.recv()
            proxy.process.terminate()
            with pytest.raises(ConnectionClosed):
                await asyncio.wait_for(client.recv(), 60)
            assert client.close_code == 1001
            await asyncio.to_thread(proxy.process.wait, 60)

    asyncio.run(run())
    assert server.ended("/end")[-1][:2] == ("closed", 1001)


def test_a_client_that_leaves_during_the_upgrade_takes_its_dial_along():
    with socket.create_server(("127.0.0.1", 0)) as silent, Proxy(f"ws://127.0.0.1:{silent.getsockname()[1]}") as proxy:
        silent.settimeout(60)
        with socket.create_connection(("127.0.0.1", proxy.port)) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
            dialled, _ = silent.accept()
            dialled.settimeout(60)
            assert dialled.recv(65536).startswith(b"GET / HTTP/1.1\r\n")
        assert dialled.recv(1) == b"", "the dial goes on without its client"
        dialled.close()

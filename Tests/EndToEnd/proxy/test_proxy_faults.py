"""Faults at `postern proxy`, seen by clients and servers of other projects."""

import asyncio
import json
import signal
import time

import aiohttp
import pytest
import socketio
from proxied import Proxy, WebServer, WebsocketsServer, web
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

OPTIONS = {"subprotocols": ["two"], "ping_interval": None, "compression": None, "proxy": None, "open_timeout": 60, "max_size": 8 << 20}


@pytest.fixture(scope="module")
def server():
    with WebsocketsServer() as server:
        yield server


@pytest.fixture(scope="module")
def running(server):
    with Proxy(server.url, "--control-port", "0") as proxy:
        yield proxy


@pytest.fixture
def proxy(running):
    yield running
    running.mend()


def heard(proxy, says, count):
    """Sends the messages one after the other. Returns the answers: exactly `count`, or all up to the end."""

    async def run():
        received = []
        async with connect(proxy.url, **OPTIONS) as client:
            for message in says:
                await client.send(message)
            try:
                while True:
                    received.append(await asyncio.wait_for(client.recv(), 60 if len(received) < count else 1))
            except (asyncio.TimeoutError, ConnectionClosed):
                return received, client.close_code

    return asyncio.run(run())


NUMBERS = [json.dumps({"type": "news", "n": number}) for number in range(1, 6)]


def numbers(received):
    return [json.loads(message)["n"] if message.endswith("}") else message for message in received]


@pytest.mark.parametrize("what", ["any:in", "any:out"])
@pytest.mark.parametrize(
    ("order", "wanted"),
    [
        ({"fault": "drop", "match": {"json": {"/n": 2}}}, [1, 3, 4, 5]),
        ({"fault": "drop", "when": {"nth": 3}, "times": 1}, [1, 2, 4, 5]),
        ({"fault": "delay", "by_ms": 5000, "match": {"json": {"/n": 1}}}, [2, 3, 4, 5, 1]),
        ({"fault": "duplicate", "match": {"json": {"/n": 4}}}, [1, 2, 3, 4, 4, 5]),
        ({"fault": "reorder", "match": {"json": {"/n": 4}}}, [1, 2, 3, 5, 4]),
        ({"fault": "replace", "text": "other", "match": {"json": {"/n": 5}}}, [1, 2, 3, 4, "other"]),
        ({"fault": "corrupt", "match": {"json": {"/n": 5}}}, [1, 2, 3, 4, '{"type": "ne']),
        ({"fault": "drop", "match": {"json": {"/type": "other"}}}, [1, 2, 3, 4, 5]),
        ({"fault": "drop", "who": {"connection": 2}}, [1, 2, 3, 4, 5]),
    ],
    ids=["drop", "nth", "delay", "duplicate", "reorder", "replace", "corrupt", "no match", "other connection"],
)
def test_a_message_meets_its_fate(proxy, what, order, wanted):
    proxy.fail(what=what, **order)
    received, _ = heard(proxy, NUMBERS, len(wanted))
    assert numbers(received) == wanted


def test_an_upgrade_is_refused_then_never_answered_then_accepted(server, proxy):
    proxy.fail(fault="refuse_upgrade", status=503, retry_after_s=2, times=1)
    proxy.fail(fault="never_answer", times=1)
    opened = server.opened

    async def run():
        with pytest.raises(InvalidStatus) as caught:
            await connect(proxy.url, **OPTIONS)
        answer = caught.value.response
        assert (answer.status_code, answer.headers["Retry-After"], answer.headers["Postern-Proxy"]) == (503, "2", "fault")
        with pytest.raises(TimeoutError):
            await connect(proxy.url, **{**OPTIONS, "open_timeout": 5})
        assert server.opened == opened
        async with connect(proxy.url, **OPTIONS):
            pass

    asyncio.run(run())


@pytest.mark.parametrize(
    ("order", "code"),
    [({"fault": "close_as", "codes": [4000], "code": 1011}, 1011), ({"fault": "abort", "codes": ["3999-4000"]}, 1006),
     ({"fault": "reset_instead"}, 1006), ({"fault": "abort", "codes": [4001]}, 4000)])
def test_the_servers_close_arrives_as_a_fault_says(proxy, order, code):
    proxy.fail(**order)
    assert heard(proxy, ["close 4000 ended"], 1)[1] == code


def test_a_close_of_the_client_reaches_the_server_as_a_fault_says(server, proxy):
    proxy.fail(fault="close_as", side="upstream", code=1011)

    async def run():
        async with connect(f"{proxy.url}/closes", **OPTIONS) as client:
            await client.close(1000)

    asyncio.run(run())
    assert server.ended("/closes")[-1][1] == 1011


def test_a_client_notices_missing_pongs_and_a_half_open_connection_by_itself(proxy):
    async def run(fault):
        async with connect(proxy.url, **{**OPTIONS, "ping_interval": 0.3, "ping_timeout": 1}) as client:
            await asyncio.sleep(1)
            number = await asyncio.to_thread(lambda: proxy.fail(fault=fault))
            with pytest.raises(ConnectionClosed):
                await asyncio.wait_for(client.recv(), 60)
            await asyncio.to_thread(lambda: proxy.ask("DELETE", f"/faults/{number}"))
            return client.protocol.close_sent.code

    assert asyncio.run(run("no_pongs")) == 1011
    assert asyncio.run(run("half_open")) == 1011


def test_a_server_notices_the_same_on_its_own_side():
    """The server pings. The client answers each ping, and its pongs are lost on the way."""
    with WebsocketsServer(ping_interval=0.3, ping_timeout=1) as server, Proxy(server.url, "--control-port", "0") as proxy:

        async def run(fault):
            async with connect(f"{proxy.url}/{fault}", **OPTIONS) as client:
                await asyncio.sleep(1)
                number = await asyncio.to_thread(lambda: proxy.fail(fault=fault, side="upstream"))
                await asyncio.to_thread(server.ended, f"/{fault}")
                await asyncio.to_thread(lambda: proxy.ask("DELETE", f"/faults/{number}"))
                client.transport.abort()

        for fault in ["no_pongs", "half_open", "stop_reading"]:
            asyncio.run(run(fault))


def test_reading_stops_and_continues_without_a_loss(proxy):
    async def run():
        async with connect(proxy.url, **OPTIONS) as client:
            number = await asyncio.to_thread(lambda: proxy.fail(fault="stop_reading"))
            await client.send("late")
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.recv(), 1)
            await asyncio.to_thread(lambda: proxy.ask("DELETE", f"/faults/{number}"))
            assert await asyncio.wait_for(client.recv(), 30) == "late"

    asyncio.run(run())


def test_answers_over_http_are_late_missing_or_others():
    calls = []

    def add(router):
        async def answer(request):
            calls.append(request.path)
            return web.json_response({"path": request.path})

        router.add_route("*", "/{rest:.*}", answer)

    async def run(proxy):
        async with aiohttp.ClientSession() as session:
            await asyncio.to_thread(lambda: proxy.fail(fault="answer_with", route="POST /token", status=429, retry_after_s=7, times=1))
            async with session.post(f"{proxy.http_url}/token") as answer:
                assert (answer.status, answer.headers["Retry-After"], answer.headers["Postern-Proxy"]) == (429, "7", "fault")
            assert calls == []
            async with session.post(f"{proxy.http_url}/token") as answer:
                assert answer.status == 200
            await asyncio.to_thread(lambda: proxy.fail(fault="answer_late", route="/slow", by_ms=1500, times=1))
            began = time.monotonic()
            async with session.get(f"{proxy.http_url}/slow/one") as answer:
                assert answer.status == 200 and time.monotonic() - began > 1.4
            number = await asyncio.to_thread(lambda: proxy.fail(fault="answer_never"))
            with pytest.raises(asyncio.TimeoutError):
                await session.get(f"{proxy.http_url}/", timeout=aiohttp.ClientTimeout(total=1))
            await asyncio.to_thread(lambda: proxy.ask("DELETE", f"/faults/{number}"))
            async with session.get(f"{proxy.http_url}/") as answer:
                assert answer.status == 200

    with WebServer(add) as server, Proxy(server.http_url, "--control-port", "0") as proxy:
        asyncio.run(run(proxy))


def test_every_known_fault_takes_its_example(proxy):
    known = proxy.ask("GET", "/faults/known")[1]["faults"]
    assert len(known) == 21
    for fault in known:
        proxy.fail(**fault["example"])
        proxy.mend()
    assert "drop" in proxy.ctl("faults", "--known")
    assert "not_ours" in proxy.ctl("fault", '{"fault": "rotate_keys"}', status=1)
    assert "use any:in or any:out" in proxy.ctl("fault", '{"fault": "drop", "what": "reply:refresh"}', status=1)


class Rooms:
    """A python-socketio server that answers each `say` with `said`, and counts its connections."""

    def __init__(self):
        self.sockets = socketio.AsyncServer(async_mode="aiohttp", ping_interval=1, ping_timeout=5)
        self.opened = 0

        @self.sockets.event
        async def connect(sid, environ, auth):
            self.opened += 1

        @self.sockets.event
        async def say(sid, text):
            await self.sockets.emit("said", text, to=sid)

    def add(self, router):
        async def socket(request):
            return await self.sockets.handle_request(request)

        router.add_route("*", "/socket.io/", socket)


def test_a_socketio_client_loses_one_event_comes_back_after_a_reset_and_after_missing_pings():
    rooms = Rooms()

    async def run(proxy):
        client = socketio.AsyncClient(reconnection_delay=0.1, reconnection_delay_max=0.2, randomization_factor=0)
        said, connects = [], []
        client.on("said", lambda text: said.append(text))
        client.on("connect", lambda: connects.append(time.monotonic()))

        async def until(condition):
            deadline = time.monotonic() + 60
            while not condition() and time.monotonic() < deadline:
                await asyncio.sleep(0.02)
            assert condition()

        await client.connect(proxy.http_url, transports=["websocket"])
        await asyncio.to_thread(lambda: proxy.fail(fault="drop", what="any:out", match={"prefix": '42["said","two"'}))
        for text in ["one", "two", "three"]:
            await client.emit("say", text)
        await until(lambda: said == ["one", "three"])
        await asyncio.to_thread(lambda: proxy.fail(fault="reset"))
        await until(lambda: len(connects) == 2)
        # The server's pings are the engine's own messages.
        number = await asyncio.to_thread(lambda: proxy.fail(fault="drop", what="any:out", match={"prefix": "2"}))
        await until(lambda: len(connects) == 3)
        await asyncio.to_thread(lambda: proxy.ask("DELETE", f"/faults/{number}"))
        await client.emit("say", "four")
        await until(lambda: said[-1] == "four")
        await client.disconnect()

    with WebServer(rooms.add) as server, Proxy(server.http_url, "--control-port", "0") as proxy:
        asyncio.run(run(proxy))
        assert rooms.opened == 3
        assert [line["fault"] for line in proxy.lines("faulted")][:2] == ["drop", "reset"]


@pytest.mark.parametrize("what", ["any:in", "any:out"])
def test_thousands_of_delayed_messages_arrive_in_their_order(proxy, what):
    proxy.fail(fault="delay", what=what, by_ms=700)
    says = [f"{number} " + "x" * 1000 for number in range(5000)]
    received, code = heard(proxy, says, len(says))
    assert [int(message.split()[0]) for message in received] == list(range(5000)) and code is None


def test_a_peer_that_never_reads_while_a_fault_holds_messages_costs_bounded_memory():
    """48 MiB for a client that does not read. All messages are delayed, and then all arrive."""
    count, size = 1500, 32 << 10

    def until_full(proxy):
        deadline = time.monotonic() + 60
        while not any(line.get("late_full") for line in proxy.lines("faulted")):
            assert time.monotonic() < deadline, len(proxy.lines("faulted"))
            time.sleep(0.1)

    async def flood(socket):
        for number in range(count):
            await socket.send(number.to_bytes(4, "big") + bytes(size))
        await socket.wait_closed()

    async def run(proxy):
        async with connect(proxy.url, **OPTIONS, max_queue=4) as client:
            before = proxy.memory()
            client.transport.pause_reading()
            await asyncio.to_thread(until_full, proxy)
            grown = proxy.memory() - before
            client.transport.resume_reading()
            received = [int.from_bytes((await asyncio.wait_for(client.recv(), 60))[:4], "big") for _ in range(count)]
            return grown, received

    with WebsocketsServer(flood) as server, Proxy(server.url, "--control-port", "0") as proxy:
        proxy.fail(fault="delay", what="any:out", by_ms=1000)
        grown, received = asyncio.run(run(proxy))
        assert sorted(received) == list(range(count))
        assert grown < 40 << 20


def test_a_signal_in_the_middle_of_faults_ends_both_sides_at_once(server):
    async def run(proxy):
        clients = [await connect(proxy.url, **OPTIONS) for _ in range(8)]
        waiting = asyncio.create_task(connect(proxy.url, **OPTIONS).__aenter__())
        for order in [{"fault": "delay", "what": "any:in", "by_ms": 60_000}, {"fault": "reorder", "what": "any:out"},
                      {"fault": "half_open", "side": "upstream"}, {"fault": "stop_reading"}, {"fault": "answer_never"}]:
            await asyncio.to_thread(lambda: proxy.fail(**order))
        for client in clients:
            await client.send("kept")
        await asyncio.to_thread(lambda: proxy.fail(fault="never_answer"))
        unanswered = asyncio.create_task(connect(proxy.url, **OPTIONS).__aenter__())
        await asyncio.sleep(0.5)
        proxy.process.send_signal(signal.SIGTERM)
        # Sooner than the messages that are held back for a minute.
        for client in clients:
            await asyncio.wait_for(client.wait_closed(), 45)
        assert proxy.process.wait(timeout=45) == 0
        for task in (waiting, unanswered):
            task.cancel()
        return {client.close_code for client in clients}

    with Proxy(server.url, "--control-port", "0") as proxy:
        assert asyncio.run(run(proxy)) <= {1001, 1006}


def test_faults_on_connections_that_are_closing_leave_none_behind(server, proxy):
    async def run():
        for _ in range(20):
            async with connect(proxy.url, **OPTIONS) as client:
                await client.send("close 4000 ended")
                orders = [asyncio.to_thread(lambda fault=fault, side=side: proxy.fail(fault=fault, side=side))
                          for fault in ("half_open", "reset", "stop_reading", "unfinished_close") for side in ("client", "upstream")]
                await asyncio.gather(*orders)
                client.transport.abort()
            await asyncio.to_thread(proxy.mend)
        async with connect(proxy.url, **OPTIONS) as client:
            await client.send("here")
            assert await asyncio.wait_for(client.recv(), 30) == "here"

    asyncio.run(run())
    deadline = time.monotonic() + 60
    while proxy.ask("GET", "/sessions")[1]["sessions"] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert proxy.ask("GET", "/sessions")[1]["sessions"] == []

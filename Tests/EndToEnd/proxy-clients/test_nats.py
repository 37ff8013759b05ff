"""nats-py before Debian's nats-server in operator mode, over WebSockets: lines in binary frames, cut anywhere."""

import asyncio
import time
from urllib.parse import urlsplit

import nats
import pytest
from nats_server import Nats
from transcripts import Between

LARGE = bytes(range(256)) * 2000
WIRE = ["--wire", "nats", "--journal-payloads"]


@pytest.fixture
def server(tmp_path):
    with Nats(tmp_path) as server:
        yield server


class Client:
    """A client of nats-py. `tokens` are those that it showed; `events` are the ends and returns of its connection."""

    def __init__(self, server, life=600):
        self.server, self.life = server, life
        self.tokens, self.events = [], []

    def token(self):
        self.tokens.append(self.server.token("ann", round(time.time() + self.life)))
        return bytearray(self.tokens[-1].encode())

    async def connect(self, url):
        async def lost():
            self.events.append("disconnected")

        async def returned():
            self.events.append("reconnected")

        async def closed():
            self.events.append("closed")

        async def failed(error):
            self.events.append(str(error))

        # The server asks for no signature with a bearer token.
        self.socket = await nats.connect(
            url, user_jwt_cb=self.token, signature_cb=lambda _: b"none", allow_reconnect=True, reconnect_time_wait=0.1, connect_timeout=60,
            disconnected_cb=lost, reconnected_cb=returned, closed_cb=closed, error_cb=failed)
        return self.socket

    async def await_event(self, word, count=1):
        deadline = time.monotonic() + 60
        while self.events.count(word) < count:
            assert time.monotonic() < deadline, self.events
            await asyncio.sleep(0.02)


async def session(server, url):
    """What one client sees: a subscription, messages with fields, a large one, a request and its answer."""
    client = Client(server)
    socket = await client.connect(url)
    seen = []
    news = await socket.subscribe("news.*")
    for number in range(20):
        await socket.publish("news.today", b"number %d" % number, headers={"N": str(number)})
    await socket.publish("news.large", LARGE)
    for _ in range(21):
        message = await news.next_msg(timeout=60)
        seen.append((message.subject, message.data, message.headers))

    async def answer(message):
        await message.respond(b"answer to " + message.data)

    await socket.subscribe("ask", cb=answer)
    seen.append((await socket.request("ask", b"me", timeout=60)).data)
    await socket.close()
    return seen


def test_nats_py_sees_the_same_through_the_proxy(server):
    direct = asyncio.run(session(server, server.url))
    assert direct[20][1] == LARGE and direct[21] == b"answer to me" and direct[3][2] == {"N": "3"}
    for flags in ([], WIRE):
        with Between(urlsplit(server.url).port, *flags) as between:
            assert asyncio.run(session(server, between.url)) == direct
            between.check_same()
            assert {kind for life in between.far.sockets() for kind, *_ in life[0][1:]} <= {"binary", "close"}
            if flags:
                shown = between.proxy.lines(payloads=True)
                assert [line["kind"] for line in shown if line["kind"] == "logged_in"]
                assert "eyJ" not in str(shown) and "eyJ" not in between.proxy.said()


async def renewed(server, url, life, expire=None):
    """What a client is told at the end of its token, and the tokens: by itself nats-py does not come back from that."""
    client = Client(server, life)
    await client.connect(url)
    if expire:
        await asyncio.to_thread(expire)
    await client.await_event("closed")
    # Whether nats-py reads the end of the connection before it closes it itself, is a matter of microseconds.
    ended = [event for event in client.events if event != "nats: unexpected EOF"]
    client.life = 600
    socket = await client.connect(url)
    news = await socket.subscribe("news")
    await socket.publish("news", b"again")
    assert (await news.next_msg(timeout=60)).data == b"again"
    await socket.close()
    return ended, client.tokens


def test_nats_py_is_told_the_same_at_the_end_of_its_token(server):
    async def both(url):
        return await asyncio.gather(renewed(server, server.url, 10), renewed(server, url, 10))

    with Between(urlsplit(server.url).port, *WIRE) as between:
        (direct, _), (ended, tokens) = asyncio.run(both(between.url))
        between.check_same()
        assert sorted(ended) == sorted(direct) and len(set(tokens)) == 2
        # The second connection may end for the proxy before the first.
        between.proxy.await_line("closed", 2)
        shown = [line for line in between.proxy.lines() if line.get("connection") == "conn_0_1"]
        end = next(line for line in shown if line["kind"] == "closed")
        told = [line["message"] for line in shown[: shown.index(end)] if line["kind"] == "message_out"]
        # nats-py closes its connection as soon as it is told. Its close may pass the proxy before the server's.
        assert told[-1] == "closing" and (end["by"] == "peer" or end["then"] == "renew"), (shown, between.far.sockets())
        assert len({line["token_fingerprint"] for line in between.proxy.lines("logged_in")}) == 2
    server.await_count("User Authentication Expired", 2)


def test_nats_py_is_told_by_the_proxy_that_its_token_expired(server):
    with Between(urlsplit(server.url).port, *WIRE) as between:

        def expire():
            between.proxy.await_line("logged_in")
            between.proxy.ctl("expire", "--all")

        _, tokens = asyncio.run(renewed(server, between.url, 600, expire))
        assert len(set(tokens)) == 2
    assert server.count("User Authentication Expired") == 0


@pytest.mark.parametrize("order", [{"fault": "reset"}, {"fault": "reset", "side": "upstream"}], ids=str)
def test_the_subscription_of_nats_py_goes_on_after_a_fault(server, order):
    async def main(between):
        client = Client(server)
        socket = await client.connect(between.url)
        news = await socket.subscribe("news")
        await socket.flush(60)
        await asyncio.to_thread(lambda: between.proxy.fail(**order, times=1))
        await client.await_event("reconnected")
        await socket.publish("news", b"after")
        assert (await news.next_msg(timeout=60)).data == b"after"
        await socket.close()

    with Between(urlsplit(server.url).port, *WIRE) as between:
        asyncio.run(main(between))


def test_one_message_to_nats_py_is_lost_by_its_content(server):
    async def main(between):
        client = Client(server)
        socket = await client.connect(between.url)
        news = await socket.subscribe("news")
        await socket.flush(60)
        await asyncio.to_thread(lambda: between.proxy.fail(fault="drop", what="any:out", match={"prefix": "MSG news"}, when={"nth": 2}, times=1))
        seen = []
        for number in range(3):
            await socket.publish("news", b"%d" % number)
            if number == 1:
                await asyncio.to_thread(lambda: between.proxy.await_line("faulted"))
            else:
                seen.append((await news.next_msg(timeout=60)).data)
        await socket.close()
        return seen

    with Between(urlsplit(server.url).port) as between:
        assert asyncio.run(main(between)) == [b"0", b"2"]

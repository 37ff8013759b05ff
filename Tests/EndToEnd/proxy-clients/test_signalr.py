"""signalrcore before aiosignalr's server on uvicorn: negotiate over HTTP, then records on a WebSocket."""

import logging
import threading
from urllib.parse import urlencode

import jwt
import pytest
from aiosignalr.messages import CloseMessage
from aiosignalr.server.asgi import asgi_app
from aiosignalr.server.hub import Hub
from aiosignalr.server.server import SignalRServer
from asgi_server import SECRET, Server, claims_of
from gateway import token as signed
from signalrcore.hub_connection_builder import HubConnectionBuilder
from transcripts import Between

WIRE = ["--wire", "signalr-json", "--journal-payloads"]


def token(life=600):
    return signed("ann", life, secret=SECRET)


def application(log):
    class Feed(Hub):
        async def echo(self, text: str) -> str:
            return f"you said {text}"

        async def news(self, count: int):
            for number in range(count):
                await self.clients.caller.send("news", number)

        async def end(self):
            """Ends the connection as a server does whose client's token expired."""
            connection = server.get_connection(self.context.connection_id)
            await connection.send(CloseMessage(allow_reconnect=True))
            await connection.close()

    server = SignalRServer(Feed)
    inner = asgi_app(server, path="/hub")

    async def application(scope, receive, send):
        if scope["type"] == "http" and scope["path"] == "/hub/negotiate":
            log["negotiated"] += 1
            try:
                claims_of(dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer "))
            except jwt.InvalidTokenError:
                log["refused"] += 1
                await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"7"), (b"x-why", b"expired")]})
                return await send({"type": "http.response.body", "body": b"expired"})
        await inner(scope, receive, send)

    return application


@pytest.fixture
def server():
    with Server(application) as server:
        server.port = int(server.url.rpartition(":")[2])
        server.http_url = f"http://127.0.0.1:{server.port}"
        yield server


class Client:
    def __init__(self, url, life=600):
        self.opened, self.closed, self.seen = threading.Event(), threading.Event(), []
        self.arrived = threading.Condition()
        self.held = token(life)
        self.hub = (
            HubConnectionBuilder()
            .with_url(f"{url}/hub?" + urlencode({"access_token": self.held}), options={"access_token_factory": lambda: self.held})
            .configure_logging(logging.CRITICAL)
            .build())
        self.hub.on_open(self.opened.set)
        self.hub.on_close(self.closed.set)
        self.hub.on("news", self.note)

    def note(self, arguments):
        with self.arrived:
            self.seen += arguments
            self.arrived.notify_all()

    def await_news(self, count):
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.seen) >= count, 60), self.seen

    def ask(self, text):
        """The answer to an invocation."""
        answers, answered = [], threading.Event()
        self.hub.send("echo", [text], lambda message: (answers.append(message.result), answered.set()))
        assert answered.wait(60)
        return answers

    def __enter__(self):
        self.hub.start()
        assert self.opened.wait(60)
        return self

    def __exit__(self, *_):
        self.hub.stop()


def session(url):
    with Client(url) as client:
        answers = client.ask("hello") + client.ask("x" * 20_000)
        client.hub.send("news", [30])
        client.await_news(30)
        client.hub.send("end", [])
        assert client.closed.wait(60)
        return answers, client.seen


def refusal(url):
    with pytest.raises(Exception) as caught:
        Client(url, -60).hub.start()
    # The library raises the error at the head. A client that left then could leave before the body has passed.
    return type(caught.value), str(caught.value).replace(url, ""), caught.value.read()


def test_signalrcore_sees_the_same_through_the_proxy(server):
    direct, refused = session(server.http_url), refusal(server.http_url)
    assert direct == (["you said hello", "you said " + "x" * 20_000], list(range(30))) and "401" in refused[1] and refused[2] == b"expired"
    with Between(server.port, *WIRE) as between:
        assert session(between.http_url) == direct
        assert refusal(between.http_url) == refused
        # It ends its connection as soon as it is told to come back.
        between.check_same(clients_leave=True)
        assert [answer[0] for _, answer in between.far.requests()].count("401") == 1
        shown = between.proxy.lines(payloads=True)
        assert "eyJ" not in str(shown) and "eyJ" not in between.proxy.said()
        ended = between.proxy.await_line("closed")[0]
        assert ended["user"] == "ann" and (ended["by"] != "gateway" or ended["then"] == "renew")
        assert [line["status"] for line in between.proxy.lines("http_answered")] == [200, 401]
    assert (server.log["negotiated"], server.log["refused"]) == (4, 2)


@pytest.mark.parametrize(
    ("order", "words", "asked"),
    [({"fault": "answer_with", "route": "POST /hub/negotiate", "status": 503}, "503", 0), ({"fault": "refuse_upgrade", "status": 401}, "401", 1)], ids=str)
def test_signalrcore_meets_a_refusal_of_the_proxy(server, order, words, asked):
    with Between(server.port, *WIRE) as between:
        between.proxy.fail(**order)
        with pytest.raises(Exception, match=words):
            Client(between.http_url).hub.start()
        assert server.log["negotiated"] == asked
        between.proxy.mend()
        with Client(between.http_url) as again:
            assert again.ask("after") == ["you said after"]


def test_signalrcore_loses_one_record_and_is_told_to_come_back(server):
    with Between(server.port, *WIRE) as between, Client(between.http_url) as client:
        between.proxy.fail(fault="drop", what="any:out", match={"json": {"/type": 1}}, when={"nth": 3}, times=1)
        client.hub.send("news", [10])
        client.await_news(9)
        assert client.seen == [0, 1, *range(3, 10)], between.far.sockets()
        assert "1 session" in between.proxy.ctl("expire", "--user", "ann")
        assert client.closed.wait(60)
        between.proxy.mend()
        with Client(between.http_url) as again:
            assert again.ask("me") == ["you said me"]
        lines = between.proxy.await_line("logged_in", 2)
        assert len({line["token_fingerprint"] for line in lines}) == 2


def test_the_server_sees_that_a_client_vanished(server):
    with Between(server.port) as between:
        with Client(between.http_url) as client:
            assert client.ask("me") == ["you said me"]
            between.proxy.fail(fault="reset", side="upstream")
            between.proxy.await_line("faulted")
        assert between.far.sockets()[0][0][-1][0] != "close"

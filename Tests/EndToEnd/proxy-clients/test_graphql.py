"""gql before strawberry-graphql on uvicorn: the server chooses the subprotocol, ends with 4401, 4403 and 4429, and keeps a subscription
running."""

import asyncio
import contextlib

import jwt
import pytest
import strawberry
from asgi_server import SECRET, Server, claims_of
from gateway import token as signed
from gql import Client, gql
from gql.transport.exceptions import TransportClosed, TransportConnectionFailed
from gql.transport.websockets import WebsocketsTransport
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from strawberry.asgi import GraphQL
from strawberry.exceptions import ConnectionRejectionError
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_WS_PROTOCOL
from transcripts import Between

TICKS = gql("subscription { ticks }")
WIRE = ["--wire", "graphql-transport-ws"]


def token(life=600):
    return signed("ann", life, secret=SECRET)


def application(*protocols):
    @strawberry.type
    class Query:
        hello: str = "world"

    @strawberry.type
    class Subscription:
        @strawberry.subscription
        async def ticks(self) -> int:
            for count in range(1_000_000):
                yield count
                await asyncio.sleep(0.02)

    class Application(GraphQL):
        async def on_ws_connect(self, context):
            try:
                claims_of((context["connection_params"] or {}).get("token", ""))
            except jwt.InvalidTokenError:
                raise ConnectionRejectionError({"why": "jwt"}) from None
            return await super().on_ws_connect(context)

    schema = strawberry.Schema(Query, subscription=Subscription)
    return lambda _: Starlette(routes=[WebSocketRoute("/graphql", Application(schema, subscription_protocols=protocols))])


@pytest.fixture(scope="module")
def server():
    with Server(application(GRAPHQL_TRANSPORT_WS_PROTOCOL)) as server:
        yield server


class Hurried(WebsocketsTransport):
    """A client with a deliberate fault: `inits` times it asks to begin before it subscribes."""

    inits = 1

    async def _send_init_message_and_wait_ack(self):
        for _ in range(self.inits - 1):
            await self._send('{"type": "connection_init", "payload": {"token": "%s"}}' % self.init_payload["token"])
        if self.inits:
            await super()._send_init_message_and_wait_ack()


def transport(url, life=600, kind=WebsocketsTransport):
    return kind(f"{url}/graphql", init_payload={"token": token(life)}, connect_args={"compression": None, "proxy": None}, ack_timeout=60, connect_timeout=60)


async def ticks(url, count, hook=None):
    """The subprotocol that the server chose, and the first ticks. `hook` is called with each, and may end it."""
    wire = transport(url)
    async with Client(transport=wire, fetch_schema_from_transport=False) as session:
        seen = []
        async with contextlib.aclosing(session.subscribe(TICKS)) as stream:
            async for answer in stream:
                seen.append(answer["ticks"])
                if hook and await hook(seen):
                    break
                if len(seen) == count:
                    break
        return wire.subprotocol, seen


async def ended(url, life=600, inits=1):
    """The code and the text of the close that ends a login or a subscription."""
    kind = type("Client", (Hurried,), {"inits": inits})
    wire = transport(url, life, kind)
    with pytest.raises((TransportConnectionFailed, TransportClosed)) as caught:
        async with Client(transport=wire, fetch_schema_from_transport=False) as session:
            async for _ in session.subscribe(TICKS):
                pass
    error = caught.value
    while error is not None and not hasattr(error, "rcvd"):
        error = error.__cause__ or error.__context__
    return error.rcvd.code, error.rcvd.reason


@pytest.mark.parametrize("protocol", [GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_WS_PROTOCOL])
def test_the_server_chooses_the_subprotocol_and_a_subscription_runs(protocol):
    with Server(application(protocol)) as server, Between(int(server.url.rpartition(":")[2])) as between:
        direct = asyncio.run(ticks(server.url, 50))
        assert direct == (protocol, list(range(50)))
        assert asyncio.run(ticks(between.url, 50)) == direct
        between.check_same()


@pytest.mark.parametrize(
    ("arguments", "code"), [({"inits": 0}, 4401), ({"life": -60}, 4403), ({"inits": 2}, 4429)], ids=["4401", "4403", "4429"])
def test_refusals_arrive_with_code_and_text(server, arguments, code):
    direct = asyncio.run(ended(server.url, **arguments))
    assert direct[0] == code and direct[1]
    with Between(int(server.url.rpartition(":")[2]), *WIRE) as between:
        assert asyncio.run(ended(between.url, **arguments)) == direct
        between.check_same()
        line = between.proxy.await_line("cut_off")[0]
        assert line["code"] == code and line["then"] == ("renew" if code == 4403 else "give_up")


def test_one_tick_is_lost_and_one_is_late(server):
    async def main(between):
        async def hook(seen):
            if seen == [0, 1, 2]:
                match = {"json": {"/type": "next"}}
                await asyncio.to_thread(lambda: between.proxy.fail(fault="drop", what="any:out", match=match, times=1))
                await asyncio.to_thread(lambda: between.proxy.await_line("faulted"))
                await asyncio.to_thread(lambda: between.proxy.fail(fault="delay", what="any:out", match=match, times=1, by_ms=4000))
            return seen[-1] < max(seen)

        return await ticks(between.url, 10_000, hook)

    with Between(int(server.url.rpartition(":")[2]), *WIRE) as between:
        _, seen = asyncio.run(main(between))
    lost = sorted(set(range(max(seen) + 1)) - set(seen))
    late = [number for at, number in enumerate(seen) if number < max(seen[: at + 1])]
    assert len(lost) == 1 and lost[0] >= 3 and len(late) == 1 and late[0] > lost[0], (lost, late)


def test_a_client_subscribes_again_after_the_proxy_expired_its_token(server):
    async def main(between):
        async def hook(seen):
            if seen == [0, 1]:
                assert "1 session" in await asyncio.to_thread(lambda: between.proxy.ctl("expire", "--user", "ann"))

        with pytest.raises((TransportConnectionFailed, TransportClosed)):
            await ticks(between.url, 10_000, hook)
        return await ticks(between.url, 5)

    with Between(int(server.url.rpartition(":")[2]), *WIRE) as between:
        assert asyncio.run(main(between)) == (GRAPHQL_TRANSPORT_WS_PROTOCOL, [0, 1, 2, 3, 4])
        logins = between.proxy.await_line("logged_in", 2)
        assert [line["user"] for line in logins] == ["ann", "ann"] and len({line["token_fingerprint"] for line in logins}) == 2
        assert between.proxy.lines("cut_off")[0]["code"] == 4403


@pytest.mark.parametrize(("order", "code"), [({"fault": "close_as", "codes": [4403], "code": 1011}, 1011), ({"fault": "abort", "codes": ["4400-4499"]}, None)], ids=str)
def test_a_refusal_arrives_as_a_fault_says(server, order, code):
    async def main(url):
        wire = transport(url, -60)
        with pytest.raises(TransportConnectionFailed) as caught:
            async with Client(transport=wire, fetch_schema_from_transport=False):
                pass
        return caught.value.__cause__.rcvd

    with Between(int(server.url.rpartition(":")[2]), *WIRE) as between:
        between.proxy.fail(**order)
        received = asyncio.run(main(between.url))
        assert (received and received.code) == code

"""Applications of three servers as people write them: they check the token, and end a session whose token is over.

Each counts what it did, to be held against what the storm says.
"""

import asyncio
import time

import jwt
import socketio
import strawberry
from asgi_server import SECRET, Server, claims_of
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from strawberry.asgi import GraphQL
from strawberry.exceptions import ConnectionRejectionError

def socket_io(log):
    """python-socketio: the token in the `auth` of the CONNECT, a DISCONNECT (41) at its end."""
    server = socketio.AsyncServer(async_mode="asgi", cors_allowed_origins="*")

    @server.event
    async def connect(sid, _, auth):
        try:
            claims = claims_of((auth or {}).get("token", ""))
        except jwt.ExpiredSignatureError:
            log["refused"] += 1
            raise socketio.exceptions.ConnectionRefusedError("jwt expired") from None
        except jwt.InvalidTokenError:
            log["barred"] += 1
            raise socketio.exceptions.ConnectionRefusedError("jwt invalid") from None
        log["accepted"] += 1

        async def end():
            await asyncio.sleep(claims["exp"] - time.time())
            if server.manager.is_connected(sid, "/"):
                log["over"] += 1
                await server.disconnect(sid)

        server.start_background_task(end)

    return socketio.ASGIApp(server)


def graphql(log):
    """strawberry: the token in `connection_init`, close 4403 for a bad one and at its end."""

    @strawberry.type
    class Query:
        hello: str = "world"

    @strawberry.type
    class Subscription:
        @strawberry.subscription
        async def ticks(self, info: strawberry.Info) -> int:
            socket = info.context["request"]
            count = 0
            while time.time() < socket.state.claims["exp"]:
                yield count
                count += 1
                await asyncio.sleep(min(0.5, max(0, socket.state.claims["exp"] - time.time())))
            log["over"] += 1
            await socket.close(4403, "token expired")

    class Application(GraphQL):
        async def on_ws_connect(self, context):
            try:
                context["request"].state.claims = claims_of((context["connection_params"] or {}).get("token", ""))
            except jwt.InvalidTokenError:
                log["refused"] += 1
                raise ConnectionRejectionError from None
            log["accepted"] += 1
            return await super().on_ws_connect(context)

    application = Application(strawberry.Schema(Query, subscription=Subscription))
    return Starlette(routes=[WebSocketRoute("/graphql", application)])


def close_1008(log):
    """Closes with 1008 whatever is wrong, and says in the text what it is."""

    async def feed(socket):
        await socket.accept()
        try:
            claims = claims_of(socket.query_params.get("token", ""))
        except jwt.InvalidTokenError:
            log["refused"] += 1
            return await socket.close(1008, '{"reason":"token expired"}')
        log["accepted"] += 1
        if log["accepted"] == 1:
            return await socket.close(1008, "banned")
        await asyncio.sleep(max(0, claims["exp"] - time.time()))
        log["over"] += 1
        await socket.close(1008, '{"reason":"token expired"}')

    return Starlette(routes=[WebSocketRoute("/ws", feed)])


def close_4401(log):
    """The commonest home-made wire: the token in the query, close 4401 for a bad one and at its end."""

    async def feed(socket):
        await socket.accept()
        try:
            claims = claims_of(socket.query_params.get("token", ""))
        except jwt.InvalidTokenError:
            log["refused"] += 1
            return await socket.close(4401)
        log["accepted"] += 1

        async def answer():
            async for message in socket.iter_json():
                if message == {"type": "ping"}:
                    await socket.send_json({"type": "pong"})

        reader = asyncio.create_task(answer())
        done, _ = await asyncio.wait([reader], timeout=max(0, claims["exp"] - time.time()))
        if not done:
            log["over"] += 1
            reader.cancel()
            await socket.close(4401)

    return Starlette(routes=[WebSocketRoute("/ws/feed/", feed)])


__all__ = ["SECRET", "Server", "close_1008", "close_4401", "graphql", "socket_io"]

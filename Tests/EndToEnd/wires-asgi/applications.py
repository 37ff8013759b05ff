"""Applications as people write them, on daphne: `python applications.py channels|signalr LOG` prints its port.

They check tokens, end a session whose token is over, and write what they did into LOG, a line each.
"""

import asyncio
import json
import sys
import time
from urllib.parse import parse_qs

import jwt

SECRET = "a secret of thirty-two bytes, or more"


def claims_of(token):
    """What a good token says; throws for any other."""
    return jwt.decode(token, SECRET, algorithms=["HS256"], options={"require": ["exp"], "verify_aud": False})


def note(word):
    with open(sys.argv[2], "a") as log:
        log.write(word + "\n")


def channels_application():
    """Django Channels: the token in the query, close 4401 for a bad one and at its end."""
    from django.conf import settings

    settings.configure(SECRET_KEY="x", ALLOWED_HOSTS=["*"], INSTALLED_APPS=[])
    import django

    django.setup()
    from channels.generic.websocket import AsyncJsonWebsocketConsumer
    from channels.routing import ProtocolTypeRouter, URLRouter
    from django.urls import path

    class Feed(AsyncJsonWebsocketConsumer):
        end = None

        async def connect(self):
            await self.accept()
            try:
                claims = claims_of(parse_qs(self.scope["query_string"].decode()).get("token", [""])[0])
            except jwt.InvalidTokenError:
                note("refused")
                return await self.close(4401)
            note("accepted")
            self.end = asyncio.get_running_loop().call_later(
                max(0, claims["exp"] - time.time()), lambda: asyncio.ensure_future(self.over())
            )

        async def over(self):
            note("over")
            await self.close(4401)

        async def receive_json(self, content):
            if content == {"type": "ping"}:
                await self.send_json({"type": "pong"})

        async def disconnect(self, _):
            if self.end:
                self.end.cancel()

    return ProtocolTypeRouter({"websocket": URLRouter([path("ws/feed/", Feed.as_asgi())])})


def signalr_application():
    """aiosignalr: the token at negotiate (401), a close that lets the client come back at its end."""
    from aiosignalr.messages import CloseMessage
    from aiosignalr.server.asgi import asgi_app
    from aiosignalr.server.hub import Hub
    from aiosignalr.server.server import SignalRServer

    class Feed(Hub):
        async def on_connected(self):
            connection = server.get_connection(self.context.connection_id)
            try:
                claims = claims_of(self.context.query_string.get("access_token", ""))
            except jwt.InvalidTokenError:
                note("barred")
                return await connection.abort()
            note("accepted")

            async def end():
                await asyncio.sleep(max(0, claims["exp"] - time.time()))
                if connection.has_transport:
                    note("over")
                    await connection.send(CloseMessage(allow_reconnect=True))
                    await connection.close()

            connection.end = asyncio.ensure_future(end())

    server = SignalRServer(Feed)
    inner = asgi_app(server, path="/hub")

    async def application(scope, receive, send):
        if scope["type"] == "http" and scope["path"] == "/hub/negotiate":
            note("negotiated")
            field = dict(scope["headers"]).get(b"authorization", b"").decode()
            try:
                claims_of(field.removeprefix("Bearer "))
            except jwt.InvalidTokenError:
                note("refused")
                await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"0")]})
                return await send({"type": "http.response.body", "body": b""})
        await inner(scope, receive, send)

    return application


def main():
    from daphne.server import Server

    application = {"channels": channels_application, "signalr": signalr_application}[sys.argv[1]]()

    def ready():
        port = server.listening_addresses[0][1]
        print(json.dumps({"url": f"ws://127.0.0.1:{port}"}), flush=True)

    server = Server(application, endpoints=["tcp:port=0:interface=127.0.0.1"], signal_handlers=True)
    # Once it listens.
    server.ready_callable = lambda: asyncio.get_event_loop().call_later(0.1, ready)
    server.run()


if __name__ == "__main__":
    main()

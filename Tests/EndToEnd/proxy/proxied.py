"""Servers of other projects as targets of `postern proxy`."""

import asyncio
import contextlib
import threading
import time

from aiohttp import WSCloseCode, WSMsgType, web
from proxy_process import Proxy, Route
from websockets.asyncio.server import serve

CODES = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4001, 4321, 4999]


class Loop:
    """An event loop on a thread of its own."""

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        return self

    def run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=60)

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(timeout=60)


class WebsocketsServer(Loop):
    """A server of the websockets library that does what a client's messages say. It records what it sees, by path."""

    def __init__(self, handler=None, **options):
        self.handler = handler or self.scripted
        self.options = {"subprotocols": ["one", "two"], "ping_interval": None, "max_size": 8 << 20, "compression": None, **options}
        self.lives, self.opened = {}, 0

    async def scripted(self, socket):
        request = socket.request
        seen = self.lives[request.path] = [("open", request.path, socket.subprotocol, fields(request.headers.raw_items()))]
        self.opened += 1
        try:
            async for message in socket:
                seen.append(message)
                word, _, rest = message.partition(" ") if isinstance(message, str) else ("", "", "")
                if word == "close":
                    code, _, text = rest.partition(" ")
                    await socket.close(int(code), text)
                elif word == "large":
                    await socket.send("y" * int(rest))
                elif word == "drop":
                    socket.transport.abort()
                elif word == "ping":
                    await (await socket.ping(rest.encode()))
                    seen.append(f"ponged {rest}")
                    await socket.send("ponged")
                else:
                    await socket.send(message)
        except Exception:
            pass
        finally:
            seen.append(("closed", socket.close_code, socket.close_reason))

    def ended(self, path):
        """What the newest connection to a path saw, once it has ended. Each test has its own path, because another test's
        connections may end late."""
        deadline = time.monotonic() + 60
        while not isinstance((life := self.lives.get(path, [None]))[-1], tuple) or life[-1][0] != "closed":
            assert time.monotonic() < deadline, f"{path} has not ended: {life}"
            time.sleep(0.01)
        return list(life)

    def __enter__(self):
        super().__enter__()
        self.server = self.run(self.start())
        self.port = self.server.sockets[0].getsockname()[1]
        self.url, self.http_url = f"ws://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.port}"
        return self

    async def start(self):
        return await serve(self.handler, "127.0.0.1", 0, **self.options)

    def __exit__(self, *_):
        self.server.close()
        super().__exit__()


class WebServer(Loop):
    """An aiohttp server of HTTP and WebSockets."""

    def __init__(self, add):
        self.add = add

    def __enter__(self):
        super().__enter__()
        self.run(self.start())
        return self

    async def start(self):
        application = web.Application(client_max_size=64 << 20)
        self.add(application.router)
        self.runner = web.AppRunner(application, shutdown_timeout=1)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", 0)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        self.url, self.http_url = f"ws://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.port}"

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.run(self.runner.cleanup())
        super().__exit__()


def fields(items):
    """Header fields without those of one connection, and without what a proxy adds."""
    own = {"host", "via", "connection", "upgrade", "sec-websocket-key", "sec-websocket-extensions", "sec-websocket-accept", "date"}
    return sorted((name.lower(), value) for name, value in items if name.lower() not in own)


__all__ = ["CODES", "Proxy", "Route", "WebServer", "WebsocketsServer", "WSCloseCode", "WSMsgType", "fields", "web"]

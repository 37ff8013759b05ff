"""Uploads through `postern proxy`: a server that reads them in pieces, and clients."""

import asyncio
import contextlib
import hashlib
import re
import socket
import subprocess
import threading
import time

import aiohttp
from proxied import WebServer, web

# The bytes that are read before the server is asked.
READ = 64 << 10
BLOCK = hashlib.sha512(b"upload").digest() * 1024


def pieces(length):
    """A body of that length."""
    while length:
        piece = BLOCK[: min(length, len(BLOCK))]
        yield piece
        length -= len(piece)


def digest(length):
    sum = hashlib.sha256()
    for piece in pieces(length):
        sum.update(piece)
    return sum.hexdigest()


class Server(WebServer):
    """Reads bodies in pieces. `begun`: the requests; `ended`: how the unfinished ones have ended."""

    def __init__(self):
        super().__init__(self.add_routes)
        self.begun, self.ended, self.paths, self.go_on = [], [], [], threading.Event()

    def add_routes(self, router):
        for name in ("sum", "slow", "refuse", "echo", "early", "die", "hold"):
            router.add_route("*", f"/{name}", getattr(self, name))

    async def sum(self, request):
        self.begun.append(request.transport.get_extra_info("peername"))
        self.paths.append(request.raw_path)
        sum, length = hashlib.sha256(), 0
        try:
            async for piece in request.content.iter_any():
                sum.update(piece)
                length += len(piece)
        except (ConnectionError, aiohttp.ClientError, asyncio.CancelledError) as error:
            self.ended.append((type(error).__name__, length))
            raise
        shown = {"sha256": sum.hexdigest(), "length": length, "fields": {name.lower(): value for name, value in request.headers.items()}}
        return web.json_response(shown)

    async def slow(self, request):
        """Reads nothing until it may go on."""
        while not self.go_on.is_set():
            await asyncio.sleep(0.02)
        return await self.sum(request)

    async def hold(self, request):
        """Reads, and waits for the client to leave."""
        self.begun.append(request.path)
        with contextlib.suppress(Exception):
            async for _ in request.content.iter_any():
                pass
        self.ended.append(request.path)
        return web.Response()

    async def refuse(self, request):
        await request.content.readany()
        return web.Response(status=413, text="too much for me", headers={"X-Own": "1"})

    async def early(self, request):
        """Answers in pieces, before it has read the body, and reads the body meanwhile."""
        answer = web.StreamResponse()
        await answer.prepare(request)
        await answer.write(b"begun ")
        length = 0
        async for piece in request.content.iter_any():
            length += len(piece)
        await answer.write(str(length).encode())
        return answer

    async def echo(self, request):
        answer = web.StreamResponse()
        await answer.prepare(request)
        async for piece in request.content.iter_any():
            await answer.write(piece)
        return answer

    async def die(self, request):
        await request.content.readany()
        request.transport.abort()
        return web.Response()


def forget_peak(proxy):
    """Begins to measure the largest resident size."""
    with open(f"/proc/{proxy.process.pid}/clear_refs", "w") as file:
        file.write("5")


def peak(proxy):
    """The largest resident size that the process has had since then."""
    with open(f"/proc/{proxy.process.pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) << 10


def curl(url, length, *flags):
    """The status, the fields and the body of the answer to an upload from a pipe, which curl sends in chunks unless a flag says the length."""
    command = ["curl", "-s", "-i", "--max-time", "300", "-T", "-", *flags, url]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def feed():
        with contextlib.suppress(BrokenPipeError), process.stdin:
            for piece in pieces(length):
                process.stdin.write(piece)

    feeding = threading.Thread(target=feed, daemon=True)
    feeding.start()
    said = process.stdout.read()
    process.wait(310)
    feeding.join(60)
    while said.startswith(b"HTTP/1.1 100"):
        said = said.partition(b"\r\n\r\n")[2]
    head, _, body = said.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    fields = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines[1:]}
    return int(lines[0].split(" ")[1]), fields, body


def framing(length, chunked):
    """The flags of curl; the method of -T is PUT."""
    return [] if chunked else ["-H", f"Content-Length: {length}", "-H", "Transfer-Encoding:"]


def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def connections(proxy, port):
    """The established connections of the process with that port on one of their ends."""
    done = subprocess.run(["ss", "-Htnp", "state", "connected", f"( sport = :{port} or dport = :{port} )"], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if f"pid={proxy.process.pid}," in line]


def refused(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=60):
        return False
    return True

"""A token endpoint with a known number of workers and a known time for each token, on a free port of loopback."""

import asyncio
import threading
import time

READ_ENDS = (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError)


class WorkerEndpoint:
    """`workers` tokens are made at once, each takes `seconds`. At most `queue` requests wait; further ones are answered 503.

    `rate` is what it really made: a busy machine wakes a worker late.
    """

    def __init__(self, workers, seconds, queue=1_000_000, retry_after=None):
        self.workers, self.seconds, self.queue = workers, seconds, queue
        self.refusal = b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n"
        self.refusal += b"" if retry_after is None else b"retry-after: %d\r\n" % retry_after
        self.waiting = self.made = self.refused = self.waited = 0
        self.busy = 0.0
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self.serve(),), daemon=True)

    def __enter__(self):
        self.thread.start()
        assert self.ready.wait(60)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.ended.set)
        self.thread.join(60)

    @property
    def rate(self):
        return self.workers / (self.busy / self.made)

    async def serve(self):
        self.places = asyncio.Semaphore(self.workers)
        self.ended = asyncio.Event()
        server = await asyncio.start_server(self.connection, "127.0.0.1", 0, backlog=4096)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self.ready.set()
        await self.ended.wait()
        server.close()

    async def connection(self, reader, writer):
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(await self.answer())
                await writer.drain()
        except READ_ENDS:
            pass
        finally:
            writer.close()

    async def answer(self):
        if self.places.locked():
            if self.waiting >= self.queue:
                self.refused += 1
                return self.refusal + b"\r\n"
            self.waited += 1
        self.waiting += 1
        await self.places.acquire()
        self.waiting -= 1
        began = time.monotonic()
        await asyncio.sleep(self.seconds)
        self.places.release()
        self.busy += time.monotonic() - began
        self.made += 1
        body = b'{"token": "a"}'
        return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body

"""A TCP relay before a Redis server, which can delay what passes or hold all of it."""

import asyncio
import contextlib
import random
import threading

from redis_sentinel import free_port

LATENCY = 0.2  # Seconds each way in mode slow.
LATE = 0.05  # The share of chunks that are later still, by LATENCY to twice that.


class Relay:
    """One relay on a free loopback port, in a thread of its own; ends with the `with` block.

    Its modes:

        pass    everything passes at once
        slow    200 ms later each way, and 200 to 400 ms more for a twentieth of the chunks; the order is kept
        cut     nothing passes, as when a cable is cut. What was sent meanwhile, also the end of a connection, arrives
                afterwards, as TCP repeats it
    """

    def __init__(self, target):
        self.target, self.port, self.mode = target, free_port(), "pass"
        self.is_ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.serve()))

    def __enter__(self):
        self.thread.start()
        if not self.is_ready.wait(30):
            raise RuntimeError("the relay does not start")
        return self

    def __exit__(self, *_):
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.is_over.set)
        self.thread.join()

    def set(self, mode):
        self.mode = mode
        self.loop.call_soon_threadsafe(self.is_whole.set if mode != "cut" else self.is_whole.clear)

    async def serve(self):
        self.loop, self.tasks = asyncio.get_running_loop(), set()
        self.is_over, self.is_whole = asyncio.Event(), asyncio.Event()
        self.is_whole.set()
        server = await asyncio.start_server(self.relay, "127.0.0.1", self.port)
        self.is_ready.set()
        await self.is_over.wait()
        server.close()
        for task in self.tasks:
            task.cancel()

    async def relay(self, reader, writer):
        self.tasks.add(task := asyncio.current_task())
        upstream = None
        try:
            await self.is_whole.wait()
            there, upstream = await asyncio.open_connection("127.0.0.1", self.target)
            await asyncio.gather(self.pump(reader, upstream), self.pump(there, writer))
        except OSError:
            pass
        except asyncio.CancelledError:
            if not self.is_over.is_set():
                raise
        finally:
            for one in (writer, upstream):
                if one:
                    one.close()
            self.tasks.discard(task)

    async def pump(self, reader, writer):
        """One direction: what comes, and its end, in order."""
        queue = asyncio.Queue(1000)
        taker = asyncio.create_task(self.take(reader, queue))
        self.tasks.add(taker)
        try:
            while True:
                due, chunk = await queue.get()
                await asyncio.sleep(due - self.loop.time())
                await self.is_whole.wait()
                if not chunk:
                    return writer.write_eof()
                writer.write(chunk)
                await writer.drain()
        finally:
            taker.cancel()
            self.tasks.discard(taker)

    async def take(self, reader, queue):
        due = 0
        while True:
            try:
                chunk = await reader.read(65_536)
            except OSError:
                chunk = b""
            due = max(due, self.loop.time() + self.delay())
            await queue.put((due, chunk))
            if not chunk:
                return

    def delay(self):
        if self.mode != "slow":
            return 0
        return LATENCY + (random.uniform(LATENCY, 2 * LATENCY) if random.random() < LATE else 0)

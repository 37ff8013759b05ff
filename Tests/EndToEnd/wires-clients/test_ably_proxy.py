"""Ably's client as it is, in MessagePack, through `postern proxy` to a gateway that it takes for Ably's own."""

import asyncio
import json
import os
import re
import subprocess
from types import SimpleNamespace

from described import serving
from gateway import Gateway, token
from orders import get, lines, order


def proxy(to, *flags):
    process = subprocess.Popen(
        [os.environ["POSTERN"], "proxy", "--to", to, "--port", "0", "--control-port", "0", *flags], stdout=subprocess.PIPE, text=True)
    text = process.stdout.readline() + process.stdout.readline()
    return SimpleNamespace(
        process=process, port=int(re.search(r"ready +ws://127.0.0.1:(\d+)", text)[1]), control_url=re.search(r"control +(http://[^;\s]+)", text)[1])


async def until(met):
    while not await asyncio.to_thread(met):
        await asyncio.sleep(0.05)


def test_ably_is_read_in_messagepack_by_a_proxy_and_meets_its_faults(tmp_path):
    from ably import AblyRealtime

    asked, events = [], []

    async def auth(_):
        asked.append(token("ann", 600))
        return asked[-1]

    async def main(between):
        def kinds():
            return [line["kind"] for line in lines(between)]

        # The first publication is lost on its way. The client takes the answer to the second for one to both.
        order(between, "/faults", {"fault": "drop", "what": "any:in", "match": {"json": {"/action": 15, "/msgSerial": 0}}, "times": 1})
        client = AblyRealtime(auth_callback=auth, realtime_host=f"127.0.0.1:{between.port}", tls=False)
        assert client.options.use_binary_protocol
        await asyncio.wait_for(client.connection.once_async("connected"), 60)
        channel = client.channels.get("room")
        await asyncio.wait_for(channel.attach(), 60)
        await channel.subscribe(lambda message: events.append(message.data))
        lost = asyncio.create_task(channel.publish("name", "lost"))
        await until(lambda: kinds().count("faulted") == 1)
        await asyncio.wait_for(channel.publish("name", {"bytes": 1}), 60)
        await asyncio.wait_for(lost, 60)
        # A message of an operator's is MessagePack to the client, with bytes that JSON lacks.
        message = {"action": 15, "channel": "room", "id": "1:0", "messages": [{"name": "x", "data": {"$base64": "AP8="}}]}
        order(between, "/users/ann/say", {"text": json.dumps(message)})
        await until(lambda: events)
        assert events == [bytearray(b"\x00\xff")] or events == [b"\x00\xff"], events
        # The proxy asks in the gateway's words, and the client's answer goes to the gateway.
        order(between, "/users/ann/expire", {})
        await until(lambda: kinds().count("refreshed") == 1)
        await client.close()

    with Gateway(*serving("ably-msgpack", tmp_path), loops=1) as gateway:
        between = proxy(gateway.url, "--wire", "ably-msgpack", "--journal-payloads")
        try:
            asyncio.run(asyncio.wait_for(main(between), 90))
            journal = get(between, "/journal?limit=1000&payloads=true")["lines"]
        finally:
            between.process.terminate()
            between.process.wait(60)
            between.process.stdout.close()
        assert "refreshed" in [line["kind"] for line in lines(gateway)]
    kinds = [line["kind"] for line in journal]
    assert kinds.count("logged_in") == 1 and kinds.count("refreshed") == 1, kinds
    assert next(line["user"] for line in journal if line["kind"] == "logged_in") == "ann"
    shown = "\n".join(line.get("payload", "") for line in journal)
    assert '"auth":{"accessToken":"(redacted)"}' in shown and '"action":4' in shown and '"action":15' in shown, shown
    assert len(asked) == 2 and not any(token in shown or token[:20] in shown for token in asked)

"""`postern serve --wire`: signs of life in the words of the wire."""

import asyncio
import json

import websockets
from gateway import Gateway, token
from orders import counts_of


def test_a_client_that_sends_pings_and_messages_still_gets_the_wires_pings(wires, tmp_path):
    """centrifuge-python sends pings of the protocol every 20 s, and gives a connection up that has had none of Centrifugo's for 35 s."""
    quick = tmp_path / "quick.json"
    quick.write_text((wires / "centrifugo.json").read_text().replace('"ping_every": "25s"', '"ping_every": "1s"').replace('"ping": 25', '"ping": 1'))

    async def main(url):
        async with websockets.connect(url + "/connection/websocket", ping_interval=0.2, ping_timeout=None) as client:
            await client.send(json.dumps({"id": 1, "connect": {"token": token("ann", 600)}}))
            assert "connect" in json.loads(await client.recv())
            pings = 0
            while pings < 3:
                pings += await asyncio.wait_for(client.recv(), 30) == "{}"
                await client.send("{}")

    with Gateway("--wire", str(quick), "--journal", loops=1) as gateway:
        asyncio.run(main(gateway.url))
        assert counts_of(gateway)["cut_off"] == 0

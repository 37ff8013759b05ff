"""Stream's own WebSocket client, as conformance runs start it. Its program asks the provider when the gateway says that the
token is no good. The client itself never asks for another."""

import asyncio
import os
import sys

from conform_token import conform_token
from getstream import AsyncStream
from getstream.video.rtc.coordinator.ws import StreamAPIWS

USER = os.environ["POSTERN_USER"]


async def main():
    client = AsyncStream(
        api_key=os.environ["POSTERN_API_KEY"], api_secret="of nobody's, for no server is asked", base_url=os.environ["POSTERN_HTTP_URL"]
    )
    socket = StreamAPIWS(
        client.video.call("default", "standup"), {"id": USER}, uri=os.environ["POSTERN_URL"],
        user_token=os.environ["POSTERN_TOKEN"],
    )

    def renew(*_):
        try:
            socket.user_token = conform_token()
        except OSError as error:
            print("provider:", error, file=sys.stderr)

    socket.on("connection.error", renew)
    while True:
        try:
            await socket.connect()
            break
        except Exception as error:
            print("connect:", error, file=sys.stderr)
            await asyncio.sleep(1)
    await asyncio.sleep(3600)


asyncio.run(main())

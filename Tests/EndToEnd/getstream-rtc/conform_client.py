"""Stream's SDK for participants, as conformance runs start it. It joins a call. When the SDK gives up, its program joins again
with a new token. A token cannot be changed while a client lives."""

import asyncio
import os
import sys

from conform_token import conform_token
from getstream_rtc import CallingState, Client
from getstream_rtc.errors import RustError

USER = os.environ["POSTERN_USER"]


async def main():
    token = os.environ["POSTERN_TOKEN"]
    while True:
        client = Client(
            os.environ["POSTERN_API_KEY"], token=token, base_url=os.environ["POSTERN_HTTP_URL"],
            ws_url=os.environ["POSTERN_URL"],
        )
        call = client.call("default", "standup")
        try:
            await call.join(USER)
            print("joined", flush=True)
            while call.calling_state not in (CallingState.LEFT, CallingState.RECONNECTING_FAILED):
                await asyncio.sleep(0.05)
            print("ended:", int(call.calling_state), flush=True)
        except RustError as error:
            print("join:", type(error).__name__, error, flush=True)
        await asyncio.sleep(1)
        try:
            token = conform_token()
        except OSError as error:
            print("provider:", error, file=sys.stderr)


asyncio.run(main())

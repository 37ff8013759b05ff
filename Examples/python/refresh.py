#!/usr/bin/env python3
"""A client of Postern's plain dialect: connects, and answers each refresh request with a new token.

    python3 Examples/python/refresh.py --user ann

Needs the library `websockets`. The tokens are the gateway's own token provider's.
"""

import argparse
import json
import os
import urllib.request
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def new_token(gateway, user):
    """Asks the token provider, as an application asks its own server."""
    order = json.dumps({"user_id": user, "life_s": 3600}).encode()
    with urllib.request.urlopen(f"http://{gateway}/v1/tokens", order, timeout=10) as answer:
        return json.load(answer)["token"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # `postern ctl conform` says in the environment where to connect, and as whom.
    gateway = urlsplit(os.environ.get("POSTERN_URL", "ws://127.0.0.1:8080")).netloc
    arguments.add_argument("--gateway", default=gateway, metavar="HOST:PORT")
    arguments.add_argument("--user", default=os.environ.get("POSTERN_USER", "ann"))
    arguments.add_argument("--refreshes", type=int, metavar="N", help="leave after so many refreshes (default: stay)")
    options = arguments.parse_args()

    refreshes = 0
    with connect(f"ws://{options.gateway}/v1/connect") as socket:
        socket.send(json.dumps({"type": "connect", "token": new_token(options.gateway, options.user)}))
        while refreshes != options.refreshes:
            try:
                message = json.loads(socket.recv())
            except ConnectionClosed as closed:
                raise SystemExit(f"closed: {closed}")
            match message["type"]:
                case "connected":
                    print(f"connected as {options.user}: {message['connection_id']}", flush=True)
                case "refresh_required":
                    print(f"asked for a new token within {message['timeout_ms'] / 1000:g} s", flush=True)
                    token = new_token(options.gateway, options.user)
                    socket.send(json.dumps({"type": "refresh", "token": token}))
                case "refreshed":
                    refreshes += 1
                    print("refreshed on the same connection", flush=True)
                case "error":
                    print(f"error {message['error']['number']}: {message['error']['name']}", flush=True)
                case "closing":
                    print(f"closing: {message['reason']['name']}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
    except OSError as error:
        raise SystemExit(f"no gateway or token provider: {error}")

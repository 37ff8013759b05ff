"""Fetches a new token for a client under test from the provider of its conformance run. Uses the standard library only, since
clients bring their own environments."""

import json
import os
import urllib.request


def conform_token():
    order = {"user_id": os.environ["POSTERN_USER"], "scheme": os.environ["POSTERN_TOKEN_SCHEME"]}
    request = urllib.request.Request(
        os.environ["POSTERN_TOKEN_URL"], json.dumps(order).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
        return json.load(answer)["token"]

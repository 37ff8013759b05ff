"""A new token for a client under test, asked of the provider of its conformance run; with nothing but the standard library, for
clients bring their own."""

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

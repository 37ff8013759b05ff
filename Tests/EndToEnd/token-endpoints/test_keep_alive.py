"""`keep_alive` of a description: requests that share connections, with an endpoint that keeps them."""

import json
import time

import jwt
import pytest
import storms
from http_server import HTTPServer

CLIENTS = 40
SECRET = "a secret of thirty-two bytes, or more"


def give(request):
    user = json.loads(request.body)["user"]
    return json.dumps({"token": jwt.encode({"sub": user, "exp": int(time.time()) + 5}, SECRET)}).encode()


def storm(tmp_path, url, keep_alive):
    path = tmp_path / "tokens.json"
    path.write_text(
        json.dumps({
            "tokens": 1, "users": {"template": "load-{{number}}"}, "keep_alive": keep_alive,
            "request": {"url": "/token", "json": {"user": "{{user}}"}}, "answer": {"token": "/token", "end": "jwt"},
        })
    )
    flags = ["--provider-only", "--tokens", str(path), "--provider", url, "--clients", str(CLIENTS), "--rate", "100"]
    return storms.run(*flags, "--fetches", "4", "--timeout", "30s")


@pytest.mark.parametrize("keep_alive", [True, False])
def test_connections_are_shared_if_the_description_says_so(tmp_path, keep_alive):
    with HTTPServer(give, keeps=True) as endpoint:
        report = storm(tmp_path, endpoint.url, keep_alive)
        connections = {request.connection for request in endpoint.requests}
    assert report["passes"] and len(endpoint.requests) == report["result"]["provider"]["calls"] == 2 * CLIENTS
    # Of two moments, the logins and the renewals, in which four requests are under way at the most.
    assert len(connections) <= 8 if keep_alive else len(connections) == 2 * CLIENTS
    assert all((request.headers["connection"] == "keep-alive") == keep_alive for request in endpoint.requests)


def test_if_an_endpoint_ends_kept_connections_requests_use_new_ones(tmp_path):
    with HTTPServer(give) as endpoint:
        report = storm(tmp_path, endpoint.url, True)
        connections = {request.connection for request in endpoint.requests}
    assert report["passes"] and len(connections) == len(endpoint.requests) == 2 * CLIENTS

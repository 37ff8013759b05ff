"""Requests to a gateway's control port: its journal, its sessions, orders."""

import json
import time
import urllib.request
from collections import Counter


def get(gateway, path):
    with urllib.request.urlopen(gateway.control_url + path, timeout=60) as answer:
        return json.load(answer)


def order(gateway, path, body):
    request = urllib.request.Request(
        gateway.control_url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def lines(gateway):
    return get(gateway, "/journal?limit=1000")["lines"]


def counts_of(gateway):
    """The number of lines of each kind."""
    return Counter(line["kind"] for line in lines(gateway))


def until(met, within=60):
    deadline = time.monotonic() + within
    while not met():
        assert time.monotonic() < deadline, "it has not come about"
        time.sleep(0.02)

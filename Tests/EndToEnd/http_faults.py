"""Faults of a gateway's HTTP side, and the journal's lines about requests. Uses Python's standard library only, so that every
suite can have it."""

import contextlib
import json
import urllib.request

from gateway import Gateway


class Broken:
    """A gateway that can be ordered to fail."""

    def __init__(self, gateway):
        self.control_url, self.http_url = gateway.control_url, gateway.http_url

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.control_url + path, data, {"Content-Type": "application/json"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)

    def fail(self, fault, **members):
        self.ask("/faults", {"fault": fault, **members})

    def answers(self, route):
        """The answers to requests for that route, in order: the status, and the milliseconds since the gateway began."""
        lines = self.ask("/journal?kind=http_answered&limit=1000")["lines"]
        return [(line["status"], line["real_ms"]) for line in lines if line["route"] == route]


@contextlib.contextmanager
def broken(*flags):
    with Gateway("--faults", "--journal", *flags, loops=1) as gateway:
        yield Broken(gateway)

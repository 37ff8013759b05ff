"""Clients of the gateway: `websockets` for the socket, `http.client` for HTTP. Every exchange is checked against the
documents as it happens."""

import contextlib
import http.client
import itertools
import json
import ssl
import urllib.parse

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import documents
from documented_socket import PATIENCE, DocumentedSocket


class Refused(Exception):
    """The upgrade was answered with something else than 101."""

    def __init__(self, answer):
        super().__init__(f"{answer.status} {answer.body!r}")
        self.status = answer.status
        self.answer = answer
        self.error = answer.json["error"]


class Answer:
    """An HTTP answer."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = {}
        for name, value in headers:
            # Fields of one name are one list (RFC 9110 section 5.3).
            name = name.lower()
            self.headers[name] = f"{self.headers[name]}, {value}" if name in self.headers else value
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


class Client(DocumentedSocket):
    """One connection of the plain dialect."""

    document = documents.SOCKET

    def __init__(self, gateway, token=None, query_token=None, origin=None, url=None, headers=None, **options):
        target = (url or gateway.url) + "/v1/connect"
        headers = {**(headers or {}), **({} if token is None else {"Authorization": f"Bearer {token}"})}
        if query_token is not None:
            target += "?" + urllib.parse.urlencode({"access_token": query_token})
        if "ssl" in options:
            # This client reads in one thread and writes in another, and Python 3.11 has no lock for that. If TLS 1.3's tickets
            # arrive during its first write, one write of 300 is never sent. curl, the browser and others test TLS 1.3.
            options["ssl"].maximum_version = ssl.TLSVersion.TLSv1_2
        self.stack = contextlib.ExitStack()
        try:
            self.socket = self.stack.enter_context(
                connect(target, additional_headers=headers, origin=origin, open_timeout=PATIENCE, proxy=None, **options)
            )
        except InvalidStatus as refusal:
            response = refusal.response
            answer = Answer(response.status_code, response.headers.raw_items(), response.body)
            documents.HTTP.check("GET", "/v1/connect", None, answer)
            raise Refused(answer) from None
        documents.HTTP.seen.add(("GET", "/v1/connect", 101))
        self.ids = itertools.count(1)
        self.passed = []

    def ask(self, kind, **members):
        """Sends a message and returns its answer. Messages in between are appended to `passed`."""
        name = str(next(self.ids))
        self.send(kind, id=name, **members)
        while (answer := self.receive()).get("id") != name:
            self.passed.append(answer)
        return answer

    def is_alive(self):
        return self.ask("ping")["type"] == "pong"

    def until_closed(self, patience=PATIENCE):
        """Returns the code and reason of the gateway's close frame. Messages before it are appended to `passed`."""
        try:
            while True:
                self.passed.append(self.receive(patience=patience))
        except ConnectionClosed as end:
            frame = end.rcvd
            assert frame is not None, "the connection ended without a close frame"
            return frame.code, frame.reason


def request(url, method, path, body=None, token=None, headers=None, document=documents.HTTP, raw=None):
    """Makes one HTTP exchange, below the path of `url` if it has one. `body` is a JSON value, `raw` are the bytes
    themselves."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
    headers = dict(headers or {})
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    payload = raw
    if raw is None and body is not None:
        payload = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    try:
        connection.request(method, parts.path + path, payload, headers)
        response = connection.getresponse()
        answer = Answer(response.status, response.getheaders(), response.read())
    finally:
        connection.close()
    if document is not None and method in ("GET", "POST", "DELETE"):
        document.check(method, path.split("?")[0], body, answer)
    return answer


def api(gateway, method, path, body=None, token=None, **options):
    """The plain dialect's HTTP side."""
    return request(gateway.http_url, method, path, body, token, **options)


def control(gateway, method, path, body=None, token=None, **options):
    """The control API."""
    return request(gateway.control_url, method, path, body, token, document=documents.CONTROL, **options)

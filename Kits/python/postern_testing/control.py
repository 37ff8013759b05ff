"""Requests to a gateway over HTTP."""

from __future__ import annotations

import contextlib
import http.client
import json
from typing import Any, Iterator, Mapping, Optional
from urllib.parse import quote, urlencode, urlsplit

from .calls import Calls, Ended, current


class Refused(Exception):
    """An answer with a status of 400 or above, with the gateway's number and name of the error."""

    def __init__(self, method: str, path: str, status: int, error: Mapping[str, Any]):
        self.status = status
        self.number: Optional[int] = error.get("number")
        self.name: Optional[str] = error.get("name")
        self.message: str = str(error.get("message") or "")
        super().__init__(f"{method} {path}: {status} {self.name or ''} {self.message}".rstrip())


class Control:
    """The control API at a URL, or another HTTP API of the gateway."""

    def __init__(self, url: str, secret: Optional[str] = None, timeout: float = 90, calls: Optional[Calls] = None):
        self.url = url.rstrip("/")
        self._secret = secret
        self._timeout = timeout
        self._calls = calls or Calls()

    def below(self, *names: str, calls: Optional[Calls] = None) -> "Control":
        """Returns this API below a path, whose names are escaped; its requests belong to `calls`."""
        path = "".join("/" + quote(name, safe="") for name in names)
        return Control(self.url + path, self._secret, self._timeout, calls or self._calls)

    def get(self, path: str, **parameters: Any) -> Any:
        return self._send("GET", path + query(parameters))

    def post(self, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        return self._send("POST", path, body or {})

    def delete(self, path: str) -> Any:
        return self._send("DELETE", path)

    def lines(self, path: str, timeout: Optional[float] = None, **parameters: Any) -> Iterator[str]:
        """Yields the lines of a streamed answer as they come, until the server or the space ends."""
        with contextlib.suppress(Ended):
            with self._open("GET", path + query(parameters), None, timeout or self._timeout) as answer:
                for line in answer:
                    yield line.decode().rstrip("\r\n")

    def _send(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        with self._open(method, path, body, self._timeout) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    @contextlib.contextmanager
    def _open(
        self, method: str, path: str, body: Optional[Mapping[str, Any]], timeout: float
    ) -> Iterator[http.client.HTTPResponse]:
        headers = {"Connection": "close"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._secret is not None:
            headers["Authorization"] = f"Bearer {self._secret}"
        with self._connected(method, path, timeout) as connection:
            connection.request(
                method, urlsplit(self.url).path + path, None if body is None else json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            if answer.status >= 400:
                raise Refused(method, path, answer.status, _error(answer.read()))
            yield answer

    @contextlib.contextmanager
    def _connected(self, method: str, path: str, timeout: float) -> Iterator[http.client.HTTPConnection]:
        """Opens a connection for one request, directly to the gateway: a proxy in the environment is not for loopback."""
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=timeout)
        over = [calls for calls in (self._calls, current.get()) if calls is not None]
        with contextlib.closing(connection):
            try:
                connection.connect()
            except OSError as error:
                raise ConnectionError(f"{method} {self.url}{path}: {error}") from error
            connected = connection.sock
            for calls in over:
                calls.add(connected)
            failure: Optional[Exception] = None
            try:
                yield connection
            except (OSError, ValueError, http.client.HTTPException) as error:
                failure = error
            finally:
                # Each is closed, even if another one fails.
                is_ours = all([calls.remove(connected) for calls in over])
            if failure is not None and not is_ours:
                raise Ended(f"{method} {path}: ended before its answer came") from failure
            if isinstance(failure, http.client.HTTPException) and not isinstance(failure, OSError):
                raise ConnectionError(f"{method} {path}: {failure!r}") from failure
            if failure is not None:
                raise failure


def query(parameters: Mapping[str, Any]) -> str:
    """Returns the parameters that are not None as a query string with its question mark."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return "?" + urlencode(given) if given else ""


def _error(content: bytes) -> Mapping[str, Any]:
    try:
        error = json.loads(content)["error"]
        if isinstance(error, dict):
            return error
    except (ValueError, KeyError, TypeError):
        pass
    return {"message": content[:200].decode(errors="replace").strip()}

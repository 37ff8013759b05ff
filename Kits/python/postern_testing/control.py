"""Requests to a gateway over HTTP."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, Iterator, Mapping, Optional
from urllib.parse import quote, urlencode

# Loopback is asked without the proxy that the environment may name.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Refused(Exception):
    """An answer of 400 or above: its status, and the gateway's number and name of the error."""

    def __init__(self, method: str, path: str, status: int, error: Mapping[str, Any]):
        self.status = status
        self.number: Optional[int] = error.get("number")
        self.name: Optional[str] = error.get("name")
        self.message: str = str(error.get("message") or "")
        super().__init__(f"{method} {path}: {status} {self.name or ''} {self.message}".rstrip())


class Control:
    """The control API at a URL, or another HTTP side of the gateway."""

    def __init__(self, url: str, secret: Optional[str] = None, timeout: float = 90):
        self.url = url.rstrip("/")
        self._secret = secret
        self._timeout = timeout

    def below(self, *names: str) -> "Control":
        """The same below a path, whose names are escaped."""
        path = "".join("/" + quote(name, safe="") for name in names)
        return Control(self.url + path, self._secret, self._timeout)

    def get(self, path: str, **parameters: Any) -> Any:
        return self._send("GET", path + query(parameters))

    def post(self, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        return self._send("POST", path, body or {})

    def delete(self, path: str) -> Any:
        return self._send("DELETE", path)

    def lines(self, path: str, timeout: Optional[float] = None, **parameters: Any) -> Iterator[str]:
        """The lines of an answer that goes on, as they come."""
        with self._open("GET", path + query(parameters), None, timeout or self._timeout) as answer:
            for line in answer:
                yield line.decode().rstrip("\r\n")

    def _send(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        with self._open(method, path, body, self._timeout) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def _open(self, method: str, path: str, body: Optional[Mapping[str, Any]], timeout: float) -> Any:
        request = urllib.request.Request(self.url + path, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if self._secret is not None:
            request.add_header("Authorization", f"Bearer {self._secret}")
        try:
            return _opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as answer:
            with answer:
                content = answer.read()
            raise Refused(method, path, answer.code, _error(content)) from None


def query(parameters: Mapping[str, Any]) -> str:
    """The parameters that are not None, as a query string with its question mark."""
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

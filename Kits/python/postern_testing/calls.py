"""Requests in progress, which other code can end."""

from __future__ import annotations

import contextlib
import contextvars
import socket
import threading
from typing import Optional, Set


class Ended(ConnectionError):
    """A request that got no answer because its space has ended or its caller was cancelled."""


class Calls:
    """The connections of requests without an answer yet: of one space, or of one call of an asynchronous test."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: Set[socket.socket] = set()
        self._is_over = False

    def add(self, connected: socket.socket) -> None:
        with self._lock:
            if not self._is_over:
                self._sockets.add(connected)
                return
        _shut(connected)

    def remove(self, connected: socket.socket) -> bool:
        """Whether it has not been ended."""
        with self._lock:
            if connected not in self._sockets:
                return False
            self._sockets.remove(connected)
            return True

    def end(self) -> None:
        """Ends the requests in progress: their callers get `Ended` at once. Later requests are not affected."""
        with self._lock:
            ended, self._sockets = self._sockets, set()
            # Under the lock, so that no connection is closed meanwhile and its descriptor reused.
            for connected in ended:
                _shut(connected)

    def end_for_good(self) -> None:
        """Ends the requests in progress and all later ones."""
        with self._lock:
            self._is_over = True
        self.end()


#: The calls to which the requests of this context (e.g. a thread) belong besides those of their space.
current: contextvars.ContextVar[Optional[Calls]] = contextvars.ContextVar("postern_calls", default=None)


def _shut(connected: socket.socket) -> None:
    # Closes the socket itself: TLS would send a close message first.
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connected, socket.SHUT_RDWR)

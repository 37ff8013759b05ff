"""Requests under way, and how somebody else ends them."""

from __future__ import annotations

import contextlib
import contextvars
import socket
import threading
from typing import Optional, Set


class Ended(ConnectionError):
    """A request that has no answer, since the space that it was for has ended, or since nobody waits for it any more."""


class Calls:
    """The connections of requests that have no answer yet: those of one space, or of one call of an asynchronous test."""

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
        """Whether nobody has ended it."""
        with self._lock:
            if connected not in self._sockets:
                return False
            self._sockets.remove(connected)
            return True

    def end(self) -> None:
        """Ends those under way: whoever waits for an answer gets `Ended` at once. Later ones go on as ever."""
        with self._lock:
            ended, self._sockets = self._sockets, set()
            # Under the lock: nobody closes one meanwhile, and gives its number to another.
            for connected in ended:
                _shut(connected)

    def end_for_good(self) -> None:
        """The same, and of all that come later."""
        with self._lock:
            self._is_over = True
        self.end()


#: The calls that the requests of this context, a thread's for instance, are of beside those of their space.
current: contextvars.ContextVar[Optional[Calls]] = contextvars.ContextVar("postern_calls", default=None)


def _shut(connected: socket.socket) -> None:
    # Of the socket itself: TLS would say goodbye first.
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connected, socket.SHUT_RDWR)

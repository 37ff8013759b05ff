"""Ports for servers that a test names before they listen, or that listen again after a restart."""

import contextlib
import random
import socket


def free_port():
    """A port outside the system's range for outgoing connections. One of those could be taken while nobody listens."""
    while True:
        port = random.randrange(10_000, 32_768)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port

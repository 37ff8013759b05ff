"""A server, in a process of its own, that counts what it did, and storms against it."""

from collections import Counter

import storms
from described import WIRES, hasty


class CountingServer:
    """Writes a word into a file for each thing that it did. Clients mint tokens with its secret.

    Who inherits it sets `url`, and says the name of the description, its clients and how they are paced.
    """

    description = None
    clients = 20
    pace = ("--rate", "50", "--hold", "3s")

    def __init__(self, folder, secret):
        self.path = folder / "log"
        self.path.touch()
        self.secret = folder / "secret"
        self.secret.write_text(secret)

    @property
    def log(self):
        return Counter(self.path.read_text().split())

    @property
    def wire(self):
        return self.of(WIRES / f"{self.description}.json")

    @property
    def hasty_wire(self):
        """For clients that are refused repeatedly."""
        return self.of(hasty(self.description, self.path.parent))

    def of(self, description):
        return ["--wire", str(description), "--url", self.url, "--mint", "--secret-file", str(self.secret)]

    def storm(self, *more, wire=None):
        return storms.run(*(wire or self.wire), "--clients", str(self.clients), *self.pace, "--timeout", "60s", *more)["result"]

"""The table of Docs/behaviours.md, and what its tests need to try the rows: a space for each row, the row's calls as they stand
there, and clients of the plain dialect on a WebSocket library that does not know Postern."""

import itertools
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from clients import Client, Refused, api, control
from gateway import Gateway, token
from storms import report_of


DOCUMENT = Path(__file__).parent.parent.parent / "Docs" / "behaviours.md"


def rows():
    """The table's rows: the id, its calls, or the text where there are none."""
    found = {}
    for line in DOCUMENT.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if re.fullmatch(r"[A-Z]\d+", cells[0].strip("| ")):
            found[cells[0].strip("| ")] = (re.findall(r"`([^`]+)`", cells[2]), cells[2])
    return found


ROWS = rows()


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


class Case:
    """A space for one row, and the row's calls. Clients and requests use it like a gateway."""

    numbers = itertools.count(1)

    def __init__(self, host, calls):
        self.host = host
        self.name = f"row{next(self.numbers)}"
        first = calls[0] if calls and calls[0].startswith("space create") else "space create --name t17"
        self.calls = [call for call in calls if call != first]
        self.clients = []
        self.make(first)

    def make(self, call):
        self.made = json.loads(self.ctl(call.replace("t17", self.name)))
        self.url, self.http_url = self.made["url"], self.made["http_url"]
        self.control_url = f"{self.host.control_url}/spaces/{self.name}"

    def ctl(self, text, below=False):
        command = [os.environ["POSTERN"], "ctl", *shlex.split(text), "--url", self.host.control_url, "--json"]
        done = subprocess.run(
            command + (["--space", self.name] if below else []), capture_output=True, text=True, timeout=90
        )
        assert done.returncode == 0, f"{text}: {done.stderr}"
        return done.stdout

    def call(self, count=1):
        """Makes the next calls. Returns the answer of the last."""
        for _ in range(count):
            answer = self.ctl(self.calls.pop(0), below=True)
        return answer

    def token(self, user="martin", life=3600, **members):
        answer = api(self, "POST", "/v1/tokens", {"user_id": user, "life_s": life, **members}, document=None)
        assert answer.status == 200, answer.body
        return answer.json["token"]

    def own_token(self, user="martin", life=3600, **claims):
        """A token that another issuer has minted, by a clock of its own."""
        return token(user, life, secret=self.made["secret"], **claims)

    def connect(self, token=None, welcome=True):
        client = Client(self, token=token or self.token())
        self.clients.append(client)
        if welcome:
            client.receive("connected")
        return client

    def refused(self, token, **options):
        with pytest.raises(Refused) as refusal:
            Client(self, token=token, **options)
        return refusal.value.answer

    def refresh(self, client, token=None):
        client.send("refresh", token=token or self.token())

    def mends(self):
        control(self, "DELETE", "/faults")

    def count(self, kind, user="martin"):
        return len(control(self, "GET", f"/journal?kind={kind}&user={user}&limit=1000").json["lines"])

    def storm(self, expected=(0,)):
        """Makes the calls up to the storm, and the storm. Returns its report."""
        while not self.calls[0].startswith("storm"):
            self.call()
        flags = shlex.split(self.calls.pop(0))[1:]
        command = [os.environ["POSTERN"], "storm", "--json", "--url", self.url, "--control-url", self.control_url, *flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode in expected, f"{done.stdout[-3000:]}\n{done.stderr}"
        report = report_of(done.stdout)
        return report["result"] | {"late_max": report["figures"]["generator.late.max"]["value"] or 0}

    def end(self):
        for client in self.clients:
            client.stack.close()
        self.ctl(f"space end --space {self.name}")
        assert not self.calls, f"calls of the row that nobody made: {self.calls}"


@pytest.fixture
def case(host, request):
    case = Case(host, list(ROWS[request.function.__name__.removeprefix("test_").upper()][0]))
    yield case
    case.end()


def is_silent(client, seconds=0.3):
    with pytest.raises(TimeoutError):
        client.receive(patience=seconds)
    return True


def end_of(client):
    """The code of the close frame that ends the connection; None if there is none."""
    with pytest.raises(ConnectionClosed) as ending:
        while True:
            client.receive()
    return ending.value.rcvd.code if ending.value.rcvd else None

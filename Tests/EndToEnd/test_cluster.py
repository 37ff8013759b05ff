"""`loadtest/cluster`, in a small size: nodes and the Redis primary are killed behind HAProxy, and nothing that was acknowledged
is lost. Its books notice a gateway that does lose something."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from http_server import HTTPServer

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "loadtest/peers"))
import cluster_books  # noqa: E402


def test_a_node_and_the_primary_die_at_once_and_a_rolling_upgrade_follows(tmp_path):
    command = [ROOT / "loadtest/cluster", os.environ["POSTERN"], "--clients", "30", "--steps", "both,upgrade",
               "--report", tmp_path / "report"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "report/cluster.json").read_text())
    assert all(report["thresholds"].values()) and len(report["thresholds"]) == 4
    events = [event["event"] for event in report["events"]]
    assert any(event.startswith("kill -9 of node") for event in events)
    assert any(event.startswith("Sentinel has made") for event in events)
    assert sum("was started again" in event for event in events) == 5, "a node and the primary, then three nodes"
    books = report["books"]
    assert books["accepted"] > 10 and books["revoked"] > 3
    assert list(report["steps"]) == ["both", "upgrade"]
    for dialect, row in report["steps"]["upgrade"].items():
        assert row["clients"] == 10 and row["lost"] == 0 and row["interrupted"] >= 10, (dialect, row)


class Forgetful:
    """A gateway that answers as it is told, whatever it had answered before. Also its node, with one port for all."""

    def __init__(self, login, **answer):
        self.login, self.more, self.made = login, answer, 0
        self.server = HTTPServer(self.answer)
        self.name = "a"

    def answer(self, request):
        if request.path == "/v1/tokens":
            self.made += 1
            return 200, json.dumps({"token": f"pat_{self.made}"}).encode()
        if request.path == "/revocations":
            return 200, json.dumps({"sessions": 0, **self.more}).encode()
        return self.login, b"{}"


@pytest.mark.parametrize(
    "login, lost, unanswered", [(401, True, False), (503, False, True)], ids=["a refused token", "no answer"]
)
def test_the_books_tell_a_lost_token_from_a_gateway_that_is_away(login, lost, unanswered):
    gateway = Forgetful(login)
    with gateway.server as server:
        books = cluster_books.Books(server.port, [], rate=200)
        books.threads = books.threads[:2]
        with books:
            deadline = time.monotonic() + 60
            while len(books.accepted) < 20:
                assert time.monotonic() < deadline
                time.sleep(0.01)
        assert (books.settle(patience=1) > 0) == unanswered
        assert (len(books.lost) > 0) == lost
        made = len(books.accepted)
        assert books.agree(made) and not books.agree(made - 1) and not books.agree(made + 1) and not books.agree(None)


def close(code):
    return b"\x88\x02" + code.to_bytes(2, "big")


def said(message):
    text = json.dumps(message).encode()
    return b"\x81" + (bytes([len(text)]) if len(text) < 126 else b"\x7e" + len(text).to_bytes(2, "big")) + text


@pytest.mark.parametrize(
    "status, frames, outcome",
    [
        (101, said({"type": "connected", "user_id": "a" * 200}), cluster_books.ADMITTED),
        (101, b"\x89\x00" + said({"type": "error", "error": {"number": 401010}}), cluster_books.REFUSED),
        (101, said({"type": "error", "error": {"number": 503004}}), cluster_books.AWAY),
        (101, close(4401), cluster_books.REFUSED),
        (101, close(1013), cluster_books.AWAY),
        (401, b"", cluster_books.REFUSED),
        (503, b"", cluster_books.AWAY),
    ],
)
def test_only_the_gateways_word_on_the_token_counts(status, frames, outcome):
    assert cluster_books.outcome_of(status, io.BytesIO(frames)) == outcome


def test_a_token_that_is_admitted_after_its_revocation_is_counted(monkeypatch):
    gateway = Forgetful(200)
    with gateway.server as server:
        node = SimpleNamespace(name="a", port=server.port, control_port=server.port)
        books = cluster_books.Books(server.port, [node])
        monkeypatch.setattr(cluster_books, "log_in", lambda *_: cluster_books.ADMITTED)
        books.threads = books.threads[2:]
        with books:
            deadline = time.monotonic() + 60
            while not books.revoked:
                assert time.monotonic() < deadline
                time.sleep(0.01)
        assert books.let_in and books.let_in[0][0] == "a"

"""Storms of crossbar, a WAMP router; tickets are JWTs that an authenticator of the application's judges, and counts."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from counting_server import CountingServer
from orders import until
from ports import free_port

HERE = Path(__file__).parent
SECRET = "a secret of thirty-two bytes, or more"
CLIENTS = 20


def node(port):
    """A node's configuration: a realm, an authenticator of its own, a listener."""
    everything = {"uri": "", "match": "prefix", "allow": dict.fromkeys(("call", "register", "publish", "subscribe"), True)}
    return {
        "version": 2,
        "workers": [
            {
                "type": "router",
                "options": {"pythonpath": [str(HERE)]},
                "realms": [{"name": "realm1", "roles": [{"name": "judge", "permissions": [everything]}, {"name": "user", "permissions": [everything]}]}],
                "components": [{"type": "class", "classname": "authenticator.Authenticator", "realm": "realm1", "role": "judge"}],
                "transports": [
                    {
                        "type": "websocket",
                        "endpoint": {"type": "tcp", "port": port, "interface": "127.0.0.1"},
                        "auth": {"ticket": {"type": "dynamic", "authenticator": "com.example.authenticate", "authenticator-realm": "realm1"}},
                    }
                ],
            }
        ],
    }


class Router(CountingServer):
    description = "wamp-ticket"
    clients = CLIENTS
    pace = ("--rate", "50", "--hold", "5s")

    def __init__(self, folder):
        super().__init__(folder, SECRET)
        self.folder = folder
        self.port = free_port()
        (folder / "config.json").write_text(json.dumps(node(self.port)))
        self.url = f"ws://127.0.0.1:{self.port}"

    def __enter__(self):
        crossbar = Path(sys.executable).with_name("crossbar")
        self.output = open(self.folder / "output", "w")
        self.process = subprocess.Popen(
            [crossbar, "start", "--cbdir", str(self.folder), "--logformat", "none"],
            stdout=self.output, stderr=self.output, env={**os.environ, "POSTERN_TEST_LOG": str(self.path)},
        )
        # Crossbar takes half a minute beside other tests.
        deadline = time.monotonic() + 240
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                said = (self.folder / "output").read_text()
                assert time.monotonic() < deadline and self.process.poll() is None, said
                time.sleep(0.1)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.output.close()


@pytest.fixture
def router(tmp_path):
    with Router(tmp_path) as router:
        yield router


def test_all_clients_reconnect_with_a_new_ticket(router):
    result = router.storm()
    # The authenticator notes the end of a session after the router has ended it.
    until(lambda: router.log["over"] >= CLIENTS)
    log = router.log
    assert log["accepted"] == result["connects"]["accepted"] == 2 * CLIENTS, (log, result)
    assert log["over"] == result["returns"]["interrupted"] == CLIENTS
    assert result["disconnects"] == {"wamp.close.ticket_over": CLIENTS}
    assert result["returns"]["returned"] == result["refreshes"]["accepted"] == CLIENTS
    assert result["errors"] == {} and log["refused"] == 0


def test_an_old_ticket_is_refused(router):
    result = router.storm("--behaviour", "stale=100", "--threshold", "connects.failed == 0", wire=router.hasty_wire)
    log = router.log
    assert log["accepted"] == result["connects"]["accepted"] == CLIENTS, (log, result)
    # A refusal may be under way when the storm ends.
    refused = sum(result["returns"]["refused"].values())
    assert 0 < refused <= log["refused"] <= result["connects"]["attempted"] - result["connects"]["accepted"], (log, result)
    assert result["refreshes"]["accepted"] == 0

"""Sinch's first steps: tokens of the provider, a storm without flags, the commands of the page."""

import base64
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import sinch
from gateway import Gateway
from sinch import DAY, SinchClient
from spaces import Space


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


def mint(gateway, **order):
    order = {"scheme": "sinch", "user_id": "ann", **order}
    answer = sinch.request(gateway.http_url, "POST", "/v1/tokens", order, document=None).json
    return answer, json.loads(base64.urlsafe_b64decode(answer["token"].split(".")[1] + "=="))


@pytest.mark.parametrize("life", [1, 59, 60, 600, 3600, 2 * DAY - 1, 2 * DAY, 30 * DAY])
def test_the_provider_drops_no_end_that_it_was_asked_for(host, life):
    with Space(host, frozen=True) as space:
        drops_no_end(space, life)


def drops_no_end(space, life):
    answer, claims = mint(space, life_s=life)
    assert answer["expires_in_s"] == life
    assert abs(claims["sinch:rtc:instance:exp"] - claims["iat"] - life) < 0.01
    assert abs(claims["exp"] - claims["iat"] - min(life, 600)) < 0.01
    with SinchClient(space) as client:
        client.start("ann", "postern", device=f"d{life}", jwt=answer["token"])
        assert abs(client.receive("userRegistered")["instance"]["expiresAt"] - answer["expires_at"]) < 0.01
        client.receive("clientStarted")
        if life == 1:
            space.advance(2, patience_ms=0, stop_at="refresh_required")
            assert client.receive("credentialsRequired")["reason"] == "expired"


@pytest.mark.parametrize("dialect", ["sinch", "streem"])
def test_a_storm_needs_no_flags(gateway, dialect, tmp_path):
    command = [os.environ["POSTERN"], "storm", "--dialect", dialect, "--url", gateway.url, "--clients", "20"]
    command += ["--control-url", gateway.control_url, "--hold", "5s", "--report", str(tmp_path)]
    storm = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert storm.returncode == 0, storm.stdout + storm.stderr


def test_the_first_commands_of_the_page_work(tmp_path):
    page = Path(__file__).parents[2] / "Docs/dialects/sinch.md"
    block = re.search(r"## First try\n\n((?:    .*\n)+)", page.read_text())[1]
    commands = [line[4:] for line in block.replace("\\\n", "").splitlines()]
    assert [command.split()[0] for command in commands] == ["head", "postern", "curl", "postern", "curl"]
    assert commands[1] == "postern serve --secret-file secret &"

    def run(command):
        command = command.replace("postern ", shlex.quote(os.environ["POSTERN"]) + " ", 1)
        return subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=30)

    assert run(commands[0]).returncode == 0
    gateway = Gateway()
    gateway.secret_file.write_bytes((tmp_path / "secret").read_bytes())
    with gateway:
        ready = run(commands[2].replace("localhost:8081", gateway.control_url.removeprefix("http://")))
        assert json.loads(ready.stdout) == {"status": "ready"}, ready.stdout + ready.stderr
        minted = run(commands[3])
        assert minted.returncode == 0, minted.stderr
        made = run(commands[4].replace("localhost:8080", f"127.0.0.1:{gateway.port}"))
        assert len(base64.b64decode(json.loads(made.stdout)["secret"])) == 32, made.stdout

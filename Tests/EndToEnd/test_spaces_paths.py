"""Orders for spaces: they carry the content of files, and never a path of the gateway's machine."""

import json
import os
import subprocess

import pytest

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from clients import Client, control
from gateway import Gateway, token

WIRE = {
    "wire": 1, "name": "thief", "connect": {"path": "/thief"},
    "say": {"login": {"json": {"token": "{{token}}"}}},
    "at_open": {"say": "login"},
    "hear": [
        {"when": {"json": {"/is": "in"}}, "during": "logging_in", "is": "logged_in", "as": {"json": {"is": "in", "of": "welcome"}}},
        {"when": {"json": {"/is": "out"}}, "is": "login_refused", "then": "renew", "as": {"json": {"is": "out"}}},
    ],
    "refresh": {"how": "reconnect"},
}


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def hidden(tmp_path_factory):
    file = tmp_path_factory.mktemp("hidden") / "secret.txt"
    file.write_text("a secret of somebody else, of forty letters")
    return file


def welcome(made):
    """The ordered wire's message to a client that logs in; nothing if the connection ends instead."""
    with connect(made["url"] + "/thief", open_timeout=60) as socket:
        socket.send(json.dumps({"token": token("ann", secret=made["secret"])}))
        try:
            return socket.recv(timeout=60)
        except (ConnectionClosed, TimeoutError):
            return ""


def order(host, settings, **more):
    return control(host, "POST", "/spaces", {"settings": settings, **more})


@pytest.mark.parametrize("option", [
    "wire", "template-secret", "secret-file", "key-file", "previous-secret-file", "sendbird-api-token-file",
    "stream-secret-file", "provider-secret-file", "sinch-application", "sinch-user", "streem-api-key", "streem-oidc-user",
])
def test_an_order_cannot_name_a_file_and_does_not_learn_whether_one_exists(host, hidden, option):
    answers = []
    for path in (hidden, "/etc/shadow", "/nowhere/at/all", "/tmp"):
        for text in (f"{path}", f"ann={path}"):
            answer = order(host, {option: text})
            assert answer.status == 400
            answers.append(answer.body)
    assert len(set(answers)) == 1 and b"takes no path" in answers[0]
    assert hidden.read_bytes() not in answers[0]


def test_the_holes_of_an_ordered_wire_are_filled_with_what_the_order_carries_alone(tmp_path):
    own = tmp_path / "own"
    own.write_text("the operator's secret")
    with Gateway("--spaces", "--template-secret", f"apikey={own}", loops=1) as host:
        wire = json.loads(json.dumps(WIRE).replace('"welcome"', '"{{secret.apikey}}"'))
        made = order(host, {"wire": {"content": wire}})
        assert made.status == 201 and "operator" not in welcome(made.json)
        made = order(host, {"wire": {"content": wire}, "template-secret": {"name": "apikey", "content": "mine"}})
        assert made.status == 201 and json.loads(welcome(made.json))["of"] == "mine"


def test_an_order_carries_the_content_of_a_secret_and_its_tokens_are_accepted(host):
    secret = "content that an order carries, forty letters"
    made = order(host, {"secret-file": {"content": secret}})
    assert made.status == 201, made.body
    with Client(made.json, token=token("ann", secret=secret), url=made.json["url"]) as ann:
        ann.receive("connected")


def test_a_name_below_the_folder_of_serve_is_read_and_nothing_beside_it(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "good").write_text("a secret that stands in the folder, forty")
    (folder / ".hidden").write_text("a secret that stands in the folder, forty")
    (tmp_path / "beside").write_text("a secret that stands beside it, of forty")
    os.mkfifo(folder / "pipe")
    with Gateway("--spaces", "--spaces-folder", str(folder), loops=1) as host:
        assert order(host, {"secret-file": {"file": "good"}}).status == 201
        said = set()
        for name in ("../beside", "/etc/passwd", str(tmp_path / "beside"), "nothing", "pipe", ".hidden", "..", "",
                     "./good", "a//b", "good/../good"):
            answer = order(host, {"secret-file": {"file": name}})
            assert answer.status == 400, name
            said.add(answer.error["message"])
        assert len(said) == 1


def test_a_port_below_1024_is_refused_unless_serve_was_told_so(host):
    assert "--spaces-low-ports" in order(host, {}, port=1023).error["message"]
    with Gateway("--spaces", "--spaces-low-ports", loops=1) as other:
        answer = order(other, {}, port=1023)
        # The system may refuse this user the port, which is another message.
        assert answer.status in (201, 400, 409) and b"--spaces-low-ports" not in answer.body


def test_ctl_reads_the_file_itself_and_sends_what_is_in_it(host, hidden):
    done = subprocess.run(
        [os.environ["POSTERN"], "ctl", "--url", host.control_url, "space", "create", "--set", f"secret-file={hidden}"],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr

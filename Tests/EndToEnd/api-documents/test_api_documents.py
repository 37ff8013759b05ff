"""The API documents, read by tools of other projects."""

import base64
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import gateway
import pytest

HERE = Path(__file__).parent
FOLDER = HERE.parent.parent.parent / "Deploy" / "api"
DOCUMENTS = sorted(path.name for path in FOLDER.glob("*.yaml") if "asyncapi" not in path.name)
TOOLS = Path(sys.executable).parent
# Bound how long a wait for the journal lasts.
HOOKS = Path(__file__).with_name("hooks.py")


@pytest.fixture(scope="module")
def running():
    with gateway.Gateway("--token-life", "1h", "--spaces", "--journal", loops=1) as running:
        yield running


def run(*command, **options):
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", "SCHEMATHESIS_HOOKS": str(HOOKS)}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, env=environment, **options
    )
    return done.returncode, done.stdout


def test_there_are_documents():
    assert {"openapi.yaml", "control.yaml", "sinch-openapi.yaml", "streem-openapi.yaml"} <= set(DOCUMENTS)


def answers_as_documented(running, folder, document, authorization, *options):
    """Sends a request for everything in the document. Returns the tool's report."""
    url = running.control_url if document == "control.yaml" else running.http_url
    status, said = run(
        TOOLS / "schemathesis", "--config-file", str(Path(__file__).parent / "schemathesis.toml"), "run",
        str(FOLDER / document), "--url", url, "--no-color", "-H", f"Authorization: {authorization}", *options,
        cwd=folder,  # It keeps notes of its runs where it stands.
    )
    assert status == 0, said
    assert "Tested:" in said and running.process.poll() is None
    return said


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_gateways_answers_match_the_document(running, tmp_path, document):
    answers_as_documented(running, tmp_path, document, f"Bearer {gateway.token('ann')}")


def test_answers_to_a_companys_server_match_the_document(running, tmp_path):
    """The part of Streem's API that needs an API key. All other callers are refused before the request is read."""
    order = urllib.request.Request(
        f"{running.control_url}/streem/api-keys", b"{}", {"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(order, timeout=60) as answer:
        key = json.load(answer)
    basic = base64.b64encode(f"{key['id']}:{key['secret']}".encode()).decode()
    said = answers_as_documented(
        running, tmp_path, "streem-openapi.yaml", f"Basic {basic}", "--include-path-regex", "^/v1/")
    assert "Authentication failed" not in said, said


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_client_can_be_generated_from_the_document(tmp_path, document):
    status, said = run(
        TOOLS / "openapi-python-client", "generate", "--path", str(FOLDER / document),
        "--config", str(HERE / "client.yaml"), "--output-path", str(tmp_path / "made"), "--meta", "none", "--fail-on-warning",
    )
    assert status == 0, said
    everything = "import importlib, pkgutil, made\n" + (
        "print(sum(1 for module in pkgutil.walk_packages(made.__path__, 'made.')"
        " if importlib.import_module(module.name)))"
    )
    status, said = run(sys.executable, "-c", everything, cwd=tmp_path)
    assert status == 0 and int(said) > 5, said


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Runs a client that was generated from the control port's document, as a script: `made(gateway, script)`."""
    folder = tmp_path_factory.mktemp("client")
    run(
        TOOLS / "openapi-python-client", "generate", "--path", str(FOLDER / "control.yaml"),
        "--output-path", str(folder / "made"), "--meta", "none",
    )

    def says(running, script):
        address = f"from made import Client\nclient = Client(base_url={json.dumps(running.control_url)})\n"
        status, said = run(sys.executable, "-c", address + script, cwd=folder)
        assert status == 0, said
        return said.splitlines()

    return says


def test_a_generated_client_talks_to_the_control_port(running, made):
    script = """
from made.api.sessions import list_sessions
answer = list_sessions.sync_detailed(client=client)
print(answer.status_code.value, answer.parsed.sessions)
"""
    assert made(running, script) == ["200 []"]


def test_a_generated_client_waits_for_the_journal(running, made):
    """What happens is awaited by its own request: each is a line of the journal when it has been answered."""
    script = """
from made.api.journal import await_journal, read_journal
from made.models import AwaitJournalBody, JournalKind
last = read_journal.sync(client=client, limit=1).last
body = AwaitJournalBody(kind=JournalKind.LOGGED_IN, within_ms=20, after=last)
answer = await_journal.sync_detailed(client=client, body=body)
print(answer.status_code.value, answer.parsed.met, answer.parsed.lines)
"""
    assert made(running, script) == ["200 False []"]


def test_the_journals_stream_is_what_the_document_says(made):
    """Without end, so that no generated client gives an answer before it gives up: it is asked for the request, and the answer
    read as far as it goes."""
    script = """
from made.api.journal.stream_journal import _get_kwargs
with client.get_httpx_client().stream(**_get_kwargs(after=0)) as answer:
    print(answer.status_code, answer.headers["content-type"])
    lines = answer.iter_lines()
    event = [next(lines) for _ in range(2)]
    print(*(line.split(":")[0] for line in event))
"""
    with gateway.Gateway("--journal", loops=1) as other:
        order = urllib.request.Request(
            f"{other.http_url}/v1/tokens", json.dumps({"user_id": "ann"}).encode(), {"Content-Type": "application/json"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(order, timeout=60) as answer:
            assert answer.status == 200
        assert made(other, script) == ["200 text/event-stream", "id data"]


def test_a_generated_client_drains_a_gateway(made):
    with gateway.Gateway() as other:
        script = """
from made.api.orders import drain
from made.models import DrainBody
print(drain.sync_detailed(client=client, body=DrainBody(window_s=0)).status_code.value)
"""
        assert made(other, script) == ["202"]
        assert other.process.wait(60) == 0

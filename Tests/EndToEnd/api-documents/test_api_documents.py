"""The API documents, as other people's tools read them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gateway
import pytest

FOLDER = Path(__file__).parent.parent.parent.parent / "Deploy" / "api"
DOCUMENTS = sorted(path.name for path in FOLDER.glob("*.yaml") if "asyncapi" not in path.name)
TOOLS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def running():
    with gateway.Gateway("--token-life", "1h", "--spaces", "--journal", loops=1) as running:
        yield running


def run(*command, **options):
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, env=environment, **options
    )
    return done.returncode, done.stdout


def test_there_are_documents():
    assert {"openapi.yaml", "control.yaml", "sinch-openapi.yaml", "streem-openapi.yaml"} <= set(DOCUMENTS)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_the_gateway_answers_is_what_the_document_says(running, tmp_path, document):
    url = running.control_url if document == "control.yaml" else running.http_url
    status, said = run(
        TOOLS / "schemathesis", "--config-file", str(Path(__file__).parent / "schemathesis.toml"), "run",
        str(FOLDER / document), "--url", url, "--no-color", "-H", f"Authorization: Bearer {gateway.token('ann')}",
        cwd=tmp_path,  # It keeps notes of its runs where it stands.
    )
    assert status == 0, said
    assert "Tested:" in said and running.process.poll() is None


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_client_can_be_generated_from_the_document(tmp_path, document):
    status, said = run(
        TOOLS / "openapi-python-client", "generate", "--path", str(FOLDER / document),
        "--output-path", str(tmp_path / "made"), "--meta", "none", "--fail-on-warning",
    )
    assert status == 0, said
    everything = "import importlib, pkgutil, made\n" + (
        "print(sum(1 for module in pkgutil.walk_packages(made.__path__, 'made.')"
        " if importlib.import_module(module.name)))"
    )
    status, said = run(sys.executable, "-c", everything, cwd=tmp_path)
    assert status == 0 and int(said) > 5, said


def test_a_generated_client_talks_to_the_control_port(running, tmp_path):
    run(
        TOOLS / "openapi-python-client", "generate", "--path", str(FOLDER / "control.yaml"),
        "--output-path", str(tmp_path / "made"), "--meta", "none",
    )
    script = f"""
from made import Client
from made.api.sessions import list_sessions
answer = list_sessions.sync_detailed(client=Client(base_url={json.dumps(running.control_url)}))
print(answer.status_code.value, answer.parsed.sessions)
"""
    status, said = run(sys.executable, "-c", script, cwd=tmp_path)
    assert (status, said.strip()) == (0, "200 []"), said

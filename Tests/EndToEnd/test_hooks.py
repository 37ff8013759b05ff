"""The flags of the questions to the application's backend."""

import json
import os
import ssl
import subprocess

import pytest

from clients import Client, control
from gateway import Gateway, token
from http_server import HTTPServer

HOOK = ["--hook-connect", "https://app.example/connect"]


@pytest.mark.parametrize("words, said", [
    (["--hook-connect", "http://app.example/c"], "plain http"),
    (["--hook-refresh", "https://a:b@app.example/c"], "a user or password"),
    (["--hook-grace", "20s"], "are for --hook-connect"),
    ([*HOOK, "--hook-refresh-by", "gateway"], "is of --hook-refresh"),
    (["--hook-commands", "https://app.example/c", "--hook-grace", "20s"], "are of --hook-connect or --hook-refresh"),
    (["--hook-refresh", "https://app.example/r", "--hook-grace", "1s"], "10s to 10m"),
    (["--hook-commands", "https://app.example/c", "--hook-judge", "instead"], "is of --hook-connect"),
    ([*HOOK, "--hook-judge", "instead"], "give a --hook-header"),
    ([*HOOK, "--hook-judge", "before"], "instead"),
    ([*HOOK, "--hook-header", "cookie"], "--origin"),
    ([*HOOK, "--hook-header", "Authorization"], "the gateway's own"),
    ([*HOOK, "--hook-header", "a b"], "the name of a header field"),
    ([*HOOK, "--hook-timeout", "20s"], "100ms to 9s"),
    ([*HOOK, "--hook-recover-rate", "0"], "1 to 100000"),
    (["--hook-dialect", "plain"], "are for --hook-connect"),
    (["--hook-refresh", "https://app.example/r", "--hook-may-rename"], "is of --hook-connect"),
    (["--hook-commands", "https://app.example/r", "--hook-send-token"], "is of --hook-connect and --hook-refresh"),
    (["--hook-connect", "http://127.0.0.1:9/c", "--hook-send-token"], "tokens go over https only"),
    ([*HOOK, "--hook-refresh", "http://127.0.0.1:9/c", "--hook-send-token"], "tokens go over https only"),
])
def test_a_wrong_command_line_is_refused_with_its_fault(words, said):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr, done


def test_a_file_without_a_secret_is_refused_and_not_quoted(tmp_path):
    file = tmp_path / "secret"
    file.write_text("no secret of that form")
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *HOOK, "--hook-secret-file", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "whsec_" in done.stderr and "of that form" not in done.stderr, done


def test_without_a_hook_every_series_is_there():
    with Gateway() as gateway:
        text = control(gateway, "GET", "/metrics").body.decode()
        for line in ['hook_answers_total{hook="refresh",result="unjudged"}', "sessions_on_grace", 'grace_ended_total{result="outage"}']:
            assert f"postern_{line} 0\n" in text, line


def test_a_dialect_that_is_not_served_ends_the_start_with_those_that_are():
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *HOOK, "--hook-dialect", "plane"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "'plane'" in done.stderr and "plain" in done.stderr and "stream-video" in done.stderr, done


def test_a_backend_gets_the_token_itself_over_tls_and_only_then(tmp_path):
    certificate, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True, timeout=60)
    with HTTPServer(lambda request: b'{"result":{}}') as backend:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        backend.server.socket = context.wrap_socket(backend.server.socket, server_side=True)
        url = f"https://localhost:{backend.port}"
        hooks = ["--hook-connect", f"{url}/connect", "--hook-refresh", f"{url}/refresh", "--identity-ca", str(certificate)]
        # The backend is a thread of this test, which may be late.
        hooks += ["--hook-timeout", "9s"]
        for more in ([], ["--hook-send-token"]):
            backend.requests.clear()
            first, second = token(), token()
            with Gateway(*hooks, *more, "--journal", loops=1) as gateway:
                with Client(gateway, token=first) as ann:
                    assert ann.receive("connected")
                    assert ann.ask("refresh", token=second)["type"] == "refreshed"
                told = control(gateway, "GET", "/journal").body.decode()
                log = gateway.log()
            sent = [json.loads(request.body)["token"].get("value") for request in backend.requests]
            assert sent == ([first, second] if more else [None, None])
            assert first not in log + told and second not in log + told

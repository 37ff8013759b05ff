"""The flags of the questions to the application's backend."""

import os
import subprocess

import pytest

from clients import control
from gateway import Gateway

HOOK = ["--hook-connect", "https://app.example/connect"]


@pytest.mark.parametrize("words, said", [
    (["--hook-connect", "http://app.example/c"], "plain http"),
    (["--hook-refresh", "https://a:b@app.example/c"], "a user or password"),
    (["--hook-grace", "20s"], "are for --hook-connect"),
    ([*HOOK, "--hook-grace", "20s"], "are of --hook-refresh"),
    (["--hook-refresh", "https://app.example/r", "--hook-grace", "1s"], "10s to 10m"),
    (["--hook-commands", "https://app.example/c", "--hook-judge", "instead"], "is of --hook-connect"),
    ([*HOOK, "--hook-judge", "instead"], "give a --hook-header"),
    ([*HOOK, "--hook-judge", "before"], "instead"),
    ([*HOOK, "--hook-header", "cookie"], "--origin"),
    ([*HOOK, "--hook-header", "Authorization"], "the gateway's own"),
    ([*HOOK, "--hook-header", "a b"], "the name of a header field"),
    ([*HOOK, "--hook-timeout", "20s"], "100ms to 9s"),
    ([*HOOK, "--hook-recover-rate", "0"], "1 to 100000"),
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

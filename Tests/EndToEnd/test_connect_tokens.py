"""`postern connect --token-file`: a client that presents tokens of the user's own."""

import subprocess

import pytest

from gateway import token
from test_newcomer import POSTERN, Client, order, run


def command(gateway, *words):
    return [POSTERN, "connect", "--url", f"ws://127.0.0.1:{gateway.port}", *words]


def test_the_file_is_read_again_at_each_refresh_request(gateway, tmp_path):
    file = tmp_path / "own.jwt"
    file.write_text(token("own") + "\n")
    with Client(*command(gateway, "--token-file", str(file), "--refreshes", "2")) as client:
        assert client.next().startswith("connected: conn_")
        with open(f"/proc/{client.process.pid}/cmdline", "rb") as words:
            assert b"eyJ" not in words.read()
        for _ in range(2):
            file.write_text(token("own"))
            order(gateway, "/users/own/expire")
            assert client.next().startswith("asked for a new token within")
            assert client.next() == "refreshed on the same connection"
        assert client.process.wait(timeout=60) == 0


def test_a_token_that_nobody_replaced_is_presented_and_its_refusal_is_told(gateway, tmp_path):
    file = tmp_path / "own.jwt"
    file.write_text(token("same"))
    with Client(*command(gateway, "--token-file", str(file))) as client:
        assert client.next().startswith("connected: conn_")
        order(gateway, "/users/same/expire")
        assert client.next().startswith("asked for a new token within")
        assert client.next() == "error 401010: token_not_renewed"


def test_standard_input_has_a_token_for_the_login_and_one_for_each_request(gateway):
    tokens = "\n".join([token("piped"), "", token("piped"), token("piped"), ""])
    process = subprocess.Popen(
        command(gateway, "--token-file", "-", "--refreshes", "2"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        process.stdin.write(tokens)
        process.stdin.close()
        assert process.stdout.readline().startswith("connected: conn_")
        for _ in range(2):
            order(gateway, "/users/piped/expire")
            assert process.stdout.readline().startswith("asked for a new token within")
            assert process.stdout.readline() == "refreshed on the same connection\n"
        assert process.wait(timeout=60) == 0


def test_a_file_that_is_gone_ends_the_client_with_its_name(gateway, tmp_path):
    file = tmp_path / "own.jwt"
    file.write_text(token("gone"))
    with Client(*command(gateway, "--token-file", str(file))) as client:
        assert client.next().startswith("connected: conn_")
        file.unlink()
        order(gateway, "/users/gone/expire")
        assert client.next().startswith("asked for a new token within")
        assert client.next() == f"postern: no token: --token-file: '{file}' does not exist"
        assert client.process.wait(timeout=60) == 1


@pytest.mark.parametrize("words, text, said", [
    (["--token-file", "FILE", "--user", "ann"], "a", "leave --user out"),
    (["--token-file", "FILE", "--life", "1h"], "a", "leave --life out"),
    (["--token-file", "FILE"], "", "is empty"),
    (["--token-file", "FILE"], "Bearer a", "has 2 words; expected one token"),
    (["--token-file", "/nowhere"], "", "'/nowhere' does not exist"),
    (["--token-file", "-"], "", "--token-file: no token on standard input"),
])  # fmt: skip
def test_a_wrong_source_of_tokens_is_refused_before_anything_is_dialled(words, text, said, tmp_path):
    file = tmp_path / "own.jwt"
    file.write_text(text)
    done = run("connect", *[str(file) if word == "FILE" else word for word in words], input="")
    assert done.returncode == 2 and done.stdout == "" and said in done.stderr, done

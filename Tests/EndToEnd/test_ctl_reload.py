"""`ctl reload` and `POST /reload`: what SIGHUP does, with an answer that says what was read again, or why old keys stay."""

import base64
import json
import os
import signal
import subprocess
import threading
import time

import pytest

import documents
from clients import Client, control, request
from gateway import Gateway, token
from test_reload import NEW, OLD, file, is_let_in, streem_secrets  # noqa: F401


def ctl(gateway, *words):
    command = [os.environ["POSTERN"], "ctl", "reload", "--url", gateway.control_url, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_ctl_reload_says_what_it_read_or_why_the_old_ones_stay_and_sessions_stay(file):
    with Gateway("--secret-file", str(file), has_secret=False) as gateway:
        with Client(gateway, token=token("ann", secret=OLD)) as ann:
            ann.receive("connected")
            file.write_text(NEW)
            done = ctl(gateway)
            assert (done.returncode, done.stdout, done.stderr) == (0, "keys: read anew from --secret-file\n", "")
            assert is_let_in(gateway, NEW) and not is_let_in(gateway, OLD)
            file.write_text("sh0rt")
            done = ctl(gateway)
            assert (done.returncode, done.stdout) == (1, "") and "the old ones stay in use" in done.stderr, done
            assert "has 5 bytes" in done.stderr and "sh0rt" not in done.stderr
            assert is_let_in(gateway, NEW) and not is_let_in(gateway, "sh0rt")
            assert ann.is_alive()
            assert ann.ask("refresh", token=token("ann", secret=NEW))["type"] == "refreshed"
        kept, reloaded = [line for line in gateway.logged("order=reload", 2)][::-1]
        assert "keys=kept from=127.0.0.1 key=none" in kept and "keys=reloaded from=127.0.0.1 key=none" in reloaded


def test_ctl_reload_as_json_is_the_gateways_answer_with_both_parts(file):
    with Gateway("--secret-file", str(file), has_secret=False) as gateway:
        assert json.loads(ctl(gateway, "--json").stdout) == {"keys": {"result": "reloaded", "files": ["--secret-file"]}}
        file.unlink()
        done = ctl(gateway, "--json")
        keys = json.loads(done.stdout)["keys"]
        assert done.returncode == 1 and keys["result"] == "kept" and str(file) in keys["error"] and "files" not in keys


def test_ctl_reload_of_a_gateway_without_files_and_of_a_space(file):
    with Gateway("--spaces", has_secret=False, loops=1) as gateway:
        assert ctl(gateway).stdout == "keys: read anew from no file: none was given\n"
        request(gateway.control_url, "POST", "/spaces", {"name": "t1"}, document=None)
        done = ctl(gateway, "--space", "t1")
        assert done.returncode == 1 and "404001" in done.stderr


def test_an_order_to_reload_needs_the_control_secret_no_members_and_no_other_method(file):
    with Gateway("--control-secret-file", str(file)) as gateway:
        def status(secret=OLD, body=None, method="POST", **options):
            return request(gateway.control_url, method, "/reload", body, token=secret, document=None, **options).status

        assert status(secret=None) == 401 and status(secret=NEW) == 401
        assert status(body={"keys": True}) == 400 and status(method="GET") == 405
        assert status(headers={"Content-Type": "text/plain"}, raw=b"{}") == 415
        # The new secret counts at once. The order itself was answered with the old one.
        file.write_text(NEW)
        assert status() == 200 and status() == 401 and status(secret=NEW) == 200
        [first, second] = gateway.logged("order=reload", 2)
        assert "key=control_secret" in first and OLD not in gateway.log() and NEW not in gateway.log()


def test_eight_orders_wait_behind_a_file_that_blocks_and_a_sigterm_does_not(file, tmp_path):
    with Gateway("--secret-file", str(file), has_secret=False) as gateway:
        file.unlink()
        os.mkfifo(file)
        answers = []
        lock = threading.Lock()

        def order():
            answer = control(gateway, "POST", "/reload")
            with lock:
                answers.append(answer)

        # The first reload begins to read, and waits for the pipe's writer.
        gateway.process.send_signal(signal.SIGHUP)
        threads = [threading.Thread(target=order) for _ in range(24)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 60
        while len(answers) < 8 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert {answer.status for answer in answers} == {429} and len(answers) in range(8, 17), answers
        assert is_let_in(gateway, OLD)
        for _ in range(200):
            gateway.process.send_signal(signal.SIGHUP)
        gateway.process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join(60)
        assert sorted(answer.status for answer in answers)[-1] == 503 and len(answers) == 24
        assert gateway.process.wait(timeout=60) == 0
        assert "event=drain_ended" in gateway.log()


BAD_FILES = {
    "--key-file": '{"keys": [{"kty": "oct", "k": 7, "note": "MARKED-SECRET"}]}',
    "--previous-secret-file": "MARKED-SECRET\x00\xff",
    "--template-secret key": "",
    "--sinch-application k1": "MARKED-SECRET of no form \xff",
    "--streem-api-key k1": '{"kty": "oct", "MARKED-SECRET',
}


@pytest.mark.parametrize("flag", BAD_FILES)
def test_a_broken_file_keeps_all_and_no_text_says_what_stood_in_it(flag, file, tmp_path):
    [old, _] = streem_secrets()
    other = tmp_path / "other"
    name, _, key = flag.partition(" ")
    third = b"a third secret of the gateway, forty letters"
    good = {"--key-file": '{"kty": "oct", "k": "' + base64.urlsafe_b64encode(third).decode().rstrip("=") + '"}',
            "--streem-api-key": old, "--sinch-application": base64.b64encode(third).decode()}.get(name, third.decode())
    other.write_text(good)
    flags = ["--secret-file", str(file), name, f"{key}={other}" if key else str(other)]
    if name == "--previous-secret-file":
        flags += ["--previous-until", "4000000000"]
    if name == "--template-secret":
        flags += ["--wire", "centrifugo"]
    with Gateway(*flags, has_secret=False) as gateway:
        file.write_text(NEW)
        assert ctl(gateway).returncode == 0 and is_let_in(gateway, NEW)
        file.write_text(OLD)
        other.write_bytes(BAD_FILES[flag].encode("latin-1"))
        done = ctl(gateway)
        assert done.returncode == 1 and name in done.stderr, done
        assert "MARKED" not in done.stderr + done.stdout + gateway.log()
        assert is_let_in(gateway, NEW) and not is_let_in(gateway, OLD)


def test_a_reload_with_standard_error_closed_is_answered(file):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", "--secret-file", str(file)]
    process = subprocess.Popen(["sh", "-c", 'exec "$0" "$@" 2>&-', *command], stdout=subprocess.PIPE)
    try:
        url = json.loads(process.stdout.readline())["control_url"]
        assert request(url, "POST", "/reload", document=documents.CONTROL).json["keys"]["result"] == "reloaded"
        file.unlink()
        assert request(url, "POST", "/reload", document=documents.CONTROL).json["keys"]["result"] == "kept"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_an_unreadable_certificate_keeps_the_old_one_and_the_keys_are_read_again(file, tmp_path):
    certificate, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
         "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True, timeout=60)
    flags = ["--secret-file", str(file), "--tls-certificate", str(certificate), "--tls-key", str(key)]
    with Gateway(*flags, has_secret=False) as gateway:
        done = ctl(gateway)
        assert (done.returncode, done.stderr) == (0, ""), done
        assert done.stdout.splitlines()[1] == "certificate: read anew from --tls-certificate, --tls-key"
        certificate.write_text("no certificate")
        done = ctl(gateway)
        assert done.returncode == 1 and "keys: read anew from --secret-file" in done.stderr, done
        assert "certificate: the old ones stay in use" in done.stderr

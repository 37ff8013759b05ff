"""The storm that serves the keys of its tokens: it finds two faults in gateways that are not Postern's, and passes one that
does it right."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest

import storms
from gateway import Gateway
from jwks_gateways import Careful, Eager, Forgetful, Serving, Stubborn, Trusting
from ports import free_port

FLEET = ["--clients", "150", "--rate", "15", "--expiry", "own", "--life", "12s", "--refresh-timeout", "60s"]
BADLY = ["--jwks-limit", "6/20s", "--jwks-rotate", "5s", "--forge", "20"]
LIMITS = ["refused.valid == 0", "jwks.requests < 20", "forged.accepted == 0", "lost == 0", "connects.failed == 0"]


def free_address():
    return f"127.0.0.1:{free_port()}"


def storm(url, address, *flags, expected=(0,), limits=LIMITS):
    thresholds = [word for limit in limits for word in ("--threshold", limit)]
    return storms.run("--url", url, "--mint", "--serve-jwks", address, *flags, *thresholds, expected=expected)


def failed(report):
    return {outcome["threshold"] for outcome in report["thresholds"] if not outcome["holds"]}


@pytest.mark.parametrize("kind, finds, may_find", [
    (Careful, set(), set()),
    (Eager, {"jwks.requests < 20"}, {"refused.valid == 0", "lost == 0", "connects.failed == 0"}),
    (Forgetful, {"refused.valid == 0", "connects.failed == 0"}, {"jwks.requests < 20", "lost == 0"}),
])
def test_the_thresholds_find_the_faulty_gateways_and_pass_the_right_one(kind, finds, may_find):
    address = free_address()
    with Serving(kind, f"http://{address}") as gateway:
        report = storm(gateway.url, address, *FLEET, *BADLY, expected=(1,) if finds else (0,))
        fetches = gateway.keys.fetches
    assert finds <= failed(report) <= finds | may_find, report["figures"]
    keys = report["result"]["keys"]
    # The gateway's own books.
    assert keys["requests"] == len(fetches) and keys["limited"] == fetches.count(429)
    assert keys["forged"]["accepted"] == 0 < keys["forged"]["refused"]
    assert report["figures"]["jwks.requests"]["value"] == len(fetches)
    if kind is Careful:
        assert keys["limited"] == 0 < keys["rotations"] and keys["valid"]["accepted"] > 150 - keys["forged"]["shown"]
        assert keys["rotations_accepted"] == keys["rotations_shown"]
        assert report["figures"]["jwks.rotation_to_accepted"]["value"] > 0


def test_a_gateway_that_reads_the_keys_once_never_accepts_a_token_of_the_next_one():
    address = free_address()
    with Serving(Stubborn, f"http://{address}") as gateway:
        limits = ["refused.valid == 0", "jwks.rotation_to_accepted < 60m"]
        report = storm(gateway.url, address, *FLEET, "--jwks-rotate", "5s", expected=(1,), limits=limits)
    assert [outcome["holds"] for outcome in report["thresholds"]] == [False, False]
    assert report["thresholds"][1]["actual"] == "never" and report["result"]["keys"]["rotations_accepted"] == 0


def test_a_gateway_that_trusts_every_token_accepts_forged_ones():
    address = free_address()
    with Serving(Trusting, f"http://{address}") as gateway:
        fleet = ["--clients", "40", "--expiry", "own", "--life", "8s", "--forge", "30"]
        limits = ["refused.valid == 0", "forged.accepted == 0", "jwks.requests < 20"]
        report = storm(gateway.url, address, *fleet, expected=(1,), limits=limits)
    # Nobody asked for the keys, so their threshold has nothing to go by.
    assert [outcome["holds"] for outcome in report["thresholds"]] == [True, False, False]
    assert report["result"]["keys"]["forged"]["accepted"] > 0


def test_posterns_own_gateway_refuses_no_good_token_of_keys_that_were_not_published_ahead():
    address = free_address()
    issuer = ["--jwks", f"http://{address}/jwks.json", "--issuer", f"http://{address}"]
    flags = ["--jwks-rotate", "15s", "--jwks-latency", "300ms", "--forge", "10", "--jwks-wait", "60s"]
    fleet = ["--clients", "200", "--rate", "20", "--expiry", "own", "--life", "40s", "--waves", "2"]
    limits = ["refused.valid == 0", "forged.accepted == 0", "lost == 0"]
    began = time.monotonic()
    with Gateway(*issuer, "--refresh-lead", "10s", has_secret=False) as gateway:
        report = storm(f"ws://127.0.0.1:{gateway.port}", address, *flags, *fleet, "--loops", "2", limits=limits)
    keys = report["result"]["keys"]
    assert keys["forged"]["refused"] > 0 < keys["rotations_accepted"]
    # The gateway's first fetch, and then at most one for each cool-down of 30 s.
    assert keys["requests"] <= 2 + (time.monotonic() - began) / 30


def test_a_described_wire_takes_keys_over_tls(tmp_path):
    address = free_address()
    certificate, key, wire = tmp_path / "tls.pem", tmp_path / "tls.key", ["--wire", "centrifugo"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True, timeout=60)
    issuer = ["--oidc", f"https://{address}", "--identity-ca", str(certificate)]
    tls = ["--jwks-tls-certificate", str(certificate), "--jwks-tls-key", str(key), "--jwks-wait", "60s"]
    with Gateway(*issuer, *wire, has_secret=False) as gateway:
        url = f"ws://127.0.0.1:{gateway.port}/connection/websocket"
        report = storm(
            url, address, *tls, *wire, "--clients", "20", "--hold", "5s", "--audience", "realtime",
            limits=["refused.valid == 0", "connects.failed == 0"])
    keys = report["result"]["keys"]
    assert keys["valid"]["accepted"] == keys["valid"]["shown"] >= 20 and keys["discoveries"] == 1 == keys["requests"]


def test_the_document_and_the_keys_are_those_of_an_issuer(tmp_path):
    address = free_address()
    key = tmp_path / "es256.pem"
    subprocess.run(
        ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key], check=True, timeout=60)
    flags = ["--url", "ws://127.0.0.1:9", "--mint", "--key-file", str(key), "--key-id", "k7", "--serve-jwks", address]
    with storms.Running(*flags, "--jwks-wait", "120s", "--jwks-limit", "2/1h", "--jwks-max-age", "90s"):
        document = patiently(f"http://{address}/.well-known/openid-configuration")
        assert document["issuer"] == f"http://{address}"
        with urllib.request.urlopen(document["jwks_uri"], timeout=60) as answer:
            [only] = json.load(answer)["keys"]
            tag = answer.headers["ETag"]
            assert answer.headers["Cache-Control"] == "public, max-age=90"
        assert only["kid"] == "k7" and only["alg"] == "ES256" and "d" not in only
        assert status(document["jwks_uri"], {"If-None-Match": tag}) == (304, None)
        refused, wait = status(document["jwks_uri"])
        assert refused == 429 and 3540 <= int(wait) <= 3600
        assert status(f"http://{address}/other")[0] == 404


def patiently(url):
    for _ in range(600):
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.URLError:
            time.sleep(0.1)
    raise AssertionError(f"nothing listens at {url}")


def status(url, fields=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=fields or {}), timeout=60) as answer:
            return answer.status, None
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.headers["Retry-After"]


def test_a_figure_that_was_not_measured_keeps_no_threshold():
    with Gateway() as gateway:
        secret = str(gateway.secret_file)
        report = storms.run(
            "--url", f"ws://127.0.0.1:{gateway.port}", "--mint", "--secret-file", secret, "--clients", "5", "--hold", "1s",
            "--threshold", "refused.valid == 0", "--threshold", "jwks.requests < 20", expected=(1,))
    assert [(outcome["holds"], outcome["actual"]) for outcome in report["thresholds"]] == [(False, "none")] * 2
    assert "--serve-jwks" in report["thresholds"][0]["why"]
    assert "keys" not in report["result"]


@pytest.mark.parametrize("words, said", [
    (["--serve-jwks", "127.0.0.1:9090"], "--serve-jwks needs --mint"),
    (["--mint", "--serve-jwks", "127.0.0.1:0"], "the gateway must know the port"),
    (["--mint", "--serve-jwks", "0.0.0.0:9090"], "is not loopback: give --jwks-tls-certificate"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--processes", "2"], "one process"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--worker", "127.0.0.1:9"], "one process"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--secret-file", "SECRET"], "a private key on P-256"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--key-file", "ED25519"], "a private key on P-256"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--jwks-ahead", "1s"], "--jwks-ahead needs --jwks-rotate"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--jwks-tls-key", "SECRET"], "--jwks-tls-certificate"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--jwks-rotate", "1s"], "at most 100"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--jwks-limit", "ten"], "N/DURATION, as 10/60s"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--forge", "100"], "a percentage from 0 to 90"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--dialect", "sendbird"], "the vendor's own keys"),
    (["--mint", "--serve-jwks", "127.0.0.1:9090", "--serve-introspection", "--jwks-limit", "1/1s"],
     "--jwks-limit is about keys"),
    (["--jwks-rotate", "30s"], "--jwks-rotate needs --serve-jwks"),
    (["--mint", "--serve-introspection"], "--serve-introspection needs --serve-jwks"),
])
def test_flags_that_make_no_sense_are_refused_with_a_sentence(words, said, tmp_path):
    files = {"SECRET": tmp_path / "secret", "ED25519": tmp_path / "ed25519.pem"}
    files["SECRET"].write_text("a secret of more than thirty-two bytes")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", files["ED25519"]], check=True, timeout=60)
    words = [str(files.get(word, word)) for word in words]
    command = [os.environ["POSTERN"], "storm", "--url", "ws://127.0.0.1:9", "--hold", "1000s", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr, done.stderr


def test_a_port_that_another_program_has_is_named():
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        said = storms.run("--url", "ws://127.0.0.1:9", "--mint", "--serve-jwks", address, expected=(2,))
    assert f"--serve-jwks {address}: cannot listen on {address}: address already in use" in said


def test_opaque_tokens_are_introspected_and_forged_ones_are_refused():
    address = free_address()
    issuer = ["--introspection", f"http://{address}/introspect", "--introspection-cache", "0s"]
    fleet = ["--clients", "60", "--rate", "30", "--expiry", "own", "--life", "10s", "--waves", "2"]
    with Gateway(*issuer, "--refresh-lead", "5s") as gateway:
        report = storm(
            f"ws://127.0.0.1:{gateway.port}", address, "--serve-introspection", "--forge", "20", *fleet,
            limits=["refused.valid == 0", "forged.accepted == 0", "lost == 0", "connects.failed == 0"])
    keys = report["result"]["keys"]
    honest = keys["valid"]["shown"]
    assert keys["valid"]["accepted"] == honest > 100 and keys["forged"]["refused"] == keys["forged"]["shown"] > 0
    assert report["figures"]["introspection.requests"]["value"] == keys["introspections"] >= honest
    assert keys["requests"] == 0


def test_the_answers_about_opaque_tokens_are_those_of_rfc_7662():
    address = free_address()
    flags = ["--url", "ws://127.0.0.1:9", "--mint", "--serve-jwks", address, "--serve-introspection"]
    with storms.Running(*flags, "--clients", "600", "--rate", "1"):
        document = patiently(f"http://{address}/.well-known/openid-configuration")
        place = document["introspection_endpoint"]
        with urllib.request.urlopen(place, data=b"token=opaque_none&token_type_hint=access_token", timeout=60) as answer:
            assert json.load(answer) == {"active": False} and answer.headers["Cache-Control"] == "no-store"
        assert status(place)[0] == 405
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(place, data=b"other=1", timeout=60)

"""A worker's HTTP interface: which callers may order, what is refused, and TLS."""

import contextlib
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest

import storms
from storms import value
from test_workers import SECRET, children, flags, refused, secret, until, worker  # noqa: F401


class Call:
    """Requests to a worker."""

    def __init__(self, address, secret=SECRET):
        self.address, self.secret = address, secret

    def ask(self, method, path, body=None, **headers):
        """The answer; its body is not read yet."""
        connection = http.client.HTTPConnection(self.address, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.secret is not None:
            headers.setdefault("Authorization", f"Bearer {self.secret}")
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.call = connection
        answer.lines = lambda: [json.loads(line) for line in answer]
        return answer

    def says(self, *request, **headers):
        """The status of the answer, and its error message."""
        answer = self.ask(*request, **headers)
        text = answer.read()
        return answer.status, json.loads(text)["error"]["message"] if text.startswith(b"{") else text.decode()

    def order(self, words, gateway=None, storm="0123456789abcdef", **changes):
        part = {"process": 0, "processes": 1, "startsAt": time.time_ns(), "clockError": 0, "run": "5f", "pins": []}
        version = self.ask("GET", "/worker")
        order = {"version": json.loads(version.read())["version"], "storm": storm, "words": words, "environment": {}, "part": part}
        return self.ask("POST", "/parts", order | changes)


def hold(gateway, clients=1):
    return ["--url", gateway.url, "--clients", str(clients), "--hold", "60s"]


def test_each_request_needs_the_secret_and_comes_from_no_web_page(gateway, secret):
    with worker(secret) as (address, process):
        for stranger in (Call(address, None), Call(address, SECRET[:-1]), Call(address, SECRET + "x"), Call(address, "")):
            for request in [("GET", "/worker"), ("POST", "/parts", {}), ("DELETE", "/parts/0123456789abcdef"), ("GET", "/x")]:
                status, said = stranger.says(*request)
                assert status == 401 and "another secret" in said, request
            # Strangers may not send much either.
            status, said = stranger.says("POST", "/parts", {"x": "y" * 5000})
            assert status == 401 and "another secret" in said
        assert Call(address, None).says("GET", "/health") == (200, "ok\n")
        friend = Call(address)
        origins = [
            {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"},
            {"Referer": "https://evil.example/page"}]
        for origin in origins:
            assert friend.says("POST", "/parts", {}, **origin)[0] == 403, origin
        assert friend.says("POST", "/parts", b"{}", Content_Type="text/plain")[0] == 415
        assert friend.says("POST", "/parts", b"{}")[0] == 415
        assert friend.says("PUT", "/parts", {})[0] == 405 and friend.says("GET", "/parts")[0] == 405
        assert friend.says("DELETE", "/parts/0123456789abcdef") == (404, "the worker carries out no part of that storm")
        assert friend.says("GET", "/")[0] == 404
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec_WebSocket_Version": "13"}
        assert friend.ask("GET", "/parts", **upgrade).status == 404
        status = json.loads(friend.ask("GET", "/worker").read())
        assert status["parts"] == 0 and status["partsMax"] == 16 and abs(status["nanoseconds"] - time.time_ns()) < 60e9
        assert not children(process)


def test_a_worker_carries_out_one_storm_at_a_time(gateway, secret):
    with worker(secret, "--parts-max", "2") as (address, process):
        call = Call(address)
        first = call.order(hold(gateway))
        second = call.order(hold(gateway))
        assert first.status == second.status == 200
        full = call.order(hold(gateway))
        assert full.status == 409 and b"--parts-max 2" in full.read()
        other = call.order(hold(gateway), storm="f" * 16)
        assert other.status == 409 and b"carries out another storm" in other.read()
        # A storm finds this out before it begins.
        said = refused(*flags(gateway, address, secret=secret))
        assert f"--worker {address}: it carries out another storm; wait until that has ended" in said
        assert len(children(process)) == 2
        assert call.ask("DELETE", "/parts/" + "f" * 16).status == 404
        assert call.ask("DELETE", "/parts/0123456789abcdef").status == 204
        for answer in (first, second):
            *_, result, ended = answer.lines()
            assert "result" in result and ended == {"ended": {"status": 0, "said": ""}}
        until(lambda: json.loads(call.ask("GET", "/worker").read())["parts"] == 0)
        last = call.order(hold(gateway), storm="f" * 16)
        assert last.status == 200
        last.call.close()
        last.close()
        # A part whose storm is gone ends.
        until(lambda: not children(process))


def test_concurrent_orders_get_at_most_as_many_parts_as_there_are_places(gateway, secret):
    with worker(secret, "--parts-max", "4") as (address, process):
        answers = []
        gate = threading.Barrier(8)

        def order():
            gate.wait()
            answers.append(Call(address).order(hold(gateway)))

        threads = [threading.Thread(target=order) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.status for answer in answers) == [200] * 4 + [409] * 4
        assert len(children(process)) == 4


def test_a_storm_that_reads_nothing_stops_its_part_and_no_other(gateway, secret):
    """The part's lines wait for it, at most a megabyte."""
    with worker(secret) as (address, process):
        slow = Call(address).order(hold(gateway) + ["--live", "0"])
        time.sleep(1)
        quick = Call(address).order(hold(gateway))
        assert json.loads(quick.readline())
        memory = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096
        assert memory < 200 << 20
        assert len(children(process)) == 2
        slow.close()
        slow.call.close()
        until(lambda: len(children(process)) == 1)
        quick.call.close()


def test_a_worker_refuses_nonsense_and_survives(gateway, secret):
    words = ["--url", gateway.url]
    part = {"process": 0, "processes": 1, "startsAt": 0, "clockError": 0, "run": "", "pins": []}
    orders = [
        b"", b"{}", b"null", b"[" * 900, b"\0" * 50, b"x" * 5000, {"words": [], "environment": {}, "part": part},
        b"\xff" * 100_000,
    ]
    far = [
        part | {"process": 5, "startsAt": -(1 << 63), "clockError": (1 << 63) - 1},
        part | {"startsAt": (1 << 63) - 1, "clockError": -(1 << 63)}, part | {"processes": 0}, part | {"run": "\0"},
        part | {"pins": [{"host": "x", "addresses": ["nowhere"]}]},
    ]
    with worker(secret) as (address, process):
        call = Call(address)
        for body in orders:
            assert call.ask("POST", "/parts", body, Content_Type="application/json").status == 400, body
        assert call.ask("POST", "/parts", b"x" * (1 << 20 | 1), Content_Type="application/json").status == 413
        version = call.order(words, version="0.9")
        assert version.status == 409 and b"the storm is postern 0.9, and the worker is" in version.read()
        assert call.order(words, storm="../etc").status == 400
        # The process of a part refuses these, or ends by itself.
        for changes in [{"part": one} for one in far] + [
            {"words": ["--no-such-flag"]}, {"words": ["x" * 100_000]},
            {"words": ["--url", "ws://127.0.0.1:1", "--timeout", "1s"], "environment": {"PATH": "/nowhere", "POSTERN_NONSENSE": "1"}},
            {"environment": {"POSTERN_X\0": "y\0"}, "words": ["--no-such-flag"]},
        ]:
            answer = call.order(**({"words": words} | changes))
            assert answer.status == 500 or "ended" in answer.lines()[-1], changes
            assert process.poll() is None
            until(lambda: not children(process))
        storms.run(*flags(gateway, address, secret=secret, clients=5), "--hold", "3s")


def test_connections_that_say_nothing_keep_no_storm_out_of_a_worker(gateway, secret):
    with worker(secret, "--parts-max", "1") as (address, process), contextlib.ExitStack() as stack:
        host, port = address.split(":")
        silent = [stack.enter_context(socket.create_connection((host, int(port)), timeout=60)) for _ in range(100)]
        storms.run(*flags(gateway, address, secret=secret, clients=10), "--hold", "3s")
        # The oldest left to make room for the newest.
        assert silent[0].recv(1) == b""
        assert len(os.listdir(f"/proc/{process.pid}/task")) < 100


def test_a_part_that_cannot_be_carried_out_says_why(gateway, secret, tmp_path):
    """The storm's file does not exist on the worker's machine, as its process says."""
    here = tmp_path / "here"
    here.write_text("a secret to sign tokens with, long enough")

    def part(words):
        with worker(secret) as (address, _):
            return Call(address).order(words, gateway)

    answer = part(["--url", gateway.url, "--mint", "--secret-file", str(tmp_path / "not-here")])
    *_, last = answer.lines()
    assert last["ended"]["status"] == 2 and "does not exist" in last["ended"]["said"]


@pytest.fixture
def certificate(tmp_path):
    def make(name="worker", san="IP:127.0.0.1,DNS:localhost"):
        files = [str(tmp_path / f"{name}.{end}") for end in ("crt", "key")]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", f"/CN={name}", "-addext", f"subjectAltName={san}", "-out", files[0], "-keyout", files[1]],
            check=True, capture_output=True)
        return files

    return make


def test_a_worker_with_tls_is_trusted_by_its_certificate_only(gateway, secret, certificate, tmp_path):
    file, key = certificate()
    stranger, _ = certificate("stranger")
    with worker(secret, "--tls-certificate", file, "--tls-key", key) as (address, process):
        words = flags(gateway, f"https://{address}", secret=secret)
        report = storms.run(*words, "--worker-ca", file, "--hold", "3s")
        assert value(report, "connects.ok") == 60
        # The secret is never sent to a peer with another certificate.
        assert "--worker-ca names the file of the authority" in refused(*words)
        assert "--worker-ca names the file of the authority" in refused(*words, "--insecure")
        assert f"--worker {address}: " in refused(*words, "--worker-ca", stranger)
        assert f"name it as https://{address}" in refused(*flags(gateway, address, secret=secret))
        assert "--worker-ca" in refused(*words, "--worker-ca", str(tmp_path / "none"))
        # A renewed certificate is used after SIGHUP.
        renewed, renewed_key = certificate("renewed")
        Path(file).write_text(Path(renewed).read_text())
        Path(key).write_text(Path(renewed_key).read_text())
        process.send_signal(signal.SIGHUP)
        context = ssl.create_default_context(cafile=renewed)

        def has_renewed():
            try:
                with socket.create_connection(tuple(address.split(":"))) as plain:
                    context.wrap_socket(plain, server_hostname="127.0.0.1").close()
                return True
            except ssl.SSLError:
                return False

        until(has_renewed)
        storms.run(*words, "--worker-ca", renewed, "--hold", "3s")


def test_a_worker_off_loopback_has_tls_or_does_not_start(secret):
    def said(*flags):
        done = subprocess.run(
            [os.environ["POSTERN"], "worker", "--secret-file", secret, *flags], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and done.stdout == ""
        return done.stderr

    assert "give --tls-certificate and --tls-key" in said("--listen", "0.0.0.0:0")
    assert "give --tls-certificate and --tls-key" in said("--listen", "192.0.2.1:7300")
    assert "given together" in said("--tls-key", secret)

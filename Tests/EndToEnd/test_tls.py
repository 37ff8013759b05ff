"""TLS, and certificates that change while the gateway runs."""

import concurrent.futures
import http.client
import json
import signal
import socket
import ssl
import subprocess
import time

import pytest

from clients import Client
from gateway import Gateway, token


class Authority:
    """A self-signed certificate in the files that a gateway reads."""

    def __init__(self, folder):
        self.certificate, self.key = folder / "certificate.pem", folder / "key.pem"
        self.renew("first")

    def renew(self, name):
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        command += ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1"]
        command += ["-keyout", str(self.key), "-out", str(self.certificate)]
        subprocess.run(command, check=True, capture_output=True)

    def trust(self):
        context = ssl.create_default_context(cafile=str(self.certificate))
        return context


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


def name_of(client):
    subject = client.socket.socket.getpeercert()["subject"]
    return subject[0][0][1]


def test_a_certificate_is_read_again_on_sighup_and_open_sockets_stay(authority):
    flags = ["--tls-certificate", str(authority.certificate), "--tls-key", str(authority.key)]
    with Gateway(*flags) as gateway:
        assert gateway.url.startswith("wss://") and gateway.http_url.startswith("https://")
        with Client(gateway, token=token(), ssl=authority.trust()) as early:
            early.receive("connected")
            assert name_of(early) == "first"
            authority.renew("second")
            gateway.process.send_signal(signal.SIGHUP)
            gateway.logged("event=certificate_reloaded")
            with Client(gateway, token=token(), ssl=authority.trust()) as late:
                late.receive("connected")
                assert name_of(late) == "second"
            trust = authority.trust()
            authority.certificate.write_text("no certificate")
            gateway.process.send_signal(signal.SIGHUP)
            gateway.logged("event=certificate_kept")
            with Client(gateway, token=token(), ssl=trust) as later:
                later.receive("connected")
                assert name_of(later) == "second"
            assert early.is_alive()
            connection = http.client.HTTPSConnection("127.0.0.1", gateway.port, timeout=60, context=trust)
            connection.request("POST", "/v1/guests")
            assert connection.getresponse().status == 201
            connection.close()


def posted(gateway, trust, size):
    """The answer to a POST of this many bytes, head and body in one TLS record, and how long it took."""
    body = json.dumps({"user_id": "ann"}).encode()
    body += b" " * (size - len(body))
    head = "POST /v1/tokens HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    head = f"{head}Content-Length: {len(body)}\r\n\r\n".encode()
    start = time.monotonic()
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as plain:
        with trust.wrap_socket(plain, server_hostname="127.0.0.1") as client:
            client.sendall(head + body)
            answer = b""
            while more := client.recv(65536):
                answer += more
    return answer.split(b"\r\n")[0], time.monotonic() - start


def test_a_head_and_a_body_in_one_record_of_any_size_are_read_at_once(authority):
    flags = ["--tls-certificate", str(authority.certificate), "--tls-key", str(authority.key)]
    with Gateway(*flags) as gateway:
        trust = authority.trust()
        sizes = [*range(3300, 4300, 100), 5000, 7500, 8000, 8192, 12000, 15000, 16000, 16200, 17000, 33000, 64000]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            results = dict(zip(sizes, pool.map(lambda size: posted(gateway, trust, size), sizes)))
        assert {size: line for size, (line, _) in results.items() if line != b"HTTP/1.1 200 OK"} == {}
        # A busy machine may delay some. A fault that waits for bytes which are already there would wait each time.
        late = [size for size, (_, seconds) in results.items() if seconds >= 15]
        assert all(any(posted(gateway, trust, size)[1] < 15 for _ in range(5)) for size in late), late


def test_a_client_without_tls_affects_no_other(authority):
    flags = ["--tls-certificate", str(authority.certificate), "--tls-key", str(authority.key)]
    with Gateway(*flags) as gateway:
        with pytest.raises(Exception):
            Client(gateway, token=token(), url=f"ws://127.0.0.1:{gateway.port}")
        with Client(gateway, token=token(), ssl=authority.trust()) as client:
            client.receive("connected")


def test_a_certificate_that_cannot_be_read_is_said_at_the_start(tmp_path):
    with pytest.raises(RuntimeError) as failure:
        with Gateway("--tls-certificate", str(tmp_path / "missing.pem"), "--tls-key", str(tmp_path / "key.pem")):
            pass
    assert "missing.pem" in str(failure.value)

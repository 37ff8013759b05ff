"""TLS faults are reported by name: of our own certificate at the start, of a server's when we dial, of a client's handshake in
the metrics."""

import contextlib
import datetime
import ipaddress
import json
import os
import re
import socket
import ssl
import struct
import subprocess
import threading
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from clients import Client, control
from described import WIRES
from gateway import SECRET, Gateway, token

WIRE = WIRES / "postern-plain.json"
NOW = datetime.datetime.now(datetime.timezone.utc)


def certificate(folder, name="127.0.0.1", start=-1, end=1, password=None):
    """The files of a certificate for that address, valid from `start` to `end` days from now, and of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    builder = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(NOW + datetime.timedelta(days=start))
    builder = builder.not_valid_after(NOW + datetime.timedelta(days=end))
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(name))])
    made = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    encryption = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption))
    return files


# -- Our own certificate

def start_failure(certificate_file, key_file):
    flags = ["--tls-certificate", str(certificate_file), "--tls-key", str(key_file)]
    with pytest.raises(RuntimeError) as failure:
        with Gateway(*flags):
            pass
    text = str(failure.value)
    assert "BEGIN" not in text
    return text


@pytest.mark.parametrize(
    "options, hint", [({"end": -0.5}, "has expired: "), ({"start": 1, "end": 2}, "is not valid before "),
                      ({"password": b"sesame"}, "is encrypted")])
def test_a_certificate_that_no_client_would_take_is_refused_at_the_start(tmp_path, options, hint):
    line = start_failure(*certificate(tmp_path, **options))
    assert hint in line and str(tmp_path) in line


def test_files_that_are_no_certificate_or_no_key_are_named(tmp_path):
    good, key = certificate(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    _, foreign_key = certificate(other)
    empty = tmp_path / "empty"
    empty.write_text("")
    assert f"--tls-certificate: '{tmp_path}/none' does not exist" in start_failure(tmp_path / "none", key)
    assert f"--tls-key: '{tmp_path}/none' does not exist" in start_failure(good, tmp_path / "none")
    assert f"--tls-certificate: '{tmp_path}' is a directory" in start_failure(tmp_path, key)
    assert f"--tls-key: '{tmp_path}' is a directory" in start_failure(good, tmp_path)
    assert f"{foreign_key} is not the key of the certificate {good}" in start_failure(good, foreign_key)
    assert f"{empty} holds no PEM certificate" in start_failure(empty, key)
    assert f"{good} holds no PEM private key" in start_failure(good, good)
    if os.geteuid() != 0:
        key.chmod(0)
        assert f"--tls-key: '{key}' may not be read: permission denied" in start_failure(good, key)


# -- A server's

@contextlib.contextmanager
def server(answer):
    """A listener that passes each connection to `answer`; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        def serve():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection, contextlib.suppress(OSError):
                    connection.settimeout(10)
                    answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]


def tls_server(files, **changes):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    for name, value in changes.items():
        setattr(context, name, value)

    def answer(connection):
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(4096)
            secure.sendall(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")

    return server(answer)


def plain_server():
    def answer(connection):
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")

    return server(answer)


def alert_server():
    """Sends `handshake_failure`, like a server that shares no cipher."""
    def answer(connection):
        connection.recv(4096)
        connection.sendall(b"\x15\x03\x03\x00\x02\x02\x28")
        time.sleep(0.2)

    return server(answer)


def ctl(url, trusted=None):
    environment = {**os.environ, **({"SSL_CERT_FILE": str(trusted)} if trusted else {})}
    command = [os.environ["POSTERN"], "ctl", "health", "--url", url]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=40).stderr


def storm(url, folder, trusted=None):
    """The reasons why a storm's clients were refused."""
    environment = {**os.environ, **({"SSL_CERT_FILE": str(trusted)} if trusted else {})}
    secret = folder / "secret"
    secret.write_text(SECRET)
    command = [os.environ["POSTERN"], "storm", "--url", url, "--mint", "--secret-file", str(secret), "--clients", "3"]
    command += ["--rate", "100", "--timeout", "20s", "--connect-timeout", "5s", "--report", str(folder / "report")]
    subprocess.run(command, env=environment, capture_output=True, timeout=60)
    return (folder / "report" / "storm.json").read_text()


CASES = {
    "nobody we trust": (lambda files: tls_server(files), {}, False, "tls_certificate_untrusted", "the system trusts no authority"),
    "another name": (lambda files: tls_server(files), {"name": "127.0.0.2"}, True, "tls_certificate_wrong_name", "another name"),
    "expired": (lambda files: tls_server(files), {"end": -0.5}, True, "tls_certificate_expired", "has expired"),
    "too early": (
        lambda files: tls_server(files), {"start": 0.5}, True, "tls_certificate_not_yet_valid", "not valid yet"),
    "plain text": (lambda files: plain_server(), {}, True, "tls_peer_speaks_plain_text", "speaks plain text"),
    "an alert": (lambda files: alert_server(), {}, True, "tls_handshake_failed", "TLS handshake failed"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_dialled_servers_tls_failure_is_named(tmp_path, case):
    serve, options, is_trusted, reason, words = CASES[case]
    files = certificate(tmp_path, **options)
    trusted = files[0] if is_trusted else None
    with serve(files) as port:
        text = ctl(f"https://127.0.0.1:{port}", trusted)
        assert words in text and f"https://127.0.0.1:{port}" in text
        assert reason in storm(f"wss://127.0.0.1:{port}", tmp_path, trusted)


def test_plain_text_to_a_server_of_tls_is_named(tmp_path):
    with alert_server() as port:
        assert "speaks TLS on this port" in ctl(f"http://127.0.0.1:{port}")
        assert "peer_wants_tls" in storm(f"ws://127.0.0.1:{port}", tmp_path)


def silent_server():
    """Closes without an answer whatever it does not understand."""
    return server(lambda connection: connection.recv(4096))


def test_an_address_of_the_wrong_kind_leads_to_the_right_one(tmp_path):
    """A TLS gateway says so, or sends nothing. A plain text one answers 400, or sends nothing. It is the same in `storm` and in
    `wire try`."""
    (tmp_path / "secret").write_text(SECRET)

    def told(url, trusted=None):
        environment = {**os.environ, **({"SSL_CERT_FILE": str(trusted)} if trusted else {})}
        flags = ["--url", url, "--mint", "--secret-file", str(tmp_path / "secret"), "--timeout", "30s"]
        tried = subprocess.run(
            [os.environ["POSTERN"], "wire", "try", "--wire", str(WIRE), *flags], env=environment, capture_output=True,
            text=True, timeout=60)
        assert tried.returncode == 1, tried
        return tried.stdout, json.loads(storm(url, tmp_path, trusted))["caveats"]

    files = certificate(tmp_path)
    with Gateway("--tls-certificate", str(files[0]), "--tls-key", str(files[1])) as gateway:
        for said in told(gateway.url.replace("wss:", "ws:")):
            assert "--url with wss://" in str(said)
    with Gateway() as gateway:
        for said in told(gateway.url.replace("ws:", "wss:"), files[0]):
            assert "the server speaks plain text on this port, not TLS; --url with ws://" in str(said)
    with silent_server() as port:
        for said in told(f"ws://127.0.0.1:{port}"):
            assert "if it wants TLS, --url with wss://" in str(said)
        for said in told(f"wss://127.0.0.1:{port}", files[0]):
            assert "if no TLS is spoken there, --url with ws://" in str(said)


def test_a_trusted_certificate_is_taken_by_address(tmp_path):
    files = certificate(tmp_path)
    flags = ["--tls-certificate", str(files[0]), "--tls-key", str(files[1])]
    with Gateway(*flags) as gateway:
        report = json.loads(storm(gateway.url, tmp_path, files[0]))
        assert "tls_" not in json.dumps(report)
        assert "speaks plain text" in ctl(gateway.control_url.replace("http:", "https:"))


# -- A client's

def test_failed_handshakes_are_counted_by_their_reasons(tmp_path):
    files = certificate(tmp_path)
    flags = ["--tls-certificate", str(files[0]), "--tls-key", str(files[1])]
    with Gateway(*flags) as gateway:
        def counts():
            text = control(gateway, "GET", "/metrics").body.decode()
            found = re.findall(r'postern_transport_refusals_total\{reason="(tls_\w+)"\} (\d+)', text)
            return {name: int(count) for name, count in found if count != "0"}

        def wait_for(expected):
            deadline = time.monotonic() + 60
            while counts() != expected:
                assert time.monotonic() < deadline, counts()
                time.sleep(0.05)

        def talk(data):
            with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as client:
                client.sendall(data)
                with contextlib.suppress(ConnectionError):
                    client.recv(4096)

        assert counts() == {}
        talk(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_for({"tls_plain_text": 1})
        with pytest.raises(ssl.SSLError):
            with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as client:
                ssl.create_default_context().wrap_socket(client, server_hostname="127.0.0.1")
        wait_for({"tls_plain_text": 1, "tls_alert": 1})
        hello = b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"
        talk(hello)
        wait_for({"tls_plain_text": 1, "tls_alert": 1, "tls_handshake": 1})
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as client:
            client.sendall(hello[:4])
        wait_for({"tls_plain_text": 1, "tls_alert": 1, "tls_handshake": 1, "tls_unfinished": 2})
        trust = ssl.create_default_context(cafile=str(files[0]))
        with Client(gateway, token=token(), ssl=trust) as client:
            client.receive("connected")
        assert sum(counts().values()) == 5

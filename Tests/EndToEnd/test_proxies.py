"""The client's address behind proxies: HAProxy's own PROXY protocol and fields, and those of others."""

import re
import socket
import struct
import time

import pytest

from clients import Client, control, request
from gateway import Gateway, token
from proxies import HAProxy
from test_tls import Authority

TRUST = ["--trusted-proxy", "127.0.0.1"]
PROTOCOL = [*TRUST, "--proxy-protocol"]
LOGIN = "GET /v1/connect HTTP/1.1\r\nHost: localhost\r\n\r\n"


def peer_of(gateway, client):
    connection = client.receive("connected")["connection_id"]
    return control(gateway, "GET", f"/sessions/{connection}").json["peer"]


def refusals(gateway, reason):
    text = control(gateway, "GET", "/metrics").body.decode()
    return int(re.search(rf'postern_transport_refusals_total\{{reason="{reason}"\}} (\d+)', text)[1])


@pytest.mark.parametrize("how", ["send-proxy", "send-proxy-v2", "send-proxy-v2 proxy-v2-options unique-id,crc32c"])
def test_haproxy_says_by_the_proxy_protocol_whose_a_connection_is(how):
    with Gateway(*PROTOCOL) as gateway, HAProxy(gateway, how) as proxy:
        with Client(gateway, token=token("ann"), url=proxy.url, source_address=("127.0.0.9", 0)) as ann:
            assert peer_of(gateway, ann) == "127.0.0.9"
            with Client(gateway, token=token("bob"), url=proxy.url, source_address=("127.0.0.77", 0)) as bob:
                assert peer_of(gateway, bob) == "127.0.0.77"
            assert ann.is_alive()
        for _ in range(20):
            assert request(proxy.http_url, "POST", "/v1/guests").status == 201
        assert refusals(gateway, "proxy_header") == 0


@pytest.mark.parametrize("how", ["send-proxy", "send-proxy-v2"])
def test_haproxy_passes_tls_through_behind_the_proxy_protocol(tmp_path, how):
    authority = Authority(tmp_path)
    flags = ["--tls-certificate", str(authority.certificate), "--tls-key", str(authority.key)]
    with Gateway(*flags, *PROTOCOL) as gateway, HAProxy(gateway, how) as proxy:
        options = {"ssl": authority.trust(), "source_address": ("127.0.0.9", 0)}
        with Client(gateway, token=token("ann"), url=proxy.url, **options) as ann:
            assert peer_of(gateway, ann) == "127.0.0.9"
            assert ann.is_alive()


@pytest.mark.parametrize(
    "settings",
    [
        "option forwardfor",
        "http-request set-header Forwarded for=%[src]",
        "http-request set-header Forwarded \"for=\\\"%[src]:%[src_port]\\\";proto=http\"\noption forwardfor",
    ],
)
def test_haproxy_says_by_a_field_whose_a_request_is(settings):
    with Gateway(*TRUST) as gateway, HAProxy(gateway, settings="mode http\n" + settings) as proxy:
        # A field that the client itself wrote comes first.
        own = {"X-Forwarded-For": "203.0.113.66"} if settings == "option forwardfor" else {}
        with Client(
            gateway, token=token("ann"), url=proxy.url, source_address=("127.0.0.9", 0)) as ann:
            assert peer_of(gateway, ann) == "127.0.0.9"
        assert request(proxy.http_url, "POST", "/v1/guests", headers=own).status == 201


def raw_peer(gateway, lines="", before=b"", source="127.0.0.1"):
    """The peer that the control API shows for a socket from `source` with these fields."""
    user = f"user{time.monotonic_ns()}"
    head = f"GET /v1/connect HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    head += f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{lines}"
    head += f"Authorization: Bearer {token(user)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=60, source_address=(source, 0)) as client:
        client.sendall(before + head.encode())
        answer = b""
        while b"connected" not in answer:
            try:
                more = client.recv(4096)
            except ConnectionResetError:
                return None
            if not more:
                return None
            answer += more
        sessions = control(gateway, "GET", f"/sessions?user={user}").json["sessions"]
        return sessions[0]["peer"]


def test_fields_count_where_a_named_proxy_sends_them_and_nowhere_else():
    with Gateway("--trusted-proxy", "127.0.0.1", "--trusted-proxy", "10.0.0.0/8") as gateway:
        for lines, peer in [
            ("X-Forwarded-For: 203.0.113.7\r\n", "203.0.113.7"),
            ("X-Forwarded-For: 198.51.100.1, 203.0.113.7, 10.1.1.1\r\n", "203.0.113.7"),
            ("X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 203.0.113.7\r\n", "203.0.113.7"),
            ("Forwarded: for=\"[2001:DB8::7]:4711\";proto=https\r\n", "2001:db8::7"),
            ("Forwarded: for=_hidden\r\n", "127.0.0.1"), ("X-Forwarded-For: unknown\r\n", "127.0.0.1"),
            ("Forwarded: for=1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\n", "127.0.0.1"), ("", "127.0.0.1"),
        ]:
            assert raw_peer(gateway, lines) == peer, lines
            assert raw_peer(gateway, lines, source="127.0.0.2") == "127.0.0.2", "no proxy of ours"
    with Gateway() as gateway:
        assert raw_peer(gateway, "X-Forwarded-For: 203.0.113.7\r\n") == "127.0.0.1"


SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def version_2(addresses=b"", command=0x21, family=0x11):
    return SIGNATURE + struct.pack("!BBH", command, family, len(addresses)) + addresses


ANN = bytes([203, 0, 113, 7, 192, 0, 2, 1, 1, 2, 3, 4])


def test_the_proxy_protocol_is_required_from_named_proxies_only():
    with Gateway(*PROTOCOL) as gateway:
        for before, peer in [
            (b"PROXY TCP4 203.0.113.7 192.0.2.1 56324 443\r\n", "203.0.113.7"),
            (b"PROXY TCP6 2001:DB8::7 ::1 56324 443\r\n", "2001:db8::7"), (b"PROXY UNKNOWN\r\n", "127.0.0.1"),
            (version_2(ANN), "203.0.113.7"), (version_2(ANN + b"\x04\0\x03abc"), "203.0.113.7"),
            (version_2(command=0x20, family=0), "127.0.0.1"), (version_2(ANN, command=0x20), "127.0.0.1"),
        ]:
            assert raw_peer(gateway, before=before) == peer, before
        # A proxy's fields count as well if the client that it names is one of our proxies.
        inner = b"PROXY TCP4 127.0.0.1 192.0.2.1 1 2\r\n"
        assert raw_peer(gateway, "X-Forwarded-For: 203.0.113.8\r\n", inner) == "203.0.113.8"
        assert raw_peer(gateway, source="127.0.0.2") == "127.0.0.2"
        before = refusals(gateway, "proxy_header")
        wrong = [b"", b"PROXY TCP4 1.2.3.4\r\n", b"PROXY UNKNOWN " + b"x" * 200, version_2(b"abc"), version_2(b"x" * 5000)]
        for header in wrong:
            assert raw_peer(gateway, before=header) is None
        assert refusals(gateway, "proxy_header") == before + len(wrong)
        assert raw_peer(gateway, before=version_2(ANN), source="127.0.0.2") is None, "a header of nobody's"


def test_a_proxy_protocol_header_may_come_in_pieces_and_must_come_in_time():
    with Gateway(*PROTOCOL) as gateway:
        whole = b"PROXY TCP4 203.0.113.7 192.0.2.1 56324 443\r\n" + LOGIN.encode()
        for header in (whole, version_2(ANN + b"\x04\0\x03abc") + LOGIN.encode()):
            with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as client:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for byte in header:
                    client.send(bytes([byte]))
                    time.sleep(0.001)
                assert client.recv(4096).startswith(b"HTTP/1.1 426")
        start = time.monotonic()
        silent = [socket.create_connection(("127.0.0.1", gateway.port), timeout=60) for _ in range(20)]
        for index, client in enumerate(silent):
            client.sendall(whole[:index])
        for client in silent:
            assert client.recv(10) == b""
            client.close()
        assert time.monotonic() - start > 8
        assert raw_peer(gateway, before=b"PROXY UNKNOWN\r\n") == "127.0.0.1"


def test_a_drain_does_not_wait_for_connections_whose_proxy_is_silent():
    with Gateway(*PROTOCOL) as gateway:
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as silent:
            silent.sendall(b"PROXY")
            time.sleep(0.1)
            gateway.process.terminate()
            assert gateway.process.wait(timeout=60) == 0


@pytest.mark.parametrize(
    "flags, hint",
    [
        (["--proxy-protocol"], "--trusted-proxy"), (["--trusted-proxy", "10.0.0.1/8"], "10.0.0.1/8"),
        (["--trusted-proxy", "proxy.example"], "proxy.example"), (["--trusted-proxy", "10.0.0.0/33"], "10.0.0.0/33"),
    ],
)
def test_an_invalid_proxy_is_refused_at_the_start(flags, hint):
    with pytest.raises(RuntimeError) as failure:
        with Gateway(*flags):
            pass
    assert hint in str(failure.value)

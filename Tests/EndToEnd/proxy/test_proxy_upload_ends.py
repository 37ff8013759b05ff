"""The ends of large bodies of requests through `postern proxy`: refusals, clients and servers that leave, faults."""

import contextlib
import hashlib
import http.client
import json
import socket
import struct
import threading
import time

import pytest
from proxied import Proxy, Route
from uploading import BLOCK, Server, connections, curl, digest, framing, pieces, refused, until


@pytest.fixture(scope="module")
def server():
    with Server() as server:
        yield server


@pytest.fixture(scope="module")
def proxy(server):
    with Proxy(server.http_url, "--control-port", "0") as proxy:
        yield proxy


@pytest.mark.parametrize("chunked", [False, True])
def test_a_refusal_in_mid_body_reaches_the_client_and_ends_the_connection(proxy, chunked):
    size = 64 << 20
    status, fields, body = curl(proxy.http_url + "/refuse", size, *framing(size, chunked))
    assert status == 413 and body == b"too much for me" and fields["x-own"] == "1"
    assert fields["connection"] == "close" and "postern-proxy" not in fields


def test_a_client_that_sends_everything_before_it_reads_gets_the_refusal(proxy):
    size = 16 << 20
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
    connection.request("POST", "/refuse", b"".join(pieces(size)))
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (413, b"too much for me")
    connection.close()


def test_an_answer_may_begin_before_the_body_has_ended(proxy):
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
        client.sendall(b"POST /early HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n" + b"x" * 100_000)
        said = b""
        while b"begun " not in said:
            said += client.recv(65_536)
        client.sendall(b"x" * 100_000)
        while piece := client.recv(65_536):
            said += piece
        assert b"HTTP/1.1 200 " in said and b"connection: close" in said and b"200000" in said.partition(b"begun ")[2]


def test_an_echo_of_a_large_body_comes_back_whole_while_it_is_sent(proxy):
    size = 8 << 20
    status, _, body = curl(proxy.http_url + "/echo", size, "-X", "POST")
    assert status == 200 and hashlib.sha256(body).hexdigest() == digest(size)


def test_a_server_that_dies_in_mid_body_is_unreachable(proxy):
    status, fields, _ = curl(proxy.http_url + "/die", 16 << 20)
    assert status == 502 and fields["postern-proxy"] == "upstream_unreachable"
    assert proxy.lines("upstream_failed")[-1]["failure"] == "upstream_unreachable"
    assert proxy.lines("http_answered")[-1]["status"] == 502


def test_expect_is_answered_only_if_the_server_is_asked(server, proxy):
    head = b"PUT /sum HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n"
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
        client.sendall(head)
        assert client.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"x" * 100_000)
        assert client.recv(65_536).startswith(b"HTTP/1.1 200 ")
    number = proxy.fail(fault="answer_with", route="PUT /sum", status=503)
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
        client.sendall(head)
        assert client.recv(65_536).startswith(b"HTTP/1.1 503 ")
    assert proxy.ask("DELETE", f"/faults/{number}")[0] == 200


@pytest.mark.parametrize("path, reads", [("/hold", True), ("/slow", False)])
def test_a_client_that_leaves_in_mid_body_takes_the_request_along(server, path, reads):
    """Also if the server reads nothing, so that the proxy reads nothing either: then a reset is seen, which overtakes the bytes."""
    server.begun.clear(), server.ended.clear(), server.go_on.clear()
    with Proxy(server.http_url, "--control-port", "0") as proxy:
        client = socket.create_connection(("127.0.0.1", proxy.port))
        client.sendall(b"PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n" % path.encode())
        client.settimeout(1)
        with contextlib.suppress(TimeoutError):
            for _ in range(10 if reads else 3000):
                client.sendall(BLOCK)
        if not reads:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        # The connection to the server ends, and the one of the client.
        until(lambda: not connections(proxy, server.port) and not connections(proxy, proxy.port))
        if reads:
            until(lambda: server.ended)
        assert proxy.lines("upstream_failed") == []


def test_a_client_that_stalls_in_mid_body_gets_408(server):
    with Proxy(server.http_url) as proxy, socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
        client.sendall(b"PUT /hold HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n" + BLOCK * 2)
        begun = time.monotonic()
        said = b""
        while piece := client.recv(65_536):
            said += piece
        assert said.startswith(b"HTTP/1.1 408 ") and 8 < time.monotonic() - begun < 50
        until(lambda: not connections(proxy, server.port))


def test_deleting_a_route_ends_an_upload_and_leaves_nothing(server):
    server.go_on.clear()
    with Proxy(None, "--spaces", "--control-port", "0") as proxy:
        for path in ("/hold", "/slow"):
            route = Route(proxy, server.http_url)
            begun = len(server.begun)
            with socket.create_connection(("127.0.0.1", route.made["port"]), timeout=60) as client:
                client.sendall(b"PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n" % path.encode() + BLOCK * 8)
                until(lambda: connections(proxy, server.port))
                if path == "/hold":
                    until(lambda: len(server.begun) > begun)
                ending = threading.Thread(target=route.__exit__)
                ending.start()
                said = b""
                with contextlib.suppress(ConnectionResetError):
                    while piece := client.recv(65_536):
                        said += piece
                assert said.startswith(b"HTTP/1.1 503 ") and b"postern-proxy: ending" in said
                ending.join(60)
            until(lambda: not connections(proxy, server.port) and not connections(proxy, route.made["port"]))
            assert proxy.ask("GET", "/spaces")[1]["spaces"] == []
    server.go_on.set()


def test_a_proxy_that_ends_waits_for_an_upload(server):
    proxy = Proxy(server.http_url).__enter__()
    ending = threading.Thread(target=proxy.__exit__, args=(None,))
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
        client.sendall(b"PUT /sum HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n" + b"x" * 100_000)
        until(lambda: connections(proxy, server.port))
        ending.start()
        # The end closes the port; the upload goes on.
        until(lambda: refused(proxy.port))
        client.sendall(b"x" * 100_000)
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert answer.status == 200 and json.loads(answer.read())["length"] == 200_000
    ending.join(60)
    assert proxy.process.returncode == 0


def test_a_large_body_counts_against_the_bytes_per_second(server):
    with Proxy(server.http_url, "--bytes-per-second", "1048576") as proxy:
        begun = time.monotonic()
        assert curl(proxy.http_url + "/sum", 4 << 20)[0] == 200
        # The first second's are sent at once.
        assert 2 < time.monotonic() - begun < 60


@pytest.mark.parametrize("chunk", [b"10000;\r\n", b"x\r\n", b"-1\r\n", b"10001\r\n" + b"y" * 0x10001 + b"\n\n"])
def test_malformed_chunks_behind_64_kib_are_refused_and_hide_no_request(server, proxy, chunk):
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
        client.sendall(b"PUT /sum HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n" + b"x" * 0x20000 + b"\r\n" + chunk)
        with contextlib.suppress(OSError):
            client.sendall(b"0\r\n\r\nGET /sum?smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n")
        said = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := client.recv(65_536):
                said += piece
    assert said.count(b"HTTP/1.1 ") <= 1 and b"HTTP/1.1 200" not in said
    if chunk != b"10000;\r\n":
        assert said.startswith(b"HTTP/1.1 400 ")
    assert "/sum?smuggled" not in server.paths


def test_faults_of_http_meet_large_bodies_and_the_journal_has_their_lines(server, proxy):
    # Requests of the tests before may still reach the server.
    size, path = 5 << 20, "/sum?faulted"
    number = proxy.fail(fault="answer_with", route="PUT /sum", status=500)
    status, fields, _ = curl(proxy.http_url + path, size)
    assert status == 500 and fields["postern-proxy"] == "fault" and path not in server.paths
    assert proxy.ask("DELETE", f"/faults/{number}")[0] == 200
    number = proxy.fail(fault="answer_with", after="upstream", route="PUT /sum", status=503)
    assert curl(proxy.http_url + path, size)[0] == 503 and server.paths.count(path) == 1
    assert proxy.ask("DELETE", f"/faults/{number}")[0] == 200
    number = proxy.fail(fault="answer_late", route="PUT /sum", by_ms=1500, times=1)
    begun = time.monotonic()
    status, _, body = curl(proxy.http_url + path, size, *framing(size, False))
    assert status == 200 and json.loads(body)["sha256"] == digest(size) and time.monotonic() - begun > 1.5
    assert [(line["route"], line["status"]) for line in proxy.lines("http_answered")[-3:]] == [("PUT /sum", 500), ("PUT /sum", 503), ("PUT /sum", 200)]

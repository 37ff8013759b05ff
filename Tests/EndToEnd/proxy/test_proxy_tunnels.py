"""`postern proxy --ca` before a server with TLS that stands for a vendor's: clients of others come by CONNECT."""

import asyncio
import json
import os
import pathlib
import shutil
import socket
import ssl
import stat
import subprocess
import threading
import time

import aiohttp
import pytest
import requests
from proxied import Proxy, WebServer, WebsocketsServer, web
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

HOST = "vendor.localhost"
SECRET = "marked-secret-4711"


def postern(*words, status=0):
    done = subprocess.run([os.environ["POSTERN"], *words], capture_output=True, text=True, timeout=90)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tunnels")


@pytest.fixture(scope="module")
def ca(folder):
    out = folder / "ca"
    said = postern("proxy", "ca", "--name", "realtime.example", "--out", str(out))
    assert "never    install it for the whole system" in said
    return out


@pytest.fixture(scope="module")
def vendor_files(folder):
    """The vendor's own certificate, of an authority that has nothing to do with the proxy's."""
    files = str(folder / "vendor.pem"), str(folder / "vendor-key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=vendor",
         "-addext", f"subjectAltName=DNS:{HOST}", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


def context_of(files):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    return context


@pytest.fixture(scope="module")
def vendor(vendor_files):
    with WebsocketsServer(ssl=context_of(vendor_files)) as server:
        yield server


class SecureWebServer(WebServer):
    def __init__(self, add, files):
        super().__init__(add)
        self.files = files

    async def start(self):
        application = web.Application()
        self.add(application.router)
        self.runner = web.AppRunner(application, shutdown_timeout=1)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", 0, ssl_context=context_of(self.files))
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]


@pytest.fixture(scope="module")
def api(vendor_files):
    async def echo(request):
        return web.json_response({"path": request.path_qs, "authorization": request.headers.get("Authorization"), "body": (await request.read()).decode()})

    async def live(request):
        answer = web.WebSocketResponse()
        await answer.prepare(request)
        async for message in answer:
            await answer.send_str(message.data)
        return answer

    def add(router):
        router.add_get("/live", live)
        router.add_route("*", "/{tail:.*}", echo)

    with SecureWebServer(add, vendor_files) as server:
        yield server


def proxy_to(port, ca, vendor_files, *flags):
    return Proxy(f"wss://{HOST}:{port}", "--upstream-ca", vendor_files[0], "--ca", str(ca), *flags)


@pytest.fixture(scope="module")
def proxy(vendor, ca, vendor_files, folder):
    with proxy_to(vendor.port, ca, vendor_files, "--control-port", "0", "--record", str(folder / "run.jsonl")) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def api_proxy(api, ca, vendor_files):
    with proxy_to(api.port, ca, vendor_files, "--control-port", "0") as proxy:
        yield proxy


def trusting(ca):
    """The environment that `postern proxy ca` prints is what these clients read."""
    return ssl.create_default_context(cafile=str(ca / "ca.pem"))


# MARK: the authority

def test_the_authority_is_private_constrained_and_never_replaced(ca):
    for name in ("ca.pem", "ca-key.pem"):
        assert stat.S_IMODE((ca / name).stat().st_mode) == 0o600
    text = subprocess.run(["openssl", "x509", "-in", str(ca / "ca.pem"), "-noout", "-text"], capture_output=True, text=True, check=True).stdout
    assert "X509v3 Name Constraints: critical" in text and "DNS:realtime.example" in text and "pathlen:0" in text
    before = (ca / "ca-key.pem").read_bytes()
    assert "exists already" in postern("proxy", "ca", "--out", str(ca), status=2)
    assert (ca / "ca-key.pem").read_bytes() == before
    environment = postern("proxy", "ca", "--env", str(ca))
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE"):
        assert f"export {name}={ca}/ca.pem" in environment


@pytest.mark.parametrize("name", ["", "a,DNS:b", "a/b", "realtime.example:443", ".example", "a b", "é.example", "x" * 300])
def test_what_is_no_host_is_refused(folder, name):
    assert "a host as realtime.example" in postern("proxy", "ca", "--name", name, "--out", str(folder / "no"), status=2)


def test_a_leaf_for_another_host_is_refused_by_openssl(ca, folder):
    """A leaked key forges nothing else."""
    key, request, leaf, extension = (str(folder / name) for name in ("bank.key", "bank.csr", "bank.pem", "bank.ext"))
    for host, is_trusted in (("bank.example", False), ("realtime.example", True), ("api.realtime.example", True)):
        pathlib.Path(extension).write_text(f"subjectAltName=DNS:{host}\n")
        subprocess.run(["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/O=x", "-keyout", key, "-out", request], check=True, capture_output=True)
        subprocess.run(["openssl", "x509", "-req", "-in", request, "-CA", str(ca / "ca.pem"), "-CAkey", str(ca / "ca-key.pem"), "-CAcreateserial",
                        "-CAserial", str(folder / "serial"), "-extfile", extension, "-out", leaf], check=True, capture_output=True)
        done = subprocess.run(["openssl", "verify", "-CAfile", str(ca / "ca.pem"), leaf], capture_output=True, text=True)
        assert (done.returncode == 0) == is_trusted, done.stdout + done.stderr


def test_an_authority_without_constraints_is_not_used(vendor_files, folder):
    other = folder / "other"
    other.mkdir()
    shutil.copy(vendor_files[0], other / "ca.pem")
    shutil.copy(vendor_files[1], other / "ca-key.pem")
    assert "critical name constraints" in postern("proxy", "--to", "wss://127.0.0.1:1", "--ca", str(other), "--port", "0", status=2)


def test_a_target_that_the_authority_does_not_allow_is_said_at_the_start(ca):
    said = postern("proxy", "--to", "wss://127.0.0.2:1", "--ca", str(ca), "--port", "0", status=2)
    assert "name constraints do not allow 127.0.0.2" in said and "postern proxy ca --name 127.0.0.2" in said


# MARK: clients

def test_websockets_by_its_environment(vendor, proxy, ca, monkeypatch):
    monkeypatch.setenv("https_proxy", proxy.http_url)
    monkeypatch.setenv("SSL_CERT_FILE", str(ca / "ca.pem"))

    async def talk():
        async with connect(f"wss://{HOST}:{vendor.port}/env?token={SECRET}", subprotocols=["two"], ping_interval=None, max_size=None, open_timeout=60,
                           additional_headers={"Authorization": f"Bearer {SECRET}"}) as client:
            for size in (1, 20_000, 900_000):
                await client.send("x" * size)
                assert await asyncio.wait_for(client.recv(), 60) == "x" * size
            await client.send("close 4321 through the tunnel")
            await client.wait_closed()
            return client.subprotocol, client.close_code, client.close_reason

    assert asyncio.run(talk()) == ("two", 4321, "through the tunnel")
    opened = [field for field in vendor.ended(f"/env?token={SECRET}")[0][3] if field[0] == "authorization"]
    assert opened == [("authorization", f"Bearer {SECRET}")]
    assert proxy.await_line("connection_opened")


def echoed(url, text, **options):
    async def talk():
        async with connect(url, subprotocols=["two"], open_timeout=60, **options) as client:
            await client.send(text)
            return await asyncio.wait_for(client.recv(), 60)

    return asyncio.run(talk())


def test_a_fault_reaches_a_client_in_a_tunnel(vendor, proxy, ca):
    proxy.fail(fault="refuse_upgrade", status=503, times=1)
    place, options = f"wss://{HOST}:{vendor.port}/fault", {"proxy": proxy.http_url, "ssl": trusting(ca)}
    with pytest.raises(InvalidStatus) as caught:
        echoed(place, "refused", **options)
    assert caught.value.response.status_code == 503
    assert echoed(place, "again", **options) == "again"
    proxy.mend()


def test_tls_to_the_port_itself(proxy, ca):
    assert echoed(f"wss://localhost:{proxy.port}/direct", "direct", ssl=trusting(ca), proxy=None) == "direct"


def test_plain_text_to_the_port_still_works(proxy):
    assert echoed(f"ws://127.0.0.1:{proxy.port}/plain", "plain", proxy=None) == "plain"


def test_aiohttp(api, api_proxy, ca):
    async def talk():
        async with aiohttp.ClientSession() as session:
            options = {"proxy": api_proxy.http_url, "ssl": trusting(ca)}
            async with session.post(f"https://{HOST}:{api.port}/a?b=c", data="body", **options) as answer:
                assert (await answer.json())["body"] == "body"
            async with session.ws_connect(f"wss://{HOST}:{api.port}/live", **options) as client:
                await client.send_str("over")
                return (await client.receive(timeout=60)).data

    assert asyncio.run(talk()) == "over"


def test_requests_by_its_environment(api, api_proxy, ca, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", api_proxy.http_url)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(ca / "ca.pem"))
    with requests.Session() as session:
        for number in range(3):
            answer = session.post(f"https://{HOST}:{api.port}/items?n={number}", data="x" * 100_000, timeout=60)
            assert answer.status_code == 200 and answer.json() == {"path": f"/items?n={number}", "authorization": None, "body": "x" * 100_000}


def curl(ca, *words):
    environment = {**os.environ, "CURL_CA_BUNDLE": str(ca / "ca.pem")}
    return subprocess.run(["curl", "-sS", "--max-time", "60", *words], capture_output=True, text=True, env=environment, timeout=90)


def test_curl_and_a_fault_of_http(api, api_proxy, ca):
    done = curl(ca, "--proxy", api_proxy.http_url, f"https://{HOST}:{api.port}/curl")
    assert json.loads(done.stdout)["path"] == "/curl", done.stderr
    api_proxy.fail(fault="answer_with", route="GET /curl", status=418, times=1)
    done = curl(ca, "--proxy", api_proxy.http_url, "-o", os.devnull, "-w", "%{http_code}", f"https://{HOST}:{api.port}/curl")
    assert done.stdout == "418", done.stderr
    api_proxy.mend()


def test_curl_refuses_the_leaf_without_the_authority(api, api_proxy):
    done = subprocess.run(["curl", "-sS", "--proxy", api_proxy.http_url, f"https://{HOST}:{api.port}/"], capture_output=True, text=True, timeout=90)
    assert done.returncode == 60, done.stderr


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_node_to_the_port_itself(api_proxy, ca):
    script = f"fetch('https://localhost:{api_proxy.port}/node').then(a => a.json()).then(a => console.log(a.path))"
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=90, env={**os.environ, "NODE_EXTRA_CA_CERTS": str(ca / "ca.pem")})
    assert done.stdout.strip() == "/node", done.stderr


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_node_by_connect(api, api_proxy, ca):
    script = """
        const http = require('http'), https = require('https'), [port, host] = process.argv.slice(1)
        http.request({port, method: 'CONNECT', path: host}).on('connect', (answer, socket) => {
          https.get({host: host.split(':')[0], path: '/connect', headers: {host}, socket, agent: false}, answer => {
            console.log(answer.statusCode)
            answer.resume().on('end', () => process.exit())
          })
        }).end()"""
    done = subprocess.run(["node", "-e", script, str(api_proxy.port), f"{HOST}:{api.port}"], capture_output=True, text=True, timeout=90,
                          env={**os.environ, "NODE_EXTRA_CA_CERTS": str(ca / "ca.pem")})
    assert done.stdout.strip() == "200", done.stderr


# MARK: enemies

def ask(port, *pieces):
    """What the port answers to these bytes, until it ends the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        for piece in pieces:
            client.sendall(piece)
        answer = b""
        while True:
            try:
                more = client.recv(65_536)
            except ConnectionResetError:
                return answer.decode()
            if not more:
                return answer.decode()
            answer += more


def test_connect_elsewhere_is_refused_and_not_dialled(vendor, proxy):
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0.2)
        for authority in (f"127.0.0.1:{other.getsockname()[1]}", f"127.0.0.1:{proxy.port}", f"{HOST}:{vendor.port + 1}", "bank.example:443", "[::1]:443"):
            answer = ask(proxy.port, f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
            assert answer.startswith("HTTP/1.1 403 ") and f"CONNECT leads to {HOST}:{vendor.port} only" in answer, answer
        with pytest.raises(TimeoutError):
            other.accept()


def test_malformed_connects_are_refused(vendor, proxy):
    place = f"{HOST}:{vendor.port}"
    for head in (f"CONNECT {place} HTTP/1.1\r\n\r\n", f"CONNECT ann:{SECRET}@{place} HTTP/1.1\r\nHost: x\r\n\r\n", f"CONNECT http://{place}/ HTTP/1.1\r\nHost: x\r\n\r\n",
                 f"CONNECT {place} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", f"CONNECT {place} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                 f"CONNECT {place} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", f"CONNECT {place} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"):
        answer = ask(proxy.port, head.encode())
        assert answer.startswith("HTTP/1.1 400 ") and SECRET not in answer, (head, answer)


def test_bytes_before_the_200_are_refused(vendor, proxy):
    head = f"CONNECT {HOST}:{vendor.port} HTTP/1.1\r\nHost: x\r\n\r\n"
    answer = ask(proxy.port, head.encode() + b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith("HTTP/1.1 400 ") and "wait for the 200" in answer


def test_absolute_requests_for_another_host_are_refused(proxy):
    answer = ask(proxy.port, b"GET http://bank.example/ HTTP/1.1\r\nHost: bank.example\r\nConnection: close\r\n\r\n")
    assert answer.startswith("HTTP/1.1 403 ") and "host_refused" in answer


def tunnel(port, authority):
    """A socket after the 200."""
    client = socket.create_connection(("127.0.0.1", port), timeout=60)
    client.sendall(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        piece = client.recv(1)
        assert piece, answer
        answer += piece
    assert answer.startswith(b"HTTP/1.1 200 "), answer
    return client


@pytest.mark.parametrize("name, host, said", [
    ("bank.example", None, "the TLS handshake names another host"), (HOST, "bank.example", "Host names another server"),
    (HOST, "127.0.0.1", "Host names another server")])
def test_another_host_inside_of_the_tunnel_is_refused(vendor, proxy, name, host, said):
    place = f"{HOST}:{vendor.port}"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(tunnel(proxy.port, place), server_hostname=name) as client:
        client.sendall(f"GET / HTTP/1.1\r\nHost: {host or place}\r\n\r\n".encode())
        answer = client.recv(65_536).decode()
    assert answer.startswith("HTTP/1.1 421 ") and said in answer, answer


def test_a_tunnel_takes_no_plain_text(vendor, proxy):
    with tunnel(proxy.port, f"{HOST}:{vendor.port}") as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        try:
            assert not client.recv(65_536).startswith(b"HTTP/")
        except ConnectionResetError:
            pass


def test_silent_tunnels_are_bounded_and_end(vendor, ca, vendor_files):
    with proxy_to(vendor.port, ca, vendor_files, "--connections-max", "10") as proxy:
        place = f"{HOST}:{vendor.port}".encode()
        answers, guard = [], threading.Lock()

        def open_one():
            try:
                with socket.create_connection(("127.0.0.1", proxy.port), timeout=120) as client:
                    client.sendall(b"CONNECT " + place + b" HTTP/1.1\r\nHost: x\r\n\r\n")
                    first = client.recv(65_536)
                    while client.recv(65_536):
                        pass
            except OSError:
                first = b""
            with guard:
                answers.append(first[9:12])

        threads = [threading.Thread(target=open_one) for _ in range(1000)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=240)
        assert len(answers) == 1000
        assert set(answers) <= {b"200", b"503", b""} and 0 < answers.count(b"200"), {code: answers.count(code) for code in set(answers)}
        assert echoed(f"wss://{HOST}:{vendor.port}/after", "after", proxy=proxy.http_url, ssl=trusting(ca)) == "after"


def test_the_recording_and_the_journal_have_no_secret(proxy, folder):
    assert proxy.lines("connection_opened")
    assert SECRET not in json.dumps(proxy.lines()) and SECRET not in proxy.said()
    deadline = time.monotonic() + 60
    while "token-1" not in (recorded := (folder / "run.jsonl").read_text()):
        assert time.monotonic() < deadline, recorded
        time.sleep(0.05)
    assert SECRET not in recorded

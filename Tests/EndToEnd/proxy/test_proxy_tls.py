"""TLS on either side of `postern proxy`."""

import asyncio
import ssl
import subprocess

import pytest
from proxied import Proxy, WebsocketsServer
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    files = str(folder / "certificate.pem"), str(folder / "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
         "-addext", "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


@pytest.fixture(scope="module")
def server(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with WebsocketsServer(ssl=context) as server:
        yield server


async def talk(url, ca=None):
    """Sends large messages both ways; returns the subprotocol and the close code."""
    context = ssl.create_default_context(cafile=ca) if ca else None
    async with connect(url, ssl=context, subprotocols=["two"], ping_interval=None, max_size=None, proxy=None, open_timeout=60) as client:
        for size in (1, 20_000, 900_000):
            await client.send("x" * size)
            assert await asyncio.wait_for(client.recv(), 60) == "x" * size
        await client.send("close 4321 over TLS")
        await client.wait_closed()
        return client.subprotocol, client.close_code, client.close_reason


@pytest.mark.parametrize("trust", ["ca", "untrusted"])
@pytest.mark.parametrize("serves", [False, True])
def test_tls_to_the_target_and_to_the_client(server, certificate, trust, serves):
    flags = ["--upstream-ca", certificate[0]] if trust == "ca" else ["--upstream-untrusted"]
    if serves:
        flags += ["--tls-certificate", certificate[0], "--tls-key", certificate[1]]
    with Proxy(f"wss://127.0.0.1:{server.port}", *flags) as proxy:
        assert proxy.url.startswith("wss://" if serves else "ws://")
        assert asyncio.run(talk(proxy.url, certificate[0] if serves else None)) == ("two", 4321, "over TLS")


@pytest.mark.parametrize(
    "scheme, said",
    [
        ("wss", "the system trusts no authority that signed the certificate; add --upstream-ca FILE"),
        ("ws", "the server speaks TLS on this port, not plain text; give --to with wss:// or https://"),
    ])
def test_tls_that_fails_says_why(server, scheme, said):
    with Proxy(f"{scheme}://127.0.0.1:{server.port}") as proxy:
        with pytest.raises(InvalidStatus) as caught:
            asyncio.run(talk(proxy.url))
        response = caught.value.response
        assert response.status_code == 502, response
        if response.headers["Postern-Proxy"] == "upstream_tls":
            assert said in response.body.decode()
        else:
            # A server may close a plain text connection without an answer.
            assert scheme == "ws" and response.headers["Postern-Proxy"] == "upstream_unreachable"

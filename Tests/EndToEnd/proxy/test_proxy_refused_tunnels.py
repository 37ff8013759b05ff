"""What `postern proxy` says about tunnels that it refused."""

import time

import pytest
from test_proxy_tunnels import HOST, SECRET, ask, ca, folder, proxy_to, tunnel, vendor, vendor_files  # noqa: F401: fixtures


def test_a_refused_connect_has_a_line_with_its_host_and_reason_and_a_flood_of_them_few(vendor, ca, vendor_files):
    with proxy_to(vendor.port, ca, vendor_files) as proxy:
        began = time.monotonic()
        for authority in ("bank.example:443", f"ann:{SECRET}@bank.example:443", f"bank.example:443/{SECRET}"):
            ask(proxy.port, f"CONNECT {authority} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic {SECRET}\r\n\r\n".encode())
        with pytest.raises(AssertionError):
            tunnel(proxy.port, "other.example:443")
        deadline = time.monotonic() + 60
        while proxy.said().count("postern: 40") < 4:
            assert time.monotonic() < deadline, proxy.said()
            time.sleep(0.05)
        lines = proxy.said().splitlines()
        assert f"postern: 403 host_not_named: CONNECT bank.example:443: CONNECT leads to {HOST}:{vendor.port} only" in lines[0], lines
        assert lines[1].startswith("postern: 400 bad_connect: ") and lines[2].startswith("postern: 400 bad_connect: "), lines
        assert SECRET not in proxy.said()
        deadline = time.monotonic() + 60
        for number in range(200):
            ask(proxy.port, f"CONNECT host-{number}.example:443 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        while len(proxy.said().splitlines()) < 10:
            assert time.monotonic() < deadline, proxy.said()
            time.sleep(0.05)
        # Ten at once, and one a second.
        assert 10 <= len(proxy.said().splitlines()) <= 11 + (time.monotonic() - began)

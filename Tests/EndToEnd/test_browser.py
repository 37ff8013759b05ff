"""A client that was not written for Postern: a browser's own WebSocket and fetch, from a page of another origin."""

import re

import pytest

from browser import PageServer
from clients import control, request
from gateway import Gateway


@pytest.fixture(scope="module")
def pages():
    with PageServer() as pages:
        yield pages


@pytest.fixture(scope="module")
def gateway(pages):
    """A gateway that accepts the page's origin 127.0.0.1, and not localhost."""
    with Gateway("--origin", f"http://127.0.0.1:{pages.port}") as gateway:
        yield gateway


def test_a_page_of_an_allowed_origin_connects_is_asked_refreshes_and_stays(gateway, pages):
    before = opened(gateway)
    report = pages.visit("127.0.0.1", gateway)
    assert opened(gateway) == before + 1
    assert report["fetch"] == "allowed"
    assert report["user"] == "browser"
    assert report["heard"] == "connected refresh_required refreshed pong"
    assert int(report["expires_in_ms"]) > 590_000
    assert report["code"] == "1000" and report["wasClean"] == "true"


def opened(gateway):
    """How many sockets the gateway has opened."""
    text = control(gateway, "GET", "/metrics").body.decode()
    return sum(float(value) for value in re.findall(r"postern_connections_opened_total\{.*\} (\S+)", text))


def test_a_page_of_another_origin_gets_neither_token_nor_socket(gateway, pages):
    before = opened(gateway)
    report = pages.visit("localhost", gateway)
    assert report["origin"].startswith("http://localhost:")
    assert report["fetch"] == "blocked"
    assert report.get("heard", "") == "" and report["code"] == "1006"
    assert opened(gateway) == before


def test_a_preflight_says_what_a_page_may_ask(gateway, pages):
    ask = lambda origin: request(
        gateway.http_url, "OPTIONS", "/v1/tokens", document=None,
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type, authorization",
        },
    )
    allowed = ask(f"http://127.0.0.1:{pages.port}")
    assert allowed.status == 204
    assert allowed.headers["access-control-allow-origin"] == f"http://127.0.0.1:{pages.port}"
    assert "POST" in allowed.headers["access-control-allow-methods"]
    assert allowed.headers["access-control-allow-headers"] == "content-type, authorization"
    assert "access-control-allow-origin" not in ask("https://evil.example").headers

"""A web page that its visitor's browser takes to the gateway: what it may not have done, nor read."""

import json

import pytest

from clients import Client, api, control, request
from gateway import Gateway, token

EVIL = "https://evil.example"

ORDERS = [
    ("/drain", b"{}"), ("/revocations", b'{"issued_before": 4102444800}'), ("/sessions/disconnect", b'{"code": 4005}'),
    ("/sessions/expire", b""), ("/streem/api-keys", b"{}"), ("/streem/companies", b'{"code": "evil"}'),
]

# What browsers send with a request that a page of another origin makes; the last is a form of an old browser's.
FOREIGN = [
    {"Origin": EVIL}, {"Origin": "null"}, {"Origin": "http://localhost:3000"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"},
    {"Referer": "https://evil.example/page"},
]


def ask(gateway, method, path, body=None, **headers):
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return request(gateway.control_url, method, path, raw=body, headers=names, document=None)


def keys(gateway):
    return len(control(gateway, "GET", "/streem/api-keys").json["api_keys"])


@pytest.mark.parametrize("path, body", ORDERS)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/json", None])
@pytest.mark.parametrize("sign", FOREIGN)
def test_a_page_of_another_origin_orders_nothing(gateway, path, body, kind, sign):
    before = keys(gateway)
    with Client(gateway, token=token()) as client:
        client.receive("connected")
        answer = ask(gateway, "POST", path, body, **sign, **({"Content-Type": kind} if kind else {}))
        assert answer.status == 403 and answer.error["number"] == 403003
        assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert client.is_alive() and client.passed == []
    assert keys(gateway) == before
    assert control(gateway, "GET", "/ready").status == 200


@pytest.mark.parametrize("path, body", ORDERS)
@pytest.mark.parametrize(
    "kind", ["text/plain", "text/plain;application/json", "text/plain, application/json", "multipart/form-data", ""])
def test_a_body_that_a_page_may_send_unasked_is_no_order_even_without_an_origin(gateway, path, body, kind):
    before = keys(gateway)
    answer = ask(gateway, "POST", path, body, Content_Type=kind)
    assert answer.status == 415 and answer.error["number"] == 415001
    if body:
        assert ask(gateway, "POST", path, body).status == 415, "a body without a type"
    assert keys(gateway) == before


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8081", "127.0.0.1.evil.example", "10.0.0.9"])
def test_a_name_that_is_led_to_this_machine_reads_nothing(gateway, host):
    for path in ["/sessions", "/metrics", "/health", "/ready", "/streem/api-keys"]:
        answer = ask(gateway, "GET", path, Host=host)
        assert (answer.status, answer.error["number"]) == (403, 403005)
    for path, body in ORDERS:
        answer = ask(gateway, "POST", path, body, Host=host, Origin=f"http://{host}", Content_Type="application/json")
        assert (answer.status, answer.error["number"]) == (403, 403005)


def test_programs_and_the_ports_own_pages_may_ask(gateway):
    port = gateway.control_url.rsplit(":", 1)[1]
    for host in ["localhost", f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"]:
        assert ask(gateway, "GET", "/sessions", Host=host).status == 200
        assert ask(gateway, "POST", "/sessions/refresh", Host=host).status == 200
        own = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
        assert ask(gateway, "POST", "/users/nobody/refresh", b"{}", **own, Content_Type="application/json").status == 200
    json_type = "Application/JSON; charset=utf-8"
    assert ask(gateway, "POST", "/users/nobody/disconnect", b"{}", Content_Type=json_type).status == 200
    assert ask(gateway, "GET", "/ready", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200


def test_a_control_port_may_have_further_names():
    with Gateway("--control-allowed-host", "postern.test", "--control-allowed-host", "::2") as gateway:
        for host in ["postern.test", "POSTERN.test:8081", "[::2]:80", "localhost"]:
            assert ask(gateway, "GET", "/sessions", Host=host).status == 200
        assert ask(gateway, "GET", "/sessions", Host="other.test").status == 403


def test_a_control_port_with_a_secret_is_probed_by_any_name(tmp_path):
    secret = tmp_path / "control-secret"
    secret.write_text("open sesame, and be quick about it")
    flags = ["--control-host", "0.0.0.0", "--control-secret-file", str(secret)]
    with Gateway(*flags) as gateway:
        gateway.control_url = gateway.control_url.replace("0.0.0.0", "127.0.0.1")
        for host in ["10.1.2.3:8081", "postern.namespace.svc:8081"]:
            for path in ["/health", "/ready"]:
                assert ask(gateway, "GET", path, Host=host).status == 200
            bearer = {"Authorization": f"Bearer {secret.read_text()}"}
            assert ask(gateway, "GET", "/metrics", Host=host, **bearer).status == 200
            assert ask(gateway, "GET", "/metrics", Host=host).status == 401
            assert ask(gateway, "POST", "/drain", b"{}", Origin=EVIL, Host=host, **bearer).status == 403


def mint(gateway, method="POST", **headers):
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return request(
        gateway.http_url, method, "/v1/tokens", raw=b'{"user_id": "ann"}', headers=names, document=None)


@pytest.mark.parametrize("sign", FOREIGN)
@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
def test_a_token_provider_without_a_secret_gives_other_origins_pages_nothing(gateway, sign, kind):
    answer = mint(gateway, Content_Type=kind, **sign)
    assert (answer.status, answer.error["number"]) == (403, 403003)
    assert "access-control-allow-origin" not in answer.headers and "token" not in answer.json
    preflight = mint(gateway, "OPTIONS", Access_Control_Request_Method="POST", **sign)
    assert "access-control-allow-origin" not in preflight.headers


def test_a_token_provider_without_a_secret_is_led_to_by_no_other_name(gateway):
    answer = mint(gateway, Host="evil.example:8080", Origin="http://evil.example:8080")
    assert (answer.status, answer.error["number"]) == (403, 403005)
    assert mint(gateway, Host="evil.example").status == 403
    assert mint(gateway, Content_Type="application/x-www-form-urlencoded").status == 200, "as curl -d sends it"


def test_a_token_provider_gives_pages_of_origins_that_are_named(tmp_path):
    with Gateway("--origin", "https://app.example") as gateway:
        answer = mint(gateway, Origin="https://app.example")
        assert answer.status == 200 and answer.headers["access-control-allow-origin"] == "https://app.example"
        assert mint(gateway, Origin=EVIL).status == 403
    secret = tmp_path / "provider-secret"
    secret.write_text("swordfish of sufficient length")
    with Gateway("--provider-secret-file", str(secret)) as gateway:
        answer = mint(gateway, Origin=EVIL, Authorization=f"Bearer {secret.read_text()}")
        assert answer.status == 200 and answer.headers["access-control-allow-origin"] == "*"
        assert mint(gateway, Origin=EVIL).status == 401


def test_guests_are_for_everybody_and_login_pages_for_no_script(gateway):
    guest = api(gateway, "POST", "/v1/guests", headers={"Origin": EVIL})
    assert guest.status == 201 and guest.headers["access-control-allow-origin"] == "*"
    page = request(
        gateway.http_url, "GET", "/streem/oidc/postern/authorize", headers={"Origin": EVIL}, document=None)
    assert not [name for name in page.headers if name.startswith("access-control-")]
    assert page.status != 404, json.dumps(page.headers)

"""Attacks on a dashboard: invalid cookies, orders from foreign pages, readers that do not read."""

import contextlib
import json
import socket
import struct
import time

import pytest

from clients import control, request
from test_dashboard import SECRET, ask, feed, guarded, reading  # noqa: F401  (guarded is a fixture)
from gateway import Gateway

ORDER = {"from": 0, "before": 1e10}


@pytest.fixture
def cookie(guarded):  # noqa: F811
    return ask(guarded, "POST", "/dashboard/login", {"secret": SECRET}).headers["set-cookie"].split(";")[0]


def test_an_invalid_cookie_opens_nothing(guarded, cookie):  # noqa: F811
    name, key = cookie.split("=", 1)
    wrong = [
        "", "=", ";", f"{name}", f"{name}=", f"{name}=;{name}=", f"{name}={key[:-1]}", f"{name}={key}x", f'{name}="{key}"',
        f"{name}={key.swapcase()}", f"{name.upper()}={key}", f"x{name}={key}", f"a={cookie}", f"{name} ={key}", f"{name}= {key}",
        f"{name}={SECRET}", f"{name}=%s%n%x", f"{name}=../../x", "\u00ff" * 40, f"{name}=" + "A" * 4000, f"{name}=x; " * 300,
        # The gateway checks this many cookies of the name.
        f"{name}=x; " * 4 + cookie,
    ]
    for text in wrong:
        answer = request(guarded.control_url, "GET", "/dashboard/feed", headers={"Cookie": text}, document=None)
        assert answer.status == 401, text
    for text in (f"{name}=x; {cookie}", f"other=1;{cookie};", f"  {cookie}"):
        assert request(guarded.control_url, "GET", "/dashboard", headers={"Cookie": text}, document=None).status == 200, text
    many = request(guarded.control_url, "GET", "/dashboard", headers={"Cookie": "a=b; " * 4000}, document=None)
    assert many.status == 431
    assert key not in guarded.log()


@pytest.mark.parametrize(
    "fields",
    [
        {"Origin": "null"}, {"Origin": "http://evil.example"}, {"Origin": "http://127.0.0.1:1"}, {"Origin": "http://localhost:{port}"},
        {"Origin": "http://127.0.0.1:{port}.evil.example"}, {"Origin": "http://127.0.0.1:{port}@evil.example"}, {"Origin": ""},
        {"Origin": "http://127.0.0.1:{port} http://evil.example"}, {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"}, {"Content-Type": "multipart/form-data; boundary=x"},
        {"X-Postern-Dashboard": None}, {"Origin": None}, {"Cookie": None},
    ],
    ids=str,
)
def test_another_page_gives_no_order(guarded, cookie, fields):  # noqa: F811
    port = guarded.ready["control_port"]
    headers = {"Cookie": cookie, "Origin": guarded.control_url, "X-Postern-Dashboard": "1", "Content-Type": "application/json"}
    order = json.dumps(ORDER).encode()
    assert request(guarded.control_url, "POST", "/horizon/spread", headers=headers, raw=order, document=None).status == 200
    headers |= {name: value and value.replace("{port}", str(port)) for name, value in fields.items()}
    headers = {name: value for name, value in headers.items() if value is not None}
    for path in ("/horizon/spread", "/dashboard/logout"):
        answer = request(guarded.control_url, "POST", path, headers=headers, raw=order, document=None)
        assert answer.status in (401, 403, 415), (path, answer.status, answer.body)
    assert ask(guarded, "GET", "/dashboard", cookie=cookie).status == 200, "logged out by another page"


def raw(gateway, text):
    with socket.create_connection(("127.0.0.1", gateway.ready["control_port"]), timeout=60) as client:
        client.sendall(text)
        client.shutdown(socket.SHUT_WR)
        said = b""
        with contextlib.suppress(ConnectionResetError):
            while more := client.recv(4096):
                said += more
        return int(said.split()[1]) if said else None


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b'{"secret":1}', b'{"secret":null}', b'{"secret":"\\ud800"}', b'{"secret":"x","secret":"y"}',
             b"{" * 5000, b'{"secret":"' + b"x" * 60_000 + b'"}', b'\xff\xfe{"secret":"x"}', b"secret=x"],
    ids=lambda body: repr(body[:24]))
def test_an_invalid_login_is_refused(guarded, body):  # noqa: F811
    head = (f"POST /dashboard/login HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: {guarded.control_url}\r\nX-Postern-Dashboard: 1\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
    assert raw(guarded, head.encode() + body) in (400, 401, 403, 413, 422)
    # Half a request gets no answer.
    assert raw(guarded, head.encode() + body[:-1]) in (None, 400, 401, 403, 413, 422)
    assert ask(guarded, "GET", "/dashboard/style.css").status == 200


def test_a_logged_out_user_sees_nothing_more(guarded, cookie):  # noqa: F811
    with socket.create_connection(("127.0.0.1", guarded.ready["control_port"]), timeout=60) as client:
        client.sendall(f"GET /dashboard/feed HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
        assert b"200" in client.recv(4096)
        assert ask(guarded, "POST", "/dashboard/logout", cookie=cookie).status == 204
        said = b""
        while not said.endswith(b"0\r\n\r\n"):
            more = client.recv(65536)
            assert more, "closed amid the feed"
            said += more


def test_readers_that_do_not_read_delay_no_other_reader():
    with Gateway(loops=1) as gateway, contextlib.ExitStack() as stack:
        for _ in range(31):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            client.connect(("127.0.0.1", gateway.ready["control_port"]))
            client.sendall(b"GET /dashboard/feed HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        with feed(gateway) as one:
            numbers = [reading(one)["number"] for _ in range(5)]
            assert numbers == list(range(numbers[0], numbers[0] + 5))
        assert control(gateway, "GET", "/ready").status == 200


def test_readers_that_go_at_once_leave_their_places():
    reset = struct.pack("ii", 1, 0)
    with Gateway(loops=1) as gateway:
        for number in range(200):
            with socket.create_connection(("127.0.0.1", gateway.ready["control_port"]), timeout=60) as client:
                client.sendall(b"GET /dashboard/feed HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                if number % 2:
                    client.recv(100)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        deadline = time.monotonic() + 60
        status = 429
        while status == 429:
            assert time.monotonic() < deadline, "the places are not given back"
            with feed(gateway) as one:
                status = one.status
                if status == 200:
                    assert json.dumps(reading(one)["dialects"])


def test_the_dashboards_resources_need_no_login_and_do_not_change(gateway):
    for path, kind in [("/dashboard", "text/html"), ("/dashboard/style.css", "text/css"), ("/dashboard/script.js", "text/javascript")]:
        answer = control(gateway, "GET", path)
        assert answer.status == 200 and answer.headers["content-type"].startswith(kind)
        head = request(gateway.control_url, "HEAD", path, document=None)
        assert head.status == 200 and head.body == b""
        assert control(gateway, "POST", path, {}).status == 405
    assert control(gateway, "POST", "/dashboard/login", {"secret": "x"}).status == 404

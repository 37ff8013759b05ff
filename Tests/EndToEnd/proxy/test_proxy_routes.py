"""`postern proxy --spaces`: a route for each test, to hosts that the command line names."""

import asyncio
import contextlib
import http.client
import json
import os
import subprocess
import threading

import aiohttp
import pytest
import socketio
from proxied import Proxy, Route, WebServer, WebsocketsServer, web
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

OPTIONS = {"subprotocols": ["two"], "ping_interval": None, "compression": None, "proxy": None, "open_timeout": 60, "max_size": 8 << 20}


@pytest.fixture(scope="module")
def server():
    with WebsocketsServer() as server:
        yield server


@pytest.fixture(scope="module")
def proxy():
    with Proxy(None, "--spaces", "--control-port", "0") as proxy:
        yield proxy


def refused(proxy, status, error, **order):
    got, answer = proxy.ask("POST", "/spaces", order)
    assert (got, answer.get("error", {}).get("name")) == (status, error), (order, got, answer)
    return answer["error"]["message"]


def test_ctl_makes_a_route_and_everything_of_the_control_port_works_below_it(server, proxy):
    proxy.ctl("space", "create", "--name", "t17", "--upstream", server.url)
    made = proxy.ask("GET", "/spaces/t17")[1]
    assert made["upstream"] == server.url and made["urls"] == {} and made["frozen"] is False
    assert "t17" in proxy.ctl("spaces") and server.url in proxy.ctl("space", "show", "--space", "t17")

    async def conversation():
        async with connect(f"{made['url']}/room", **OPTIONS) as client:
            await client.send("hello")
            assert await client.recv() == "hello"
            assert "conn_0_1" in await asyncio.to_thread(proxy.ctl, "sessions", "--space", "t17")
            await asyncio.to_thread(proxy.ctl, "say", "--all", "a notice", "--space", "t17")
            assert await client.recv() == "a notice"
            fault = '{"fault": "replace", "what": "any:out", "text": "other", "times": 1}'
            await asyncio.to_thread(proxy.ctl, "fault", fault, "--space", "t17")
            await client.send("again")
            assert await client.recv() == "other"
            await asyncio.to_thread(proxy.ctl, "disconnect", "--session", "conn_0_1", "--code", "4012", "--reason", "by order", "--space", "t17")
            with pytest.raises(ConnectionClosed):
                await client.recv()
            return client.close_code, client.close_reason

    assert asyncio.run(conversation()) == (4012, "by order")
    assert "closed" in proxy.ctl("await", "closed", "--within", "60s", "--space", "t17")
    assert "message_in" in proxy.ctl("journal", "--space", "t17")
    (fault,) = proxy.ask("GET", "/spaces/t17/faults")[1]["faults"]
    assert (fault["fault"], fault["befell"]) == ("replace", 1)
    assert "t17" in proxy.ctl("space", "end", "--space", "t17")
    assert proxy.ask("GET", "/spaces/t17")[0] == 404


def test_two_routes_share_nothing_and_have_ports_names_and_paths(server, proxy):
    async def echo(url, text, **more):
        async with connect(url, **OPTIONS, **more) as client:
            await client.send(text)
            return await client.recv()

    with Route(proxy, server.url, name="one") as one, Route(proxy, server.url, name="two") as two:
        one.ask("POST", "/faults", {"fault": "replace", "what": "any:out", "text": "other"})
        assert asyncio.run(echo(one.url, "hello")) == "other"
        assert asyncio.run(echo(two.url, "hello")) == "hello"
        for path, seen in [("/room?a=%20b", "/room?a=%20b"), ("", "/"), ("?a=b", "/?a=b"), ("/s/two/", "/s/two/")]:
            server.lives.pop(seen, None)
            assert asyncio.run(echo(f"{proxy.url}/s/two{path}", "by path")) == "by path"
            assert seen in server.lives
        host = f"ws://two.localhost:{proxy.port}/"
        assert asyncio.run(echo(host, "by host", host="127.0.0.1", port=proxy.port)) == "by host"
        two.await_line("closed")
        assert two.kinds().count("connection_opened") == 6 and one.kinds().count("connection_opened") == 1
    with pytest.raises(InvalidStatus) as caught:
        asyncio.run(echo(f"{proxy.url}/room", "to nowhere"))
    assert caught.value.response.status_code == 404
    assert caught.value.response.headers["postern-proxy"] == "no_route"


def test_a_control_call_that_names_another_host_is_refused(server, proxy):
    assert "--i-may-proxy" in refused(proxy, 403, "host_not_named", upstream="wss://realtime.example")
    for upstream in ["ws://0.0.0.0:3000", "ws://10.0.0.1", "ws://127.0.0.1.evil.example", "http://[::ffff:10.0.0.1]:80"]:
        refused(proxy, 403, "host_not_named", upstream=upstream)
    for upstream in ["", "127.0.0.1:3000", "ftp://127.0.0.1", "ws://127.0.0.1:0", "ws://a@127.0.0.1", "ws://127.0.0.1/path", "ws://" + "a" * 600, "ws://127.0.0.1:99999"]:
        refused(proxy, 400, "invalid_parameter", upstream=upstream)
    assert "upstream is needed" in refused(proxy, 400, "invalid_parameter")
    control = int(proxy.control_url.rpartition(":")[2])
    for port in [proxy.port, control]:
        for host in ["127.0.0.1", "localhost", "[::1]", "a.localhost", "127.0.0.2"]:
            assert "own" in refused(proxy, 400, "invalid_parameter", upstream=f"ws://{host}:{port}")
    with Route(proxy, server.url) as route:
        assert "own" in refused(proxy, 400, "invalid_parameter", upstream=f"http://127.0.0.1:{route.made['port']}")
        # A web page whose name points here, one of a foreign origin, or one that sends a form.
        for fields in [{"Host": f"evil.example:{control}"}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]:
            assert proxy.ask("POST", "/spaces", {"upstream": server.url}, **fields)[0] == 403, fields
        assert proxy.ask("POST", "/spaces", b"{}", Content_Type="text/plain")[0] == 415
        # The name of a page that points to the route's port.
        connection = http.client.HTTPConnection("127.0.0.1", route.made["port"], timeout=30)
        connection.request("GET", "/", headers={"Host": "evil.example"})
        assert connection.getresponse().getheader("postern-proxy") == "host_refused"
        connection.close()


def test_hosts_of_the_command_line_are_reached_by_the_address_of_the_start():
    done = subprocess.run(
        [os.environ["POSTERN"], "proxy", "--spaces", "--port", "0", "--control-port", "0", "--i-may-proxy", "no-such-host.invalid"],
        capture_output=True, text=True, timeout=60,
    )
    assert done.returncode == 2 and "--i-may-proxy no-such-host.invalid" in done.stderr
    done = subprocess.run([os.environ["POSTERN"], "proxy", "--spaces"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--control-port" in done.stderr
    # An address of a documentation network (RFC 5737), where nobody answers.
    with Proxy(None, "--spaces", "--control-port", "0", "--i-may-proxy", "192.0.2.7") as proxy:
        with Route(proxy, "wss://192.0.2.7:8443") as route:
            assert route.made["upstream"] == "wss://192.0.2.7:8443"
        refused(proxy, 403, "host_not_named", upstream="wss://192.0.2.8:8443")


def test_off_loopback_this_machine_has_to_be_named_too(server, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("long enough a secret for a control port")
    flags = ["--spaces", "--control-port", "0", "--control-host", "0.0.0.0", "--control-secret-file", str(secret)]
    bearer = {"Authorization": f"Bearer {secret.read_text()}"}
    for named, status in [([], 403), (["--i-may-proxy", "127.0.0.1"], 201)]:
        with Proxy(None, *flags, *named) as proxy:
            assert proxy.ask("POST", "/spaces", {"upstream": server.url})[0] == 401
            assert proxy.ask("POST", "/spaces", {"upstream": server.url}, **bearer)[0] == status


def test_the_limits_of_a_host_hold_over_all_its_routes_and_those_of_spaces_too(server):
    with Proxy(None, "--spaces", "--spaces-max", "2", "--control-port", "0") as proxy:
        with Route(proxy, server.url), Route(proxy, server.url):
            refused(proxy, 503, "overloaded", upstream=server.url)
        with Route(proxy, server.url, name="again"):
            refused(proxy, 409, "already_exists", upstream=server.url, name="again")
    # Nothing answers there (RFC 5737). The second connection is not attempted, whichever route asks.
    with Proxy(None, "--spaces", "--control-port", "0", "--i-may-proxy", "192.0.2.7", "--requests-per-second", "0.01") as proxy:
        answers = []

        def ask(port):
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request("GET", "/")
                answers.append(connection.getresponse().getheader("postern-proxy"))

        with Route(proxy, "http://192.0.2.7") as one, Route(proxy, "http://192.0.2.7") as two:
            asking = [threading.Thread(target=ask, args=[route.made["port"]]) for route in (one, two)]
            for each in asking:
                each.start()
            for each in asking:
                each.join(timeout=60)
            assert answers.count("cap") == 1


def test_a_route_has_the_wire_of_its_order_by_name_or_content_and_never_by_path(proxy):
    with Route(proxy, "ws://127.0.0.1:1", settings={"wire": "socketio"}) as route:
        assert list(route.made["urls"]) == ["socketio"]
        assert route.made["urls"]["socketio"].startswith(route.url + "/")
    wire = {"name": "mine", "connect": {"path": "/mine"}}
    for settings, words in [
        ({"wire": "/etc/passwd"}, "takes no path"),
        ({"wire": "../../etc/passwd"}, "takes no path"),
        ({"wire": {"file": "../secret"}}, "--spaces-folder"),
        ({"wire": {"content": "not JSON"}}, "content:1:1 expected one object"),
        ({"wire": {"content": json.dumps(wire)}}, ""),
        ({"control-port": 1}, "the whole process's"),
        ({"i-may-proxy": "realtime.example"}, "the whole process's"),
        ({"upstream-ca": {"content": "x"}}, "the whole process's"),
        ({"refresh-timeout": "2s"}, "no option of postern proxy"),
        ({"set-header": "via=x"}, "sets via itself"),
        ({"set-header": "no field"}, "a field as"),
    ]:
        assert words in refused(proxy, 400, "invalid_parameter", upstream="ws://127.0.0.1:1", settings=settings), settings


def test_a_route_sets_its_own_fields_and_not_those_of_another_host():
    seen = []

    def add(router):
        async def answer(request):
            seen.append((request.headers.get("x-key"), request.headers.get("origin"), request.headers.get("via")))
            return web.json_response({"path": request.path_qs})

        router.add_route("*", "/{rest:.*}", answer)

    def get(port, path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", path)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    with WebServer(add) as own, WebServer(add) as other:
        to = own.http_url.replace("127.0.0.1", "localhost")
        with Proxy(to, "--spaces", "--control-port", "0", "--set-header", "X-Key=secret") as proxy:
            with Route(proxy) as route:
                assert route.made["upstream"] == to.replace("http", "ws")
                assert get(route.made["port"], "/a?b=c") == {"path": "/a?b=c"}
                assert seen[-1][0] == "secret" and seen[-1][2].startswith("1.1 postern-")
            with Route(proxy, other.http_url, settings={"set-header": ["Origin=https://app.example"]}) as route:
                get(route.made["port"], "/")
                assert seen[-1][:2] == (None, "https://app.example")


def test_an_order_that_a_route_cannot_carry_out_is_refused_with_an_alternative(server, proxy):
    refused(proxy, 409, "clock_is_real", upstream=server.url, frozen=True)
    refused(proxy, 409, "clock_is_real", upstream=server.url, wall="2030-01-01T00:00:00Z")
    with Route(proxy, server.url) as route:
        assert route.ask("GET", "/clock")[1]["sleeping"] == []
        assert route.ask("GET", "/ready")[0] == 200
        for method, path, body, status, name in [
            ("POST", "/clock/advance", {"by_s": 60}, 409, "clock_is_real"),
            ("POST", "/clock", {"wall": "2030-01-01T00:00:00Z"}, 409, "clock_is_real"),
            ("POST", "/faults", {"fault": "gateway_clock", "ahead_s": 60}, 409, "clock_is_real"),
            ("POST", "/faults", {"fault": "rotate_keys"}, 409, "not_ours"),
            ("POST", "/revocations", {"user_id": "ann"}, 409, "not_ours"),
            ("POST", "/users/ann/expire", {}, 400, "needs_wire"),
            ("GET", "/settings", None, 409, "not_ours"),
            ("GET", "/metrics", None, 409, "not_ours"),
            ("GET", "/horizon", None, 400, "needs_wire"),
            ("GET", "/nothing", None, 404, "not_found"),
        ]:
            got, answer = route.ask(method, path, body)
            assert (got, answer["error"]["name"]) == (status, name), (path, answer)
        assert "clock_is_real" in route.ctl("advance", "--by", "1d", status=1)
    assert "name a space" in proxy.ask("GET", "/journal")[1]["error"]["message"]
    with Proxy(server.url, "--control-port", "0") as plain:
        assert "--spaces" in plain.ask("POST", "/spaces", {"upstream": server.url})[1]["error"]["message"]


def test_the_dashboard_of_a_route_has_its_connections(server, proxy):
    with Route(proxy, server.url, name="shown") as route:

        async def watched():
            async with connect(route.url, **OPTIONS), aiohttp.ClientSession() as session:
                page = await session.get(f"{proxy.control_url}/spaces/shown/dashboard")
                assert page.status == 200 and "Postern" in await page.text()
                async with session.get(f"{proxy.control_url}/spaces/shown/dashboard/feed") as feed:
                    while True:
                        line = await asyncio.wait_for(feed.content.readline(), 30)
                        if line.startswith(b"data:"):
                            return json.loads(line[5:])

        reading = asyncio.run(watched())
        assert reading["space"] == "shown" and reading["draining"] is False
        assert reading["dialects"] == [{"name": "blind", "phases": {"open": 1}, "kinds": {}}]
        assert reading["totals"]["connections_opened"] == 1


def test_a_socketio_client_is_known_on_a_route_with_its_wire(proxy):
    sockets = socketio.AsyncServer(async_mode="aiohttp")

    @sockets.event
    async def connect(sid, environ, auth):
        return auth["token"] == "right"

    def add(router):
        async def socket(request):
            return await sockets.handle_request(request)

        router.add_route("*", "/socket.io/", socket)

    with WebServer(add) as server, Route(proxy, server.http_url, settings={"wire": "socketio"}) as route:

        async def run():
            client = socketio.AsyncClient(reconnection=False)
            await client.connect(route.http_url, transports=["websocket"], auth={"token": "right"})
            line = await asyncio.to_thread(route.await_line, "logged_in")
            assert line["dialect"] == "socketio"
            assert "active" in await asyncio.to_thread(route.ctl, "sessions")
            ended = asyncio.Event()
            client.on("disconnect", lambda *_: ended.set())
            await asyncio.to_thread(route.__exit__)
            await asyncio.wait_for(ended.wait(), 30)
            with contextlib.suppress(Exception):
                await client.disconnect()

        asyncio.run(run())

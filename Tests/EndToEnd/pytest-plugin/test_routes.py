"""The fixtures for routes: `postern proxy --spaces` between a client and a server of another project."""

import json
import threading

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import serve

from postern_testing import Gateway, Refused


@pytest.fixture(scope="module")
def server():
    """A server that echoes; yields its address."""

    def echo(socket):
        for message in socket:
            socket.send(message)

    with serve(echo, "127.0.0.1", 0, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join(60)


def test_a_route_of_one_test_has_its_own_journal_and_faults(postern_proxy, server):
    route, other = postern_proxy(to=server), postern_proxy(to=server)
    assert route.upstream == server and route.name != other.name
    number = route.fail("replace", what="any:out", text="other", times=1)
    with connect(route.url, proxy=None, open_timeout=60) as client, connect(other.url, proxy=None, open_timeout=60) as neighbour:
        client.send("hello")
        neighbour.send("hello")
        assert (client.recv(timeout=60), neighbour.recv(timeout=60)) == ("other", "hello")
        assert [session.phase for session in route.sessions()] == ["open"]
        assert route.faults()[0]["befell"] == 1
        route.mend(number)
        route.journal.wait("faulted", within=60)
        route.end()
        with pytest.raises(ConnectionClosed):
            client.recv(timeout=60)
        assert client.protocol.close_code == 1001
        neighbour.send("again")
        assert neighbour.recv(timeout=60) == "again"
    assert other.journal.wait("closed", within=60)[0].kind == "closed"


def test_a_route_knows_what_messages_of_a_wire_mean(postern_proxy, postern_space):
    route = postern_proxy(to=postern_space.url, wire="postern-plain")
    token = postern_space.token("ann")
    with connect(route.urls["postern-plain"], proxy=None, open_timeout=60) as client:
        client.send(json.dumps({"type": "connect", "token": token}))
        assert "connected" in client.recv(timeout=60)
        assert route.journal.wait("logged_in", user="ann", within=60)[0].user == "ann"
        assert route.expire("ann") == 1
        assert "refresh" in client.recv(timeout=60)


def test_an_order_that_a_route_cannot_carry_out_is_refused(postern_proxy, server):
    route = postern_proxy(to=server)
    with pytest.raises(ValueError, match="your own token endpoint"):
        route.token("ann")
    for order in [lambda: route.advance("1d"), lambda: route.set_wall("2030-01-01T00:00:00Z"), lambda: postern_proxy(to=server, frozen=True)]:
        with pytest.raises(Refused, match="keeps its own time"):
            order()
    with pytest.raises(Refused, match="your|only the gateway"):
        route.revoke("ann")
    with pytest.raises(Refused, match="--i-may-proxy realtime.example"):
        postern_proxy(to="wss://realtime.example")
    assert route.sleeping() == []


def test_a_failed_test_shows_the_journal_of_its_routes(session, server):
    session.makepyfile(f"""
        import pytest
        from websockets.sync.client import connect

        @pytest.mark.postern(upstream={server!r})
        def test_it(postern_route):
            with connect(postern_route.url, proxy=None, open_timeout=60) as client:
                client.send("hello")
                client.recv()
            postern_route.journal.wait("closed", within=60)
            assert False
    """)
    result = session.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*postern journal*", "*connection_opened*"])


def test_a_proxy_ends_with_its_block_and_leads_to_its_own_address(server):
    with Gateway.proxy("--to", server) as proxy:
        with proxy.space() as route, connect(route.url, proxy=None, open_timeout=60) as client:
            assert route.upstream == server
            client.send("hello")
            assert client.recv(timeout=60) == "hello"
    assert "ended with 0" in proxy.obituary()

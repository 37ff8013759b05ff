"""`postern serve --wire`: the gateway's side of each description that comes with postern.

Storms with the same file, and clients that nobody here wrote; `wires-clients` has more of them. Ably, Phoenix, Supabase and Pusher are
described by their documents; no server of theirs takes part here.
"""

import asyncio
import json
import threading
from urllib.parse import parse_qs

import centrifuge
import nats
import pysher
import pytest
import socketio
import storms
from described import TIMES, hasty, secrets, serving
from gateway import Gateway, token
from http_server import HTTPServer
from orders import counts_of, get, lines, order, until

CLIENTS = 20
# All but the plain dialect's own, whose path is not free.
RENEWED = ["ably", "ably-msgpack", "centrifuge-v1", "centrifugo", "supabase-realtime"]
RETURNING = ["close-4401", "graphql-transport-ws", "nats", "phoenix", "signalr-json", "socketio", "wamp-ticket"]


@pytest.fixture
def serve(tmp_path):
    def serve(name, *flags):
        return Gateway(*serving(name, tmp_path), *flags, loops=1)

    return serve


@pytest.fixture
def storm(wires, tmp_path):
    def storm(name, gateway, *more, wire=None, expected=(0,)):
        flags = ["--wire", wire or str(wires / f"{name}.json"), *secrets(tmp_path), "--url", gateway.url]
        return storms.run(
            *flags, *("--clients", str(CLIENTS), "--rate", "100", "--hold", "5s", "--timeout", "60s", *more), expected=expected
        )["result"]

    return storm


# Storms with the same file


@pytest.mark.parametrize("name", RENEWED)
def test_tokens_are_renewed_on_their_connections(name, serve, storm):
    with serve(name) as gateway:
        result = storm(name, gateway)
        counts = counts_of(gateway)
    assert result["connects"]["accepted"] == result["refreshes"]["accepted"] == CLIENTS, result
    assert result["returns"]["interrupted"] == 0 and result["errors"] == {}
    assert counts["logged_in"] == counts["refreshed"] == CLIENTS, counts


@pytest.mark.parametrize("name", RETURNING)
def test_clients_come_back_with_new_tokens(name, serve, storm):
    with serve(name) as gateway:
        result = storm(name, gateway)
        counts = counts_of(gateway)
    assert result["connects"]["accepted"] == 2 * CLIENTS == counts["logged_in"], (result, counts)
    assert result["returns"]["returned"] == result["refreshes"]["accepted"] == CLIENTS
    assert sum(result["connects"]["failed"].values()) == 0 and result["errors"] == {}


def test_a_pusher_client_asks_for_its_token_when_it_has_been_named(serve, storm):
    with serve("pusher") as gateway:
        result = storm("pusher", gateway)
        counts = counts_of(gateway)
    assert result["connects"]["accepted"] == result["provider"]["calls"] == CLIENTS == counts["logged_in"], result
    assert result["refreshes"]["accepted"] == 0 and result["disconnects"] == {}


def test_a_pusher_clients_token_is_asked_for_with_the_name_of_its_socket(serve, storm, tmp_path):
    asked = []

    def give(request):
        wish = parse_qs(request.body.decode())
        asked.append(wish["socket_id"][0])
        return json.dumps({"auth": token(wish["user"][0], 8)}).encode()

    tokens = tmp_path / "auth.json"
    tokens.write_text(
        """{ "tokens": 1, "users": { "template": "load-{{number}}" },
          "request": { "url": "/auth", "form": { "socket_id": "{{taken.socket_id}}", "user": "{{user}}" } },
          "answer": { "token": "/auth", "end": "jwt" } }"""
    )
    with HTTPServer(give) as endpoint, serve("pusher") as gateway:
        result = storm("pusher", gateway, "--tokens", str(tokens), "--provider", endpoint.url)
        names = {line["connection"] for line in lines(gateway) if line["kind"] == "logged_in"}
    assert result["connects"]["accepted"] == CLIENTS and result["errors"] == {}, result
    assert sorted(asked) == sorted(f"1.{name}" for name in names) and len(names) == CLIENTS


def test_an_answer_ahead_of_the_upgrade_that_lacks_something_is_told(wires, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("a secret of thirty-two bytes, or more")
    with HTTPServer(lambda _: b"{}") as server:
        url = server.url.replace("http:", "ws:")
        flags = ["--wire", str(wires / "signalr-json.json"), "--url", url, "--mint", "--secret-file", str(secret)]
        result = storms.run(*flags, "--clients", "3", "--hold", "1s", "--timeout", "20s", expected=(1,))["result"]
    assert result["errors"] == {"before_lacks_connection_token": 3}, result
    assert result["connects"]["failed"] == {"http_200": 3} and result["connects"]["accepted"] == 0


def test_clients_reconnect_after_an_operator_expires_their_tokens(serve, wires, tmp_path):
    def logins():
        return sum(line["kind"] == "logged_in" for line in lines(gateway) if line.get("user") == "storm-3")

    with serve("socketio") as gateway:
        flags = ["--wire", str(wires / "socketio.json"), "--url", gateway.url, "--clients", "5", "--life", "1h", "--expiry", "own", "--live", "0"]
        with storms.Running(*flags) as running:
            until(lambda: len(get(gateway, "/sessions")["sessions"]) == 5)
            assert order(gateway, "/users/storm-3/expire", {})["sessions"] == 1
            until(lambda: logins() == 2)
            # Nothing else would end it for an hour.
            running.until(6)
            running.process.terminate()
            result = running.report(expected=(1,))["result"]
        assert logins() == 2
    assert result["returns"]["returned"] == 1 and result["tokens"]["ends_early"] == 1, result


def test_old_tokens_are_refused_in_the_words_of_the_wire(serve, storm, tmp_path):
    wire = hasty("socketio", tmp_path)
    with serve("socketio") as gateway:
        result = storm("socketio", gateway, "--behaviour", "stale=100", "--threshold", "connects.failed == 0", wire=wire)
    assert set(result["returns"]["refused"]) == {"jwt_expired"}, result["returns"]
    assert result["connects"]["accepted"] == CLIENTS and result["refreshes"]["accepted"] == 0


def test_a_description_that_cannot_be_played_is_refused_at_the_start(wires, tmp_path):
    with pytest.raises(RuntimeError, match="/v1/connect is the plain dialect's own"), Gateway("--wire", str(wires / "postern-plain.json"), expected_exit=2):
        pass
    path = tmp_path / "mute.json"
    path.write_text(
        '{"wire": 1, "name": "x", "connect": {"path": "/x", "query": {"t": "{{token}}"}},\n "hear": [{"when": {"text": "IN"}, "is": "logged_in"}]}'
    )
    with pytest.raises(RuntimeError, match=r'mute.json:2:\d+ /hear/0: a rule that is logged_in has no "as"'), Gateway("--wire", str(path), expected_exit=2):
        pass


# Clients that nobody here wrote


def test_centrifuge_python_renews_in_band(serve):
    async def main(gateway):
        async def get_token(*_):
            return token("ann", 5)

        client = centrifuge.Client(gateway.url + "/connection/websocket", token=token("ann", 5), get_token=get_token)
        await client.connect()
        await client.ready(timeout=60)
        await asyncio.to_thread(until, lambda: counts_of(gateway)["refreshed"] >= 2)
        await client.disconnect()

    with serve("centrifugo") as gateway:
        asyncio.run(asyncio.wait_for(main(gateway), 90))
        counts = get(gateway, "/journal/counts?user=ann")["counts"]
    assert counts["logged_in"] == 1 and counts["refreshed"] >= 2, counts


def centrifuge_client(gateway, tokens, first, delays=(0.1, 0.3)):
    """A client whose tokens come from `tokens`, one after the other, and what it went through."""
    states = []

    class Events(centrifuge.ClientEventHandler):
        async def on_connecting(self, context):
            states.append(("connecting", context.code))

        async def on_connected(self, context):
            states.append(("connected", None))

        async def on_disconnected(self, context):
            states.append(("disconnected", context.code))

    async def get_token(*_):
        return tokens.pop(0) if len(tokens) > 1 else tokens[0]

    client = centrifuge.Client(
        gateway.url + "/connection/websocket", events=Events(), token=first, get_token=get_token,
        min_reconnect_delay=delays[0], max_reconnect_delay=delays[1],
    )
    return client, states


async def seen(states, wanted):
    while wanted not in states:
        await asyncio.sleep(0.05)


def test_an_expired_token_in_a_refresh_has_centrifuge_python_come_back(serve):
    async def main(gateway):
        client, states = centrifuge_client(gateway, [token("ann", -60), token("ann", 600)], token("ann", 6))
        await client.connect()
        await seen(states, ("connecting", 3005))
        while states.count(("connected", None)) < 2:
            await asyncio.sleep(0.05)
        await client.disconnect()
        return states

    with serve("centrifugo") as gateway:
        states = asyncio.run(asyncio.wait_for(main(gateway), 90))
        codes = [line["code"] for line in lines(gateway) if line["kind"] == "cut_off"]
        assert counts_of(gateway)["logged_in"] == 2 and set(codes) == {3005}, (states, codes)


def test_a_bad_token_in_a_refresh_ends_centrifuge_python_permanently(serve):
    async def main(gateway):
        client, states = centrifuge_client(gateway, ["no token"], token("ann", 6))
        await client.connect()
        await seen(states, ("disconnected", 3500))
        await client.disconnect()

    with serve("centrifugo") as gateway:
        asyncio.run(asyncio.wait_for(main(gateway), 90))
        assert counts_of(gateway)["logged_in"] == 1


def test_an_expired_token_at_the_login_has_centrifuge_python_come_back_and_a_bad_one_does_not(serve):
    async def main(gateway):
        client, states = centrifuge_client(gateway, [token("ann", 600)], token("ann", -60))
        await client.connect()
        await seen(states, ("connected", None))
        await client.disconnect()
        client, states = centrifuge_client(gateway, [token("bob", 600)], "no token")
        await client.connect()
        await seen(states, ("disconnected", 3500))

    with serve("centrifugo") as gateway:
        asyncio.run(asyncio.wait_for(main(gateway), 90))
        assert counts_of(gateway)["logged_in"] == 1


def test_centrifuge_python_with_a_subscription_settles_on_its_first_connection(serve):
    async def main(gateway):
        client, states = centrifuge_client(gateway, [token("ann", 600)], token("ann", 600))
        await client.connect()
        subscription = client.new_subscription("news")
        await subscription.subscribe()
        await subscription.ready(timeout=60)
        await subscription.publish({"a": 1})
        history = await subscription.history(limit=10)
        stats = await subscription.presence_stats()
        assert history.publications == [] and stats.num_clients == 0
        with pytest.raises(centrifuge.ReplyError, match="method not found"):
            await client.rpc("any", {})
        await subscription.unsubscribe()
        await client.disconnect()
        assert [state for state, _ in states].count("connected") == 1

    with serve("centrifugo") as gateway:
        asyncio.run(asyncio.wait_for(main(gateway), 90))
        assert counts_of(gateway)["logged_in"] == 1 and "message_unanswered" not in gateway.log()


def test_messages_without_an_answer_are_logged_without_tokens_and_not_endlessly(serve):
    import websockets.sync.client

    with serve("centrifugo") as gateway:
        with websockets.sync.client.connect(gateway.url + "/connection/websocket", open_timeout=60) as socket:
            socket.send(json.dumps({"id": 1, "connect": {"token": token("ann", 600)}}))
            assert '"connect"' in socket.recv(timeout=60)
            for number in range(100):
                socket.send(json.dumps({"id": number + 2, "teleport": {"channel": "news", "token": token("ann")}}))
            socket.send(json.dumps({"id": 999, "subscribe": {"channel": "news"}}))
            assert json.loads(socket.recv(timeout=60)) == {"id": 999, "subscribe": {}}
        warnings = gateway.logged("message_unanswered")
    assert 1 <= len(warnings) <= 8 and "teleport" in warnings[0], warnings


def test_a_description_that_leaves_clients_without_an_answer_is_warned_about_at_the_start(tmp_path):
    path = tmp_path / "silent.json"
    path.write_text(
        """{"wire": 1, "name": "silent", "connect": {"path": "/x"},
        "say": {"login": {"json": {"t": "{{token}}"}}, "renew": {"json": {"r": "{{token}}"}}, "beat": {"json": {"b": 1}}},
        "at_open": {"say": "login"},
        "hear": [{"when": {"text": "IN"}, "is": "logged_in", "as": {"text": "IN"}}, {"when": {"text": "OK"}, "is": "refreshed", "as": {"text": "OK"}}],
        "refresh": {"how": "timer", "lead": "1s", "say": "renew"}, "keep_alive": {"say": "beat", "every": "10s"}}"""
    )
    with Gateway("--wire", str(path), loops=1) as gateway:
        assert gateway.logged("a refused 'renew' is answered with silence") and gateway.logged("nobody answers 'beat'")


@pytest.mark.parametrize("name", [*RENEWED, *RETURNING, "pusher"])
def test_no_shipped_description_is_warned_about(name, serve):
    with serve(name) as gateway:
        assert "wire_silence" not in gateway.log()


def test_python_socketio_is_admitted_pinged_and_disconnected(serve, wires, tmp_path):
    quick = tmp_path / "quick.json"
    quick.write_text((wires / "socketio.json").read_text().replace('"ping_every": "25s"', '"ping_every": "300ms"'))
    over, refused = threading.Event(), []
    with Gateway("--wire", str(quick), *TIMES, loops=1) as gateway:
        url = gateway.url.replace("ws:", "http:")
        client = socketio.Client(reconnection=False)
        client.on("disconnect", lambda *_: over.set())
        client.connect(url, auth={"token": token("ann", 6)}, transports=["websocket"])
        assert client.connected and over.wait(60)
        client.disconnect()
        late = socketio.Client(reconnection=False)
        late.on("connect_error", refused.append)
        with pytest.raises(socketio.exceptions.ConnectionError):
            late.connect(url, auth={"token": token("bob", -60)}, transports=["websocket"])
        events = lines(gateway)
    assert refused and refused[0]["message"] == "jwt expired", refused
    # It was asked for a sign of life about every 300 ms, and gave one each time.
    pings = [event for event in events if event["kind"] == "message_out" and event.get("message") == "vendor"]
    assert len(pings) >= 3, events


def test_pysher_subscribes_with_a_token_for_its_socket(serve):
    joined, asked = threading.Event(), []

    with serve("pusher") as gateway:
        client = pysher.Pusher("k", secure=False, custom_host="127.0.0.1", port=gateway.port)

        def connected(_):
            asked.append(client.connection.socket_id)
            channel = client.subscribe("private-ann", auth=token("ann", 60))
            channel.bind("pusher_internal:subscription_succeeded", lambda *_: joined.set())

        client.connection.bind("pusher:connection_established", connected)
        client.connect()
        assert joined.wait(60)
        # Its thread for pings sleeps for most of two minutes, and need not be waited for.
        client.disconnect(timeout=1)
        assert asked and asked[0].startswith("1.conn_")


def test_nats_py_logs_in_and_is_told_the_end(serve):
    async def main(url):
        ended, errors = asyncio.Event(), []

        async def closed():
            ended.set()

        async def failed(error):
            errors.append(str(error))

        client = await nats.connect(
            url, user_jwt_cb=lambda: token("ann", 6).encode(), signature_cb=lambda _: b"", closed_cb=closed, error_cb=failed,
            disconnected_cb=closed, allow_reconnect=False, connect_timeout=60,
        )
        assert client.is_connected
        await asyncio.wait_for(ended.wait(), 60)

    with serve("nats") as gateway:
        asyncio.run(main(gateway.url))
        counts = get(gateway, "/journal/counts?user=ann")["counts"]
    assert counts["logged_in"] == 1 and counts["cut_off"] == 1, counts


# What nobody should send


@pytest.mark.parametrize("name", [*RENEWED, *RETURNING, "pusher"])
def test_nonsense_is_ignored_and_admits_no_client(name, serve, wires):
    import websockets.sync.client

    paths = {
        "ably": "/?v=3&format=json&heartbeats=true&accessToken=x", "ably-msgpack": "/?accessToken=x", "centrifuge-v1": "/connection/websocket", "centrifugo": "/connection/websocket",
        "supabase-realtime": "/realtime/v1/websocket?vsn=1.0.0&apikey=k", "close-4401": "/ws/feed/?token=x", "graphql-transport-ws": "/graphql",
        "nats": "/", "phoenix": "/socket/websocket?vsn=2.0.0&token=x", "signalr-json": "/hub?id=1&access_token=x",
        "socketio": "/socket.io/?EIO=4&transport=websocket", "wamp-ticket": "/", "pusher": "/app/k?protocol=7&client=postern&version=1",
    }
    strange = ["", "{", "[]", "{}", "null", "0", "40", "40{", '{"id":1e999}', '{"id":{},"connect":[]}', "[1]", '[5,null,{}]', "CONNECT {\r\n", "\x1e\x1e", "PING\r\n" * 50, "a" * 60_000]
    with serve(name, "--login-timeout", "1s") as gateway:
        try:
            with websockets.sync.client.connect(gateway.url + paths[name], open_timeout=60) as socket:
                for text in strange:
                    socket.send(text)
                    socket.send(text.encode())
                while True:
                    socket.recv(timeout=60)
        except (websockets.exceptions.ConnectionClosed, websockets.exceptions.InvalidStatus):
            pass
        except TimeoutError:
            # A description may say how long a socket without a login stays.
            assert name == "supabase-realtime"
        counts = counts_of(gateway)
        assert counts.get("logged_in", 0) == 0, counts
        until(lambda: get(gateway, "/sessions")["sessions"] == [])

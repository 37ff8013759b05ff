"""Clients that nobody here wrote, against `postern serve --wire`: none of them knows that it is no gateway of its vendor's.

Of these wires no server can be had from Debian or PyPI. What each client does at the end of its token is its own business.
"""

import asyncio
import threading
import time
from urllib.parse import urlencode

import pytest
from described import TIMES, WIRES, secrets, serving
from gateway import Gateway, token
from orders import counts_of, lines, order, until

LIFE = 5


@pytest.fixture
def serve(tmp_path):
    def serve(name, *flags):
        return Gateway(*serving(name, tmp_path), *flags, loops=1)

    return serve


def journal(gateway, user, kind):
    return [line for line in lines(gateway) if line.get("user") == user and line["kind"] == kind]


# Ably


def ably_client(port, asked, life=LIFE, is_binary=False):
    from ably import AblyRealtime

    async def auth(_):
        asked.append(time.monotonic())
        return token("ann", life)

    return AblyRealtime(auth_callback=auth, realtime_host=f"127.0.0.1:{port}", tls=False, use_binary_protocol=is_binary)


ENCODINGS = pytest.mark.parametrize(("name", "is_binary"), [("ably", False), ("ably-msgpack", True)])


@ENCODINGS
def test_ably_answers_the_gateways_auth_on_its_connection(serve, name, is_binary):
    async def main(gateway):
        asked = []
        client = ably_client(gateway.port, asked, 4, is_binary)
        await asyncio.wait_for(client.connection.once_async("connected"), 60)
        while len(journal(gateway, "ann", "refreshed")) < 2:
            await asyncio.sleep(0.1)
        await client.close()
        return asked

    with serve(name, "--refresh-lead", "1s") as gateway:
        asked = asyncio.run(asyncio.wait_for(main(gateway), 90))
        counts = counts_of(gateway)
    assert counts["logged_in"] == 1 and counts["refreshed"] >= 2 and counts.get("cut_off", 0) == 0, counts
    assert len(asked) >= 3


@ENCODINGS
def test_ably_comes_back_with_a_new_token_when_it_is_put_out(serve, name, is_binary):
    async def main(gateway):
        asked = []
        client = ably_client(gateway.port, asked, 600, is_binary)
        await asyncio.wait_for(client.connection.once_async("connected"), 60)
        order(gateway, "/users/ann/disconnect", {})
        await asyncio.wait_for(client.connection.once_async("disconnected"), 60)
        await asyncio.wait_for(client.connection.once_async("connected"), 60)
        await client.close()

    with serve(name) as gateway:
        asyncio.run(asyncio.wait_for(main(gateway), 150))
        assert counts_of(gateway)["logged_in"] == 2


# Supabase


def test_supabase_renews_on_its_channel_and_outlives_the_old_token(serve):
    from realtime import AsyncRealtimeClient

    async def main(gateway):
        client = AsyncRealtimeClient(f"{gateway.http_url}/realtime/v1", params={"apikey": "k"}, auto_reconnect=False)
        client.access_token = token("ann", LIFE)
        states = []
        await client.connect()
        channel = client.channel("room")
        await asyncio.wait_for(channel.subscribe(lambda state, error: states.append((str(state), error))), 60)
        assert states and "SUBSCRIBED" in states[0][0], states
        for _ in range(3):
            await asyncio.sleep(LIFE / 2)
            await client.set_auth(token("ann", LIFE))
        assert client.is_connected and len(states) == 1, states
        await asyncio.to_thread(until, lambda: counts_of(gateway)["refreshed"] >= 3)
        await client.close()

    with serve("supabase-realtime") as gateway:
        asyncio.run(asyncio.wait_for(main(gateway), 90))
        counts = counts_of(gateway)
    assert counts["logged_in"] == 1 and counts["refreshed"] == 3 and counts.get("cut_off", 0) == 0, counts


def test_supabase_is_told_that_its_token_is_no_good(serve):
    from realtime import AsyncRealtimeClient

    async def main(gateway):
        client = AsyncRealtimeClient(f"{gateway.http_url}/realtime/v1", params={"apikey": "k"}, auto_reconnect=False)
        client.access_token = token("ann", -60)
        states = []
        await client.connect()
        waiting = asyncio.create_task(client.channel("room").subscribe(lambda state, error: states.append((str(state), str(error)))))
        while not states:
            await asyncio.sleep(0.05)
        waiting.cancel()
        await client.close()
        return states

    with serve("supabase-realtime") as gateway:
        states = asyncio.run(asyncio.wait_for(main(gateway), 90))
        assert "CHANNEL_ERROR" in states[0][0] and "InvalidJWTToken" in states[0][1], states
        assert counts_of(gateway).get("logged_in", 0) == 0


def supabase_in_a_hurry(tmp_path):
    """The description with a grace of a second, and the flags to serve it."""
    path = tmp_path / "supabase-realtime.json"
    text = (WIRES / path.name).read_text()
    assert '"grace": "5s"' in text
    path.write_text(text.replace('"grace": "5s"', '"grace": "1s"'))
    return Gateway("--wire", str(path), *secrets(tmp_path), *TIMES, loops=1)


def test_supabase_joins_channels_of_any_name_with_any_configuration(serve):
    from realtime import AsyncRealtimeClient

    async def main(gateway):
        client = AsyncRealtimeClient(f"{gateway.http_url}/realtime/v1", params={"apikey": "k"}, auto_reconnect=False)
        client.access_token = token("ann", 600)
        await client.connect()
        states = {}
        for topic in ("lobby", "room:42", "news"):
            channel = client.channel(topic, {"config": {"broadcast": {"self": True, "ack": False}, "presence": {"key": "a"}, "private": True}})
            await channel.subscribe(lambda state, error, topic=topic: states.setdefault(topic, []).append(str(state)))
        while len(states) < 3:
            await asyncio.sleep(0.05)
        await channel.send_broadcast("shout", {"a": 1})
        await channel.unsubscribe()
        while len(states["news"]) < 2:
            await asyncio.sleep(0.05)
        await client.close()
        return states

    with serve("supabase-realtime") as gateway:
        states = asyncio.run(asyncio.wait_for(main(gateway), 90))
        counts = counts_of(gateway)
        assert all("SUBSCRIBED" in seen[0] for seen in states.values()) and "CLOSED" in states["news"][1], states
        assert counts["logged_in"] == 1 and "message_unanswered" not in gateway.log(), counts


def test_supabase_is_told_on_each_channel_that_its_token_is_over_and_rejoins_on_the_same_socket(tmp_path):
    from realtime import AsyncRealtimeClient

    async def main(gateway):
        client = AsyncRealtimeClient(f"{gateway.http_url}/realtime/v1", params={"apikey": "k"}, auto_reconnect=False)
        client.access_token = token("ann", 6)
        began = time.monotonic()
        await client.connect()
        told = {}
        for topic in ("lobby", "news"):
            await client.channel(topic).subscribe(lambda state, error, topic=topic: told.setdefault(topic, []).append((str(state), str(error))))
        while not all(len(states) >= 3 for states in told.values()) or len(told) < 2:
            await asyncio.sleep(0.02)
        after = time.monotonic() - began
        assert client.is_connected, told
        # The old token is refused on the open socket, a new one joins there.
        client.channels.clear()
        client.access_token = token("ann", -60)
        late = []
        await client.connect()
        waiting = asyncio.create_task(client.channel("lobby").subscribe(lambda state, error: late.append(str(error))))
        while not late:
            await asyncio.sleep(0.02)
        waiting.cancel()
        client.channels.clear()
        client.access_token = token("ann", 600)
        await client.channel("lobby").subscribe(lambda state, error: late.append(str(state)))
        while len(late) < 2:
            await asyncio.sleep(0.02)
        await client.close()
        return told, after, late

    with supabase_in_a_hurry(tmp_path) as gateway:
        told, after, late = asyncio.run(asyncio.wait_for(main(gateway), 90))
        counts = counts_of(gateway)
    for states in told.values():
        assert "SUBSCRIBED" in states[0][0] and "Access token has expired" in states[1][1] and "CLOSED" in states[2][0], told
    # PyJWT's `exp` is a fraction of a second; the gateway ends the channels a second after it.
    assert after > 6.5, after
    assert "InvalidJWTToken" in late[0] and "SUBSCRIBED" in late[1], late
    assert counts["logged_in"] == 2 and counts["connection_opened"] == 1 and counts.get("cut_off", 0) == 0, counts


# SignalR


def signalr_client(gateway, asked, life):
    import logging

    from signalrcore.hub_connection_builder import HubConnectionBuilder

    def auth():
        asked.append(1)
        return token("ann", life)

    options = {"access_token_factory": auth}
    return (
        HubConnectionBuilder()
        .with_url(f"{gateway.http_url}/hub?" + urlencode({"access_token": token("ann", life)}), options=options)
        .configure_logging(logging.CRITICAL)
        .build()
    )


def test_signalr_negotiates_is_pinged_and_told_the_end(serve):
    with serve("signalr-json") as gateway:
        opened, closed, asked = threading.Event(), threading.Event(), []
        client = signalr_client(gateway, asked, LIFE)
        client.on_open(opened.set)
        client.on_close(closed.set)
        client.start()
        assert opened.wait(60)
        assert closed.wait(60)
        client.stop()
        counts = counts_of(gateway)
    assert asked and counts["logged_in"] == 1 and counts["cut_off"] == 1, counts


def test_signalr_is_refused_at_its_negotiate(serve):
    with serve("signalr-json") as gateway:
        client = signalr_client(gateway, [], -60)
        with pytest.raises(Exception, match="401"):
            client.start()
        assert counts_of(gateway).get("logged_in", 0) == 0


# GraphQL


def test_gql_subscribes_and_is_told_the_end(serve):
    from gql import Client
    from gql.transport.exceptions import TransportConnectionFailed
    from gql.transport.websockets import WebsocketsTransport

    async def main(gateway, life):
        transport = WebsocketsTransport(
            f"{gateway.url}/graphql", init_payload={"token": token("ann", life)}, subprotocols=["graphql-transport-ws"], ping_interval=1, pong_timeout=60,
            connect_timeout=60, ack_timeout=60,
        )
        async with Client(transport=transport, fetch_schema_from_transport=False) as session:
            await asyncio.wait_for(transport.wait_closed(), 60)
            return session

    with serve("graphql-transport-ws") as gateway:
        asyncio.run(asyncio.wait_for(main(gateway, LIFE), 90))
        counts = counts_of(gateway)
        assert counts["logged_in"] == 1 and counts["cut_off"] == 1, counts
        with pytest.raises(TransportConnectionFailed) as refused:
            asyncio.run(asyncio.wait_for(main(gateway, -60), 90))
        assert refused.value.__cause__.rcvd.code == 4403
        assert counts_of(gateway)["logged_in"] == 1


# Phoenix


def test_phoenix_joins_beats_and_hears_its_channel_close(serve):
    from phoenix_channels_python_client.client import PHXChannelsClient

    async def main(gateway):
        async def nothing(_):
            pass

        lost = asyncio.Event()

        async def gone(*_):
            lost.set()

        address = f"{gateway.url}/socket/websocket?" + urlencode({"token": token("ann", LIFE)})
        client = PHXChannelsClient(address, "unused", heartbeat_interval_s=0.5, auto_reconnect=False, on_topic_lost=gone, on_disconnect=gone)
        async with client:
            await client.subscribe_to_topic("user:ann", nothing)
            await asyncio.wait_for(lost.wait(), 60)

    with serve("phoenix") as gateway:
        asyncio.run(asyncio.wait_for(main(gateway), 90))
        counts = counts_of(gateway)
    assert counts["logged_in"] == 1 and counts["cut_off"] == 1, counts

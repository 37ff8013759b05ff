"""Clients that nobody here wrote, through `postern proxy`, whose target is `postern serve --wire`: of these wires no server can be had.

Both sides of the proxy have a transcript of their own, by a relay that shares no code with it.
"""

import asyncio

import pytest
from described import WIRES, serving
from gateway import Gateway, token
from orders import counts_of
from transcripts import Between


@pytest.fixture
def served(tmp_path):
    def served(name, *flags):
        return Gateway(*serving(name, tmp_path), *flags, loops=1)

    return served


def between(gateway, name):
    return Between(gateway.port, "--wire", str(WIRES / f"{name}.json"), "--journal-payloads")


async def until(met):
    """Waits for a condition, for a minute."""
    async with asyncio.timeout(60):
        while not met():
            await asyncio.sleep(0.02)


async def in_thread(work):
    return await asyncio.to_thread(work)


# Supabase


async def supabase(http_url, renewals, hook=None):
    """The states of a channel, and how many tokens the client gave on it."""
    from realtime import AsyncRealtimeClient

    client = AsyncRealtimeClient(f"{http_url}/realtime/v1", params={"apikey": "k"}, auto_reconnect=False)
    client.access_token = token("ann", 600)
    states = []
    await client.connect()
    channel = client.channel("room", {"config": {"broadcast": {"self": True, "ack": False}, "presence": {"key": "a"}, "private": True}})
    await channel.subscribe(lambda state, error: states.append((str(state), str(error))))
    await until(lambda: states)
    for _ in range(renewals):
        await client.set_auth(token("ann", 600))
    await channel.send_broadcast("shout", {"a": "x" * 5000})
    if hook:
        await hook(states)
    await client.close()
    return states


def test_realtime_sees_the_same_through_the_proxy(served):
    with served("supabase-realtime") as gateway:

        # A client that left sooner might not have them noted.
        async def renewed(_):
            await until(lambda: counts_of(gateway)["refreshed"] == 2)

        direct = asyncio.run(supabase(gateway.http_url, 2, renewed))
        assert "SUBSCRIBED" in direct[0][0]
        with between(gateway, "supabase-realtime") as through:

            async def renewed_there(_):
                await in_thread(lambda: through.proxy.await_line("refreshed", 2))

            assert asyncio.run(supabase(through.http_url, 2, renewed_there)) == direct
            through.check_same()
            assert [line["user"] for line in through.proxy.lines("logged_in")] == ["ann"]
            assert len(through.proxy.await_line("refreshed", 2)) == 2
            assert "eyJ" not in str(through.proxy.lines(payloads=True)) + through.proxy.said()
        assert counts_of(gateway)["refreshed"] == 4


def test_realtime_loses_a_reply_and_then_its_connection(served):
    with served("supabase-realtime") as gateway, between(gateway, "supabase-realtime") as through:
        from realtime import AsyncRealtimeClient

        async def main():
            await in_thread(lambda: through.proxy.fail(fault="replace", what="any:out", match={"json": {"/event": "phx_reply"}}, times=1, text="{}"))
            client = AsyncRealtimeClient(f"{through.http_url}/realtime/v1", params={"apikey": "k"}, auto_reconnect=False)
            client.access_token = token("ann", 600)
            states = []
            await client.connect()
            waiting = asyncio.create_task(client.channel("room").subscribe(lambda state, error: states.append(str(state))))
            await in_thread(lambda: through.proxy.await_line("faulted"))
            assert not states
            waiting.cancel()
            await client.close()

            async def drop(states):
                await in_thread(lambda: through.proxy.fail(fault="reset", times=1))
                await in_thread(lambda: through.proxy.await_line("faulted", 2))

            return await supabase(through.http_url, 0, drop)

        assert "SUBSCRIBED" in asyncio.run(main())[0][0]


# Ably, with JSON


async def ably(port, hook=None):
    """The states of a connection, and how often the client asked its application for a token."""
    from ably import AblyRealtime

    states, asked = [], []

    async def auth(_):
        asked.append(1)
        return token("ann", 600)

    client = AblyRealtime(auth_callback=auth, realtime_host=f"127.0.0.1:{port}", tls=False, use_binary_protocol=False, disconnected_retry_timeout=200)
    client.connection.on(lambda change: states.append(str(change.current)))
    async with asyncio.timeout(60):
        await client.connection.once_async("connected")
    if hook:
        await hook(client, states)
    await client.close()
    return states, len(asked)


def test_ably_sees_the_same_through_the_proxy(served):
    with served("ably") as gateway:
        direct = asyncio.run(ably(gateway.port))
        with between(gateway, "ably") as through:
            assert asyncio.run(ably(through.port)) == direct
            through.check_same()
            assert [line["user"] for line in through.proxy.lines("logged_in")] == ["ann"]
            assert "eyJ" not in str(through.proxy.lines(payloads=True)) + through.proxy.said()


def test_ably_answers_an_expire_of_the_proxy_and_comes_back_after_a_reset(served):
    with served("ably") as gateway, between(gateway, "ably") as through:

        def is_back(states):
            # A refresh is told as CONNECTED, too.
            ends = [place for place, state in enumerate(states) if "DISCONNECTED" in state]
            return ends and any(state.endswith(".CONNECTED") for state in states[ends[0] :])

        async def hook(client, states):
            assert "1 session" in await in_thread(lambda: through.proxy.ctl("expire", "--user", "ann"))
            await in_thread(lambda: through.proxy.await_line("refreshed"))
            await in_thread(lambda: through.proxy.fail(fault="reset", times=1))
            await until(lambda: is_back(states))

        states, asked = asyncio.run(ably(through.port, hook))
        assert asked >= 2 and counts_of(gateway)["logged_in"] == 2, states
        assert counts_of(gateway)["refreshed"] == 1

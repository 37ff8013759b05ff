"""The application's token endpoint at `postern proxy`, and verdicts on clients that renew through it."""

import asyncio
import http.client
import json
import os
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import centrifuge
import pytest
from proxied import Proxy, WebServer, web
from renewing import Provider, ReturningGateway, TimerGateway, returning_client, timer_client

WIRES = Path(__file__).resolve().parents[3] / "Deploy" / "wires"
PATH = "/auth/token"
RENEWALS = 2


def ask(proxy, user="ann", **fields):
    """Status, header fields and JSON of an answer of the token endpoint."""
    request = urllib.request.Request(proxy.http_url + PATH, json.dumps({"user": user}).encode(), {"Content-Type": "application/json", **fields})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def running(provider):
    with Proxy("ws://127.0.0.1:1", "--control-port", "0", "--tokens", provider.url, "--journal-payloads") as proxy:
        yield proxy


@pytest.fixture
def proxy(running):
    yield running
    running.mend()


def test_a_call_of_the_token_endpoint_is_in_the_journal_without_its_token(proxy, provider):
    before = proxy.lines()[-1]["n"] if proxy.lines() else 0
    status, _, answer = ask(proxy, "ann", Authorization="Bearer marked-secret", Cookie="session=marked-cookie")
    assert status == 200 and answer == {"token": provider.given[-1], "expires_in": 600}
    lines = [line for line in proxy.lines() if line["n"] > before]
    assert [(line["kind"], line.get("user")) for line in lines] == [("provider_asked", "ann"), ("provider_minted", "ann"), ("http_answered", None)]
    everything = json.dumps(proxy.lines(payloads=True)) + proxy.said()
    assert not [secret for secret in ("eyJ", "marked-secret", "marked-cookie") if secret in everything]


@pytest.mark.parametrize(
    ("order", "wanted"),
    [
        ({"fault": "mint_refused", "status": 429, "retry_after_s": 5}, (429, "5")),
        ({"fault": "mint_refused", "status": 401}, (401, None)),
        ({"fault": "answer_with", "route": "POST /auth/token", "status": 503, "after": "upstream"}, (503, None)),
    ],
    ids=["429", "401", "after upstream"],
)
def test_a_call_is_refused_and_only_the_last_kind_reaches_the_endpoint(proxy, provider, order, wanted):
    count = provider.count
    proxy.fail(times=1, **order)
    status, fields, _ = ask(proxy)
    assert (status, fields.get("Retry-After")) == wanted and fields["Postern-Proxy"] == "fault"
    assert provider.count == count + (1 if "after" in order else 0)
    assert ask(proxy)[0] == 200


def test_calls_beyond_a_budget_are_refused_for_one_user(proxy):
    proxy.fail(fault="mint_limited", per="user", limit=2, window_s=600)
    assert [ask(proxy, user)[0] for user in ("carl", "carl", "carl", "dora")] == [200, 200, 429, 200]


def test_a_token_is_changed_and_the_rest_of_the_answer_stays(proxy, provider):
    changed = {}
    for word in ("mint_empty", "mint_malformed", "mint_forged", "mint_same"):
        last = provider.given[-1] if provider.given else None
        proxy.fail(fault=word, times=1, who={"users": ["ann"]})
        status, _, answer = ask(proxy)
        assert status == 200 and answer["expires_in"] == 600
        changed[word] = answer["token"]
        minted = provider.given[-1]
        assert {"mint_empty": changed[word] == "", "mint_malformed": changed[word] == minted[: len(minted) // 2], "mint_forged": changed[word] != minted and changed[word].split(".")[:2] == minted.split(".")[:2], "mint_same": changed[word] == last}[word], word
    ask(proxy, "mallory")
    proxy.fail(fault="mint_for_other", user="mallory", times=1, who={"users": ["ann"]})
    assert ask(proxy)[2]["token"] == provider.given[-2]


def test_a_call_is_answered_late_and_one_after_the_other(proxy):
    proxy.fail(fault="mint_slowly", by_ms=600, times=1)
    begun = time.monotonic()
    assert ask(proxy)[0] == 200 and time.monotonic() - begun >= 0.6
    proxy.fail(fault="mint_rate", per_s=2)
    begun = time.monotonic()
    assert [ask(proxy)[0] for _ in range(3)] == [200] * 3 and time.monotonic() - begun >= 0.9


def test_a_shorter_life_is_told_and_the_token_stays(proxy, provider):
    proxy.fail(fault="shorten", life_s=3, times=1)
    assert ask(proxy)[2] == {"token": provider.given[-1], "expires_in": 3}


@pytest.mark.parametrize(
    ("order", "name"),
    [({"fault": "mint_early"}, "not_ours"), ({"fault": "mint_expired"}, "no_token_seen"), ({"fault": "mint_for_other", "user": "nobody"}, "no_token_seen"), ({"fault": "mint_refused", "after": "upstream"}, "invalid_parameter")],
)
def test_a_behaviour_that_cannot_be_played_is_refused_by_name(proxy, order, name):
    status, answer = proxy.ask("POST", "/faults", order)
    assert status >= 400 and answer["error"]["name"] == name, answer


def test_a_large_answer_a_cut_one_and_one_without_a_token_pass_as_they_are():
    def add(router):
        async def large(request):
            return web.json_response({"token": "t" * 10, "padding": "y" * (3 << 20)})

        async def cut(request):
            response = web.StreamResponse(headers={"Content-Length": "1000"})
            await response.prepare(request)
            await response.write(b'{"token": "abc"')
            request.transport.abort()
            return response

        async def none(request):
            return web.json_response({"other": 1})

        for path, answer in (("/large", large), ("/cut", cut), ("/none", none)):
            router.add_post(path, answer)

    with WebServer(add) as server:
        for path, size in (("/large", 3 << 20), ("/none", 8), ("/cut", None)):
            with Proxy(server.http_url, "--control-port", "0", "--token-route", f"POST {path}") as proxy:
                with urllib.request.urlopen(urllib.request.Request(proxy.http_url + path, b"{}"), timeout=30) as answer:
                    assert answer.status == 200
                    if size:
                        assert len(answer.read()) > size
                    else:
                        with pytest.raises(http.client.IncompleteRead):
                            answer.read()
                assert [line["kind"] for line in proxy.lines("provider_asked", "provider_failed", "provider_minted")] == ["provider_asked", "provider_failed"]


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (["--tokens", "http://127.0.0.1:9/t"], "--control-port"),
        (["--control-port", "0", "--tokens", "https://login.example/token"], "--i-may-proxy login.example"),
        (["--control-port", "0", "--tokens", "http://127.0.0.1:9"], "expected"),
        (["--control-port", "0", "--tokens", "./missing.json"], "missing.json"),
        (["--control-port", "0", "--token-route", "token"], "POST /auth/token"),
        (["--control-port", "0", "--token-at", "/token"], "--token-route"),
        (["--control-port", "0", "--token-route", "/t", "--token-at", "token"], "/access_token"),
        (["--control-port", "0", "--token-route", "/t", "--tokens", "http://127.0.0.1:9/t"], "remove one"),
        (["--control-port", "0", "--dialect", "nobody"], "stream-video"),
        (["--control-port", "0", "--dialect", "sendbird", "--wire", "centrifugo"], "remove one"),
    ],
)
def test_flags_that_make_no_sense_are_refused_at_the_start(flags, wanted):
    with pytest.raises(RuntimeError) as caught:
        Proxy("ws://127.0.0.1:1", *flags).__enter__()
    assert wanted in str(caught.value)


# Verdicts.


def verdict(proxy, patience=60, **order):
    """The verdict on ann's client. Asks until enough time has passed, on a slow machine too."""
    deadline = time.monotonic() + patience
    while True:
        status, answer = proxy.ask("POST", "/journal/expect", {"user": "ann", **order})
        assert status == 200, answer
        if answer["verdict"] != "undecided" or time.monotonic() > deadline:
            return answer
        time.sleep(0.2)


def is_verdict(answer, wanted):
    """Whether the verdict is as expected, or undecided because of a slow machine."""
    is_open = answer["verdict"] == "undecided" and (answer["lost_ms"] > 1_000 or answer["sentence"].startswith("the machine was "))
    return answer["verdict"] == wanted or is_open


ONCE = {"expect": "one_provider_call_per_expiry", "quiet_ms": 300}
FLIGHT = {"expect": "single_flight"}
IN_TIME = {"expect": "refreshed_in_time", "within_ms": 20_000}
GATEWAYS = {"timer": (TimerGateway, timer_client, "centrifugo.json"), "returning": (ReturningGateway, returning_client, "close-4401.json")}


def judged(wire, fault, expectation, provider):
    """The verdict on a client, and the kinds of the lines that prove it."""
    gateway_type, client, file = GATEWAYS[wire]
    flags = ["--wire", str(WIRES / file), "--tokens", provider.url, "--journal-payloads"]
    grace = 5 if fault == "ignores" else 60
    with gateway_type(2 if wire == "timer" else 1, grace) as gateway, Proxy(gateway.url, "--control-port", "0", *flags) as proxy:
        asyncio.run(client(proxy.url, proxy.http_url + PATH, "ann", fault, RENEWALS))
        answer = verdict(proxy, **expectation)
        kinds = [line["kind"] for line in answer["lines"]]
        assert "eyJ" not in json.dumps(proxy.lines(payloads=True))
        return answer, kinds


@pytest.mark.parametrize("wire", GATEWAYS)
@pytest.mark.parametrize(
    ("fault", "expectation", "sentence", "proof"),
    [
        ("twice", ONCE, "2 provider calls for one", "provider_minted"),
        ("at once", FLIGHT, "asked again", "provider_asked"),
        ("ignores", IN_TIME, None, None),
    ],
    ids=["two calls in a row", "two calls at once", "second expiry ignored"],
)
def test_a_wrong_client_fails_with_the_lines_that_show_it(provider, wire, fault, expectation, sentence, proof):
    expectation = {**expectation, "within_ms": 2_000} if fault == "ignores" else expectation
    answer, kinds = judged(wire, fault, expectation, provider)
    assert is_verdict(answer, "failed"), answer
    if answer["verdict"] == "undecided":
        return
    if fault == "ignores":
        assert ("want of a new token" if wire == "timer" else "no answer") in answer["sentence"]
        assert kinds == (["refreshed", "cut_off"] if wire == "timer" else ["cut_off"])
    else:
        assert sentence in answer["sentence"] and kinds.count(proof) == 2, answer


def test_a_client_that_comes_back_with_its_old_token_fails(provider):
    answer, kinds = judged("returning", "old", IN_TIME, provider)
    assert answer["verdict"] == "failed" and "token that it had before" in answer["sentence"] and kinds[-1] == "logged_in"


@pytest.mark.parametrize("wire", GATEWAYS)
def test_a_right_client_passes_each_time(provider, wire):
    gateway_type, client, file = GATEWAYS[wire]
    flags = ["--control-port", "0", "--wire", str(WIRES / file), "--tokens", provider.url]
    with gateway_type(2 if wire == "timer" else 1, 60, RENEWALS) as gateway, Proxy(gateway.url, *flags) as proxy:

        async def run():
            await asyncio.gather(*(client(proxy.url, proxy.http_url + PATH, f"user{number}", None, RENEWALS) for number in range(20)))

        asyncio.run(run())
        for number in range(20):
            for expectation in (ONCE, FLIGHT, IN_TIME):
                # A pause in the past keeps its verdict undecided.
                answer = verdict(proxy, patience=2, **{**expectation, "user": f"user{number}"})
                assert is_verdict(answer, "passed"), (number, answer)
            assert f"{RENEWALS} " in answer["sentence"] or answer["verdict"] == "undecided"


def test_a_timer_client_renews_in_three_seconds_at_an_unchanged_gateway(provider):
    with TimerGateway(600) as gateway, Proxy(gateway.url, "--control-port", "0", "--wire", str(WIRES / "centrifugo.json"), "--tokens", provider.url) as proxy:
        proxy.fail(fault="shorten", life_s=3)
        begun = time.monotonic()
        assert asyncio.run(timer_client(proxy.url, proxy.http_url + PATH, "ann", None, 2)) == 3
        assert 3 <= time.monotonic() - begun < 300
        assert len(gateway.seen) == 3 and is_verdict(verdict(proxy, **ONCE), "passed")
        lines = proxy.lines("logged_in", "refreshed")
        assert [line["expires_in_ms"] > 500_000 for line in lines] == [True] * 3 and len(proxy.lines("faulted")) >= 3


@pytest.fixture
def centrifugo(tmp_path):
    """A gateway of Centrifugo's protocol whose tokens live for ten minutes."""
    yield from postern_serve(tmp_path, "--wire", str(WIRES / "centrifugo.json"))


def test_centrifuge_python_renews_in_three_seconds_at_an_unchanged_gateway(centrifugo):
    async def run(proxy):
        asked, states = [], []

        class Events(centrifuge.ClientEventHandler):
            async def on_connecting(self, context):
                states.append(context.code)

        async def get_token(*_):
            def ask():
                asked.append(time.monotonic())
                request = urllib.request.Request(proxy.http_url + "/v1/tokens", b'{"user_id": "ann", "expires_in_s": 600}', {"Content-Type": "application/json"})
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return json.loads(answer.read())["token"]

            return await asyncio.to_thread(ask)

        client = centrifuge.Client(proxy.url + "/connection/websocket", events=Events(), get_token=get_token)
        await client.connect()
        await client.ready(timeout=60)
        while len(asked) < 3:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(lambda: proxy.await_line("refreshed", 2))
        with urllib.request.urlopen(centrifugo["control_url"] + "/sessions?user=ann", timeout=30) as answer:
            [session] = json.loads(answer.read())["sessions"]
        assert session["expires_in_ms"] > 500_000
        await client.disconnect()
        return asked, states

    with Proxy(centrifugo["url"], "--control-port", "0", "--wire", str(WIRES / "centrifugo.json"), "--token-route", "POST /v1/tokens") as proxy:
        proxy.fail(fault="shorten", life_s=3)
        asked, states = asyncio.run(asyncio.wait_for(run(proxy), 120))
        assert states == [0] and 2 < asked[1] - asked[0] < 60 and 2 < asked[2] - asked[1] < 60
        for expectation in (ONCE, FLIGHT, IN_TIME):
            assert is_verdict(verdict(proxy, **expectation), "passed")


# Built-in dialects.


def postern_serve(folder, *flags):
    """A Postern gateway; yields its ready line."""
    secret = folder / "secret"
    secret.write_text(os.urandom(32).hex())
    command = [os.environ["POSTERN"], "serve", "--secret-file", str(secret), "--port", "0", "--control-port", "0", *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    timer = threading.Timer(60, process.kill)
    timer.start()
    line = process.stdout.readline()
    timer.cancel()
    yield json.loads(line)
    process.terminate()
    process.communicate(timeout=30)


@pytest.fixture(scope="module")
def vendor(tmp_path_factory):
    """A Postern gateway in the role of the vendor's."""
    yield from postern_serve(tmp_path_factory.mktemp("vendor"), "--stream-expiry-close-code", "4000")


@pytest.mark.parametrize(
    ("dialect", "renewal"),
    [("plain", "refreshed"), ("stream-video", "logged_in"), ("sendbird", "refreshed"), ("streem", "refreshed")],
)
def test_a_built_in_dialect_shows_who_logs_in_and_renews(vendor, dialect, renewal):
    """Three clients of the dialect, whose tokens expire once. Stream's client is the one that reconnects with a new token."""
    with Proxy(vendor["url"], "--control-port", "0", "--dialect", dialect, "--token-route", "POST /v1/tokens", "--journal-payloads") as proxy:
        storm = [os.environ["POSTERN"], "storm", "--url", proxy.url, "--dialect", dialect, "--clients", "3", "--rate", "50", "--life", "600s", "--hold", "300s"]
        # Stream's JavaScript first reconnects with the old token, which the gateway still accepts.
        storm += ["--sdk", "swift"] if dialect == "stream-video" else []
        process = subprocess.Popen(storm, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            logins = proxy.await_line("logged_in", 3)
            users = sorted(line["user"] for line in logins)
            assert len(set(users)) == 3 and all(line.get("token_fingerprint") for line in logins)
            assert proxy.ask("GET", f"/sessions?user={users[0]}")[1]["sessions"][0]["phase"] == "active"
            assert "1 session" in proxy.ctl("expire", "--user", users[0])
            wanted = proxy.await_line(renewal, 4 if renewal == "logged_in" else 1)
            assert wanted[-1]["user"] == users[0] and wanted[-1]["token_fingerprint"] not in [line["token_fingerprint"] for line in logins]
            assert verdict(proxy, user=users[0], expect="refreshed_in_time", within_ms=30_000)["verdict"] in ("passed", "undecided")
        finally:
            process.terminate()
            said = process.communicate(timeout=30)[0]
        assert "eyJ" not in json.dumps(proxy.lines(payloads=True)) + proxy.said(), said

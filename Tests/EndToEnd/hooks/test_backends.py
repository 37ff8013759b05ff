"""Backends of somebody else's making decide who connects, stays and joins: by Centrifugo's documentation alone, with signatures that
`standardwebhooks` verifies. While they are killed, stopped, slow or out of their mind, nobody who is in is lost, and nobody new gets in."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from websockets.exceptions import ConnectionClosed

from backend import BEARER, SECRET, Backend
import stream
from clients import Client, Refused, control
from gateway import Gateway, halt, token


def until(condition, patience=120):
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.1)


@pytest.fixture(params=["flask", "aiohttp"])
def backend(request):
    with Backend(request.param) as made:
        yield made


def serve(backend, folder, *more, hooks=("connect", "refresh", "commands"), secret=SECRET, **options):
    signing, bearer = folder / "hook.secret", folder / "hook.bearer"
    signing.write_text(secret + "\n")
    bearer.write_text(BEARER)
    flags = [word for hook in hooks for word in (f"--hook-{hook}", f"{backend.url}/{hook}")]
    return Gateway(*flags, "--hook-secret-file", str(signing), "--hook-bearer-file", str(bearer), *more, **options)


def outcome(gateway, **options):
    """What becomes of a login: the user, or the error's name."""
    try:
        with Client(gateway, **options) as client:
            message = client.receive()
            return message.get("user_id") or message["error"]["name"]
    except Refused as refusal:
        return refusal.error["name"]


def metric(gateway, line):
    text = control(gateway, "GET", "/metrics").body.decode()
    return int(re.search(rf"^{re.escape(line)} (\d+)$", text, re.M)[1])


def test_it_lets_users_in_keeps_them_and_lets_them_join_and_knows_them_by_what_it_said_before(backend, tmp_path):
    backend.say(connect={"result": {"user": "ann", "data": {"room": 1}, "info": {"plan": "pro"}}})
    with serve(backend, tmp_path, "--hook-header", "x-request-id") as gateway:
        with Client(gateway) as ann:
            connected = ann.ask("connect", token=token("ann"), data={"device": "tv"})
            assert (connected["type"], connected["data"]) == ("connected", {"room": 1})
            assert ann.ask("refresh", token=token("ann"))["type"] == "refreshed"
            assert ann.ask("join", cid="default:42")["type"] == "joined"
        connect, refresh, join = backend.asked()
        assert connect["body"]["data"] == {"device": "tv"} and connect["body"]["user"] == "ann"
        assert refresh["body"]["meta"] == join["body"]["meta"] == {"plan": "pro"}
        assert (join["body"]["command"], join["body"]["channel"]) == ("join", "default:42")
        assert {line["headers"]["authorization"] for line in backend.asked()} == {f"Bearer {BEARER}"}
        assert len({line["headers"]["webhook-id"] for line in backend.asked()}) == 3
        assert "eyJ" not in backend.questions.read_text()
        assert metric(gateway, 'postern_hook_answers_total{hook="connect",result="accepted"}') == 1
        log = gateway.log()
    assert SECRET not in log and BEARER not in log


def test_a_backend_that_may_rename_names_the_session_and_without_the_flag_such_an_answer_lets_nobody_in(backend, tmp_path):
    backend.say(connect={"result": {"user": "tenant-7:ann"}})
    with serve(backend, tmp_path, "--hook-may-rename") as gateway:
        with Client(gateway, token=token("ann")) as ann:
            assert ann.receive("connected")["user_id"] == "tenant-7:ann"
            assert "tenant-7:ann" in ctl(gateway, "sessions")
            assert ann.ask("refresh", token=token("ann"))["type"] == "refreshed"
            assert ann.ask("join", cid="default:42")["type"] == "joined"
            assert ann.ask("refresh", token=token("bob"))["type"] == "error"
            assert ann.is_alive()
        # The last question is about bob, whose token may not go on with the session, whatever name the answer has.
        assert [line["body"]["user"] for line in backend.asked()] == ["ann", "tenant-7:ann", "tenant-7:ann", "bob"]
    with serve(backend, tmp_path) as gateway:
        assert outcome(gateway, token=token("ann")) == "identity_unavailable"


def test_it_is_asked_only_about_clients_of_the_dialects_that_are_named(backend, tmp_path):
    backend.say(connect={"error": {"code": 1000, "message": "no seat"}})
    for dialect, user in (("plain", "application_refused"), ("sendbird", "ann")):
        asked = len(backend.asked())
        with serve(backend, tmp_path, "--hook-dialect", dialect) as gateway:
            assert outcome(gateway, token=token("ann")) == user
        assert len(backend.asked()) - asked == (dialect == "plain")


def ctl(gateway, *words):
    command = [os.environ["POSTERN"], "ctl", *words, "--url", gateway.control_url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    return done.stdout


def test_the_journal_says_what_it_was_asked_and_answered_and_the_trace_of_an_upgrade_reaches_it(backend, tmp_path):
    trace = "0af7651916cd43dd8448eb211c80319c"
    fields = {"traceparent": f"00-{trace}-b7ad6b7169203331-01", "tracestate": "congo=t61rcWkgMzE"}
    kinds = "outbound_asked,outbound_answered,grace_given"
    with serve(backend, tmp_path, "--journal", loops=1) as gateway:
        with Client(gateway, token=token(), headers=fields) as ann:
            assert ann.receive("connected")
            backend.say(status=500)
            assert ann.ask("refresh", token=token())["type"] == "refreshed"
            text = ctl(gateway, "journal", "--user", "ann", "--kind", kinds, "--json")
            told = ctl(gateway, "journal", "--kind", kinds)
    asked, answered, again, failed, grace = json.loads(text)["lines"]
    assert [line["kind"] for line in (asked, answered, again, failed)] == ["outbound_asked", "outbound_answered"] * 2
    assert (asked["endpoint"], answered["result"], answered["trace_id"]) == ("hook_connect", "accepted", trace)
    assert (failed["endpoint"], failed["result"], failed["failure"]) == ("hook_refresh", "unjudged", "refused")
    assert "trace_id" not in failed and failed["after_ms"] >= 0 and "failure" not in answered
    assert (grace["kind"], grace["connection"], grace["dialect"]) == ("grace_given", asked["connection"], "plain")
    assert f"trace_id={trace}" in told and "endpoint=hook_refresh" in told
    for secret in ("eyJ", SECRET, BEARER):
        assert secret not in text + told
    connect, *refreshes = [line["headers"] for line in backend.asked()]
    assert {name: connect.get(name) for name in fields} == fields
    assert len(refreshes) == 2 and not any(name in headers for name in fields for headers in refreshes)


def test_its_refusals_reach_the_client_and_its_codes_close(backend, tmp_path):
    with serve(backend, tmp_path) as gateway:
        backend.say(connect={"error": {"code": 1000, "message": "no seat"}})
        with Client(gateway, token=token()) as ann:
            error = ann.receive("error")["error"]
            assert error["number"] == 403007 and "no seat (1000)" in error["message"]
            assert ann.until_closed()[0] == 4500
        backend.say(connect={"disconnect": {"code": 4501, "reason": "banned"}})
        with Client(gateway, token=token()) as ann:
            assert ann.until_closed() == (4501, "banned")
        backend.say()
        with Client(gateway, token=token()) as ann:
            assert ann.receive("connected")
            backend.say(refresh={"error": {"code": 7, "message": "no"}}, commands={"error": {"code": 103, "message": "not yours"}})
            assert ann.ask("refresh", token=token())["error"]["number"] == 403007
            assert ann.ask("join", cid="default:42")["error"]["number"] == 403007 and ann.is_alive()
            backend.say(refresh={"result": {"expired": True}})
            assert ann.ask("refresh", token=token())["error"]["number"] == 401002
            until(lambda: ann.is_alive() and any(said["type"] == "refresh_required" for said in ann.passed))
            backend.say(refresh={"disconnect": {"code": 4444, "reason": "signed out"}})
            ann.ask("refresh", token=token())
            assert ann.until_closed() == (4444, "signed out")


OUTAGES = {
    "killed": lambda backend: backend.kill(),
    "stopped": lambda backend: halt(backend.process),
    "slow": lambda backend: backend.say(delay=8),
    "500": lambda backend: backend.say(status=500),
    "HTML": lambda backend: backend.say(kind="html"),
    "half a JSON": lambda backend: backend.say(kind="half"),
}


@pytest.mark.parametrize("outage", OUTAGES)
def test_while_it_is_away_nobody_who_is_in_is_lost_and_nobody_new_gets_in(backend, outage, tmp_path):
    with serve(backend, tmp_path, "--hook-grace", "10s", "--hook-timeout", "4s") as gateway:
        clients = [Client(gateway, token=token(f"user{index}")) for index in range(4)]
        try:
            assert all(client.receive("connected") for client in clients)
            OUTAGES[outage](backend)
            for index, client in enumerate(clients):
                answer = client.ask("refresh", token=token(f"user{index}"))
                assert answer["type"] == "refreshed", answer
            assert metric(gateway, "postern_sessions_on_grace") == 4
            # A reader of a slow backend is refused in the time of a question.
            assert outcome(gateway, token=token("eve")) == "identity_unavailable"
            assert clients[0].ask("join", cid="default:1")["error"]["number"] == 503005
            # Longer than one grace.
            ends = time.monotonic() + 15
            while time.monotonic() < ends:
                assert all(client.is_alive() for client in clients)
                time.sleep(1)
            {"killed": backend.begin, "stopped": lambda: backend.process.send_signal(signal.SIGCONT)}.get(outage, backend.say)()
            until(lambda: metric(gateway, "postern_sessions_on_grace") == 0)
            until(lambda: outcome(gateway, token=token("eve")) == "eve")
            assert all(client.is_alive() for client in clients)
            assert not [said for client in clients for said in client.passed if said["type"] == "refresh_required"]
            assert metric(gateway, 'postern_grace_ended_total{result="accepted"}') == 4
            assert len(gateway.logged("event=grace_begun")) >= 1 and gateway.logged("event=hook_failed")
        finally:
            for client in clients:
                client.stack.close()


def opens(gateway, user):
    """A client of Stream, and whether it is admitted."""
    now = int(time.time())
    client = stream.javascript(gateway, token(user, None, iat=now, exp=now + 3600), user)
    return client, client.hear()["type"] == "connection.ok"


@pytest.mark.parametrize("hooks", [("connect",), ("connect", "refresh")], ids=["without-refresh", "with-refresh"])
def test_while_it_is_away_clients_of_stream_come_back_with_their_new_token_and_are_asked_about_later(backend, hooks, tmp_path):
    with serve(backend, tmp_path, "--hook-grace", "10s", hooks=hooks) as gateway:
        first, admitted = opens(gateway, "ann")
        assert admitted
        backend.say(status=500)
        ctl(gateway, "expire", "--user", "ann")
        # Stream's own way to say that a token has ended.
        assert first.until_closed()[0] != 1006 and any("token" in str(said.get("error")) for said in first.heard), first.heard
        second, admitted = opens(gateway, "ann")
        assert admitted and metric(gateway, "postern_sessions_on_grace") == 1
        assert not opens(gateway, "eve")[1]
        time.sleep(12)
        assert metric(gateway, "postern_sessions_on_grace") == 1
        backend.say()
        until(lambda: metric(gateway, "postern_sessions_on_grace") == 0)
        # Once after the outage.
        answered = [line["path"] for line in backend.asked() if line["status"] == 200]
        assert answered == ["connect", hooks[-1]]
        assert "ann" in ctl(gateway, "sessions")
        second.stack.close()


PAGE = Path(__file__).parents[3] / "Docs" / "hooks.md"
BROKEN = re.findall(r"^\| `fault '(\{.*?\})'` \| (.*?) \| (.*?) \|$", PAGE.read_text(), re.M)


def login_of(gateway, user):
    """What a login gets, as the page says it."""
    with Client(gateway, token=token(user)) as client:
        message = client.receive()
        if message["type"] == "connected":
            return "`connected`"
        return f"{message['error']['number']}, close {client.until_closed()[0]}"


def refresh_of(client, gateway):
    """What a refresh gets, as the page says it."""
    answer = client.ask("refresh", token=token("ann"))
    if answer["type"] == "refreshed":
        return "`refreshed`" + ", and grace" * metric(gateway, "postern_sessions_on_grace")
    try:
        assert client.is_alive()
        return str(answer["error"]["number"])
    except ConnectionClosed as end:
        return f"{answer['error']['number']}, close {end.rcvd.code}"


def test_each_fault_of_the_page_does_what_its_row_says(tmp_path):
    assert len(BROKEN) == 6
    with Backend("aiohttp") as backend, serve(backend, tmp_path, "--faults", "--hook-timeout", "4s", loops=1) as gateway:
        for order, login, refresh in BROKEN:
            with Client(gateway, token=token("ann")) as ann:
                assert ann.receive("connected")
                until(lambda: metric(gateway, "postern_sessions_on_grace") == 0)
                ctl(gateway, "fault", order)
                assert (order, refresh_of(ann, gateway)) == (order, refresh)
                assert (order, login_of(gateway, "eve")) == (order, login)
                ctl(gateway, "mend", "--all")
        word = json.loads(BROKEN[-1][0])["fault"]
        assert word in ctl(gateway, "journal", "--kind", "faulted")


def test_a_gateway_without_hooks_and_a_space_refuse_their_faults_in_words():
    with Gateway("--spaces", "--faults", loops=1) as gateway:
        assert control(gateway, "POST", "/spaces", {"name": "t17"}).status in (200, 201)
        space = SimpleNamespace(control_url=f"{gateway.control_url}/spaces/t17")
        for place in (gateway, space):
            answer = control(place, "POST", "/faults", {"fault": "hook_never"})
            assert answer.status == 400 and "--hook-connect, --hook-refresh or --hook-commands" in answer.error["message"], answer.body


def test_by_the_gateway_sessions_go_on_by_its_word_and_no_client_is_asked(backend, tmp_path):
    hooks = ("connect", "refresh")
    words = ["--hook-judge", "instead", "--hook-refresh-by", "gateway", "--hook-header", "cookie", "--origin", "http://app.example"]
    with serve(backend, tmp_path, *words, hooks=hooks) as gateway:
        backend.say(
            connect={"result": {"user": "cara", "expire_at": int(time.time()) + 20}},
            refresh={"result": {"expire_at": int(time.time()) + 3600}})
        with Client(gateway) as cara:
            assert cara.receive("connected")["user_id"] == "cara"
            until(lambda: cara.is_alive() and backend.asked("refresh"))
            assert backend.asked("refresh")[0]["body"]["user"] == "cara"
            ends = time.monotonic() + 20
            while time.monotonic() < ends:
                assert cara.is_alive()
                time.sleep(1)
            assert not [said for said in cara.passed if said["type"] != "pong"]
        assert outcome(gateway, origin="http://evil.example") == "origin_refused"


def test_a_wrong_secret_is_the_operators_fault_and_a_new_one_is_read_by_a_reload(backend, tmp_path):
    wrong = "whsec_" + "A" * 32
    with serve(backend, tmp_path, secret=wrong) as gateway:
        assert outcome(gateway, token=token()) == "identity_unavailable"
        (tmp_path / "hook.secret").write_text(SECRET)
        ctl(gateway, "reload")
        until(lambda: outcome(gateway, token=token()) == "ann")

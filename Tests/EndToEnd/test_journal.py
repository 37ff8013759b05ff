"""The journal over the control port: read, counted, waited for, exported and streamed."""

import http.client
import json
import os
import re
import subprocess
import threading
import time
import types
import urllib.parse
import uuid

import pytest

import documents
import stream
from clients import Answer, Client, api, control
from gateway import Gateway, token


@pytest.fixture(scope="module")
def recorder():
    with Gateway("--journal", "--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def space(recorder):
    class Space:
        made = control(recorder, "POST", "/spaces", {}).json
        url, http_url = made["url"], made["http_url"]
        control_url = f"{recorder.control_url}/spaces/{made['name']}"
        secret = made["secret"]

    yield Space


def lines(gateway, **query):
    answer = control(gateway, "GET", f"/journal?{urllib.parse.urlencode(query)}")
    assert answer.status == 200, answer.body
    return answer.json["lines"]


def refresh(gateway, user):
    """A user who logs in and refreshes once; returns the tokens."""
    first, second = token(user), token(user)
    with Client(gateway, token=first) as client:
        client.receive("connected")
        control(gateway, "POST", f"/users/{urllib.parse.quote(user)}/expire", {})
        client.receive("refresh_required")
        client.send("refresh", token=second)
        client.receive("refreshed")
    return first, second


KINDS = ["logged_in", "ordered", "token_expired", "refresh_requested", "refreshed", "closed"]


def test_a_refresh_is_told_line_by_line_and_without_a_token(recorder):
    user = uuid.uuid4().hex
    tokens = refresh(recorder, user)
    wait(recorder, "closed", user)
    told = lines(recorder, user=user, kind=",".join(KINDS))
    assert [line["kind"] for line in told] == KINDS
    assert len({line["connection"] for line in told}) == 1 and {line["dialect"] for line in told} == {"plain"}
    assert told[3]["cause"] == "expiry" and told[-1]["by"] in ("peer", "transport")
    assert told[0]["token_fingerprint"] != told[4]["token_fingerprint"] and 3_500_000 < told[4]["expires_in_ms"]
    whole = lines(recorder, limit=1000)
    assert [line["n"] for line in whole] == list(range(whole[0]["n"], whole[-1]["n"] + 1))
    text = json.dumps(whole)
    assert "eyJ" not in text and not any(part in text for one in tokens for part in one.split("."))
    counts = control(recorder, "GET", f"/journal/counts?user={user}").json["counts"]
    assert counts["refreshed"] == counts["logged_in"] == 1 and counts["refresh_refused"] == 0


def test_pages_follow_each_other(recorder):
    user = uuid.uuid4().hex
    refresh(recorder, user)
    # The last line comes when the gateway has seen the client leave.
    wait(recorder, "closed", user)
    pages, after = [], 0
    while page := control(recorder, "GET", f"/journal?user={user}&limit=3&after={after}").json:
        if not page["lines"]:
            break
        pages.append(len(page["lines"]))
        after = page["next"]
    assert set(pages[:-1]) == {3} and sum(pages) == len(lines(recorder, user=user))


def wait(gateway, kind, user, within_ms=60_000, **members):
    answer = control(
        gateway, "POST", "/journal/await", {"kind": kind, "user": user, "within_ms": within_ms, **members})
    assert answer.status == 200, answer.body
    return answer.json


def test_a_wait_ends_with_its_event_or_reports_that_none_came(recorder):
    user = uuid.uuid4().hex
    assert wait(recorder, "refreshed", user, within_ms=50) | {"next": 0} == {
        "met": False, "lines": [], "missed": 0, "next": 0}
    met = []
    waiting = threading.Thread(target=lambda: met.append(wait(recorder, "refreshed", user, count=2)))
    waiting.start()
    refresh(recorder, user)
    assert not met and waiting.is_alive()
    refresh(recorder, user)
    waiting.join()
    assert met[0]["met"] and [line["kind"] for line in met[0]["lines"]] == ["refreshed"] * 2
    assert wait(recorder, "refreshed", user, count=2)["met"]
    assert not wait(recorder, "refreshed", user, within_ms=0, after=met[0]["next"])["met"]


def read_events(gateway, path, count, headers={}):
    """This many events of a feed, as pairs of name and value."""
    parts = urllib.parse.urlsplit(gateway.control_url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    connection.request("GET", parts.path + path, headers=headers)
    response = connection.getresponse()
    assert response.status == 200
    documents.CONTROL.check("GET", path.split("?")[0], None, Answer(response.status, response.getheaders(), b""))
    events, event = [], {}
    while len(events) < count:
        line = response.readline().decode().rstrip("\n")
        if line:
            name, _, value = line.partition(": ")
            event[name] = value
        elif event:
            events.append(event)
            event = {}
    connection.close()
    return events


def test_a_feed_sends_new_lines_and_continues_at_its_readers_position(recorder):
    user = uuid.uuid4().hex
    read = []
    path = f"/journal/stream?user={user}&kind=logged_in,refreshed"
    reader = threading.Thread(target=lambda: read.extend(read_events(recorder, path, 2)))
    reader.start()
    refresh(recorder, user)
    reader.join()
    assert [json.loads(event["data"])["kind"] for event in read] == ["logged_in", "refreshed"]
    assert [event["id"] for event in read] == [str(json.loads(event["data"])["n"]) for event in read]
    again = read_events(recorder, path, 1, {"Last-Event-ID": read[0]["id"]})
    assert again == read[1:]


def test_a_recording_begins_with_its_first_line_and_has_what_happens_then(recorder):
    parts = urllib.parse.urlsplit(recorder.control_url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    connection.request("GET", "/recording")
    response = connection.getresponse()
    documents.CONTROL.check("GET", "/recording", None, Answer(response.status, response.getheaders(), b""))
    assert json.loads(response.readline())["postern_recording"] == 1
    user = uuid.uuid4().hex[:8]
    refresh(recorder, f"ann-{user}")
    lines = iter(response.readline, b"")
    refreshed = next(line for line in lines if b'"kind":"refreshed"' in line)
    assert b"eyJ" not in refreshed
    connection.close()


def test_all_of_it_is_exported(recorder):
    refresh(recorder, uuid.uuid4().hex)
    export = control(recorder, "GET", "/journal/export")
    assert export.status == 200
    exported = [json.loads(line) for line in export.body.decode().splitlines()]
    assert [line["n"] for line in exported] == list(range(1, len(exported) + 1))
    assert exported[:1000] == lines(recorder, limit=1000)[:len(exported)]


def test_a_space_has_its_own_journal_in_its_own_time(recorder, space):
    user = uuid.uuid4().hex
    with Client(space, token=token(user, secret=space.secret)) as client:
        client.receive("connected")
        met = []
        waiting = threading.Thread(target=lambda: met.append(wait(space, "refresh_requested", user)))
        waiting.start()
        control(recorder, "POST", f"/spaces/{space.made['name']}/clock/advance", {"by_s": 4000, "patience_ms": 10})
        waiting.join()
        assert met[0]["met"] and 3_590_000 < met[0]["lines"][0]["at_ms"] < 3_700_000
        assert read_events(space, f"/journal/stream?user={user}&kind=refresh_requested", 1)[0]["id"]
    assert not lines(recorder, user=user)


@pytest.mark.parametrize(
    "query", ["kind=refresh", "after=-1", "limit=0", "connection=1", "users=ann", "kind=", "dialect=morse", "dialect="])
def test_a_question_that_means_nothing_is_refused(recorder, query):
    assert control(recorder, "GET", f"/journal?{query}").status == 400


def test_a_gateway_without_a_journal_reports_that(gateway):
    answer = control(gateway, "GET", "/journal")
    assert answer.status == 404 and "--journal" in answer.json["error"]["message"]


def test_a_journal_is_of_one_loop():
    done = subprocess.run(
        [os.environ["POSTERN"], "serve", "--journal", "--loops", "2"], capture_output=True, text=True, timeout=90)
    assert done.returncode != 0 and "--journal is of one loop, and --loops is" in done.stderr


def expect(gateway, expectation, user, **members):
    end = time.monotonic() + 60
    while True:
        answer = control(gateway, "POST", "/journal/expect", {"expect": expectation, "user": user, **members})
        assert answer.status == 200, answer.body
        # A client that does nothing more is watched for a moment, or longer on a slow machine.
        if "have to pass without" not in answer.json["sentence"] or time.monotonic() > end:
            return answer.json
        time.sleep(0.05)


def is_passed(verdict):
    """Whether the verdict is `passed`, or undecided because of a slow machine."""
    return verdict["verdict"] == "passed" or is_excused(verdict)


def is_excused(verdict):
    """Whether the verdict is undecided because of a slow machine."""
    return verdict["verdict"] == "undecided" and "the machine was slow" in verdict["sentence"]


def mint(gateway, user):
    answer = api(gateway, "POST", "/v1/tokens", {"user_id": user})
    assert answer.status == 200, answer.body
    return answer.json["token"]


def refresh_by_provider(gateway, user, calls):
    """A user who logs in and refreshes this often, with tokens of the gateway's own provider."""
    with Client(gateway, token=mint(gateway, user)) as client:
        client.receive("connected")
        control(gateway, "POST", f"/users/{user}/expire", {})
        client.receive("refresh_required")
        for _ in range(calls):
            second = mint(gateway, user)
        client.send("refresh", token=second)
        client.receive("refreshed")


def test_a_client_is_checked_for_one_provider_call_for_each_expiry(recorder):
    once, twice = uuid.uuid4().hex, uuid.uuid4().hex
    refresh_by_provider(recorder, once, 1)
    refresh_by_provider(recorder, twice, 2)
    for name in ("one_provider_call_per_expiry", "single_flight"):
        assert is_passed(expect(recorder, name, once))
    failed = expect(recorder, "one_provider_call_per_expiry", twice)
    if not is_excused(failed):
        assert failed["verdict"] == "failed" and failed["sentence"].startswith("2 provider calls for one refresh")
        assert [line["kind"] for line in failed["lines"]] == [
            "refresh_requested", "provider_minted", "provider_minted", "refreshed"]
    assert is_passed(expect(recorder, "refreshed_in_time", twice, within_ms=30_000))
    assert expect(recorder, "one_provider_call_per_expiry", uuid.uuid4().hex)["verdict"] == "undecided"


def test_a_space_is_asked_by_itself_and_waits_are_of_real_time(recorder):
    space = control(recorder, "POST", "/spaces", {"frozen": True}).json

    class Space:
        url, http_url = space["url"], space["http_url"]
        control_url = f"{recorder.control_url}/spaces/{space['name']}"

    with Client(Space, token=mint(Space, "ann")) as client:
        client.receive("connected")
        control(Space, "POST", "/users/ann/disconnect", {"code": 1012})
        client.until_closed()
    time.sleep(0.3)
    with Client(Space, token=mint(Space, "ann")) as client:
        client.receive("connected")
    passed = expect(Space, "waits_at_least", "ann", since="closed", at_least_ms=300)
    # On a slow machine such a short wait may be the machine's fault.
    assert is_passed(passed), passed
    assert {line["at_ms"] for line in passed["lines"]} == {0}
    assert expect(Space, "waits_at_least", "ann", at_least_ms=10_000)["verdict"] == "failed"
    assert is_passed(expect(Space, "comes_back", "ann", new_token=True))
    assert expect(Space, "backoff_has_jitter", "ann")["verdict"] == "undecided"
    control(recorder, "DELETE", f"/spaces/{space['name']}")


def test_a_client_with_connections_of_two_wires_is_told_apart_by_the_wire(recorder):
    user = uuid.uuid4().hex
    with stream.javascript(recorder, stream.mint(user), user) as socket:
        socket.hear("connection.ok")
        with Client(recorder, token=token(user)) as client:
            client.receive("connected")
            of_stream = {"user": user, "dialect": "stream-video"}
            assert [line["kind"] for line in lines(recorder, kind="logged_in", user=user)] == ["logged_in"] * 2
            assert {line["dialect"] for line in lines(recorder, **of_stream)} == {"stream-video"}
            waited = {"kind": "logged_in", "count": 2, "within_ms": 20}
            assert control(recorder, "POST", "/journal/await", {**waited, "user": user}).json["met"]
            assert not control(recorder, "POST", "/journal/await", {**waited, **of_stream}).json["met"]
            both = expect(recorder, "stops_after", user, at_most=1, quiet_ms=0)
            assert (both["verdict"] == "failed" or is_excused(both)) and len(both["lines"]) == 2, both
            one = expect(recorder, "stops_after", user, at_most=1, quiet_ms=0, dialect="plain")
            assert "1 attempt to connect" in one["sentence"], one


@pytest.mark.parametrize(
    "order, told",
    [
        ({"expect": "single_flight", "dialect": "morse"}, "no dialect is called 'morse'; there is plain"),
        ({"expect": "no_loop"}, "single_flight"), ({}, "expect"), ({"expect": "stops_after"}, "at_most"),
        ({"expect": "single_flight", "at_most": 2}, "does not take at_most"),
        ({"expect": "waits_at_least", "at_least_ms": 1, "since": "monday"}, "since: no kind of line is called 'monday'"),
        ({"expect": "stops_after", "at_most": -1}, "at_most must be 0"),
    ],
)
def test_an_unknown_expectation_is_refused(recorder, order, told):
    answer = control(recorder, "POST", "/journal/expect", order)
    assert answer.status == 400 and told in answer.json["error"]["message"]


def test_an_expectation_is_asked_for_in_a_shell(recorder):
    user = uuid.uuid4().hex
    refresh_by_provider(recorder, user, 2)
    command = [os.environ["POSTERN"], "ctl", "expect", "--url", recorder.control_url, "--user", user]
    good = subprocess.run([*command, "refreshed_in_time", "--within", "30s"], capture_output=True, text=True, timeout=90)
    assert good.returncode == 0 and "refreshed_in_time passed: 1 request was answered in time" in good.stdout
    bad = subprocess.run([*command, "one_provider_call_per_expiry"], capture_output=True, text=True, timeout=90)
    is_slow = bad.returncode == 0 and "one_provider_call_per_expiry undecided: the machine was slow" in bad.stdout
    assert is_slow or bad.returncode == 1 and "failed: 2 provider calls for one refresh" in bad.stderr, bad


def ctl(gateway, *words):
    command = [os.environ["POSTERN"], "ctl", *words, "--url", gateway.control_url]
    return subprocess.run(command, capture_output=True, text=True, timeout=90)


def test_it_is_read_and_waited_for_in_a_shell(recorder):
    before = lines_read(recorder)
    user = f"carla{uuid.uuid4().hex}\u202e"
    refresh(recorder, user)
    found = lines(recorder, user=user, kind="refreshed")
    done = ctl(recorder, "journal", "--user", user, "--kind", "logged_in,refreshed", "--after", str(before))
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    assert [row.split()[3] for row in rows] == ["logged_in", "refreshed"] and rows[1].split()[0] == str(found[0]["n"])
    # A name cannot move the terminal's cursor, and no token is printed.
    assert "\\u202e conn_0_" in rows[0] and "eyJ" not in done.stdout
    asked = ctl(recorder, "journal", "--user", user, "--limit", "1")
    assert re.fullmatch(r"more: --after \d+", asked.stdout.splitlines()[1]), asked.stdout
    told = ctl(recorder, "journal", "--user", "nobody at all", "--json")
    assert json.loads(told.stdout)["lines"] == [] and ctl(recorder, "journal", "--user", "nobody at all").stdout == "nothing\n"
    met = ctl(recorder, "await", "refreshed", "--user", user, "--after", str(before))
    assert met.returncode == 0 and met.stdout.split()[3] == "refreshed", met
    short = ctl(recorder, "await", "refreshed", "--user", user, "--count", "2", "--within", "50ms")
    assert short.returncode == 1 and short.stdout == ""
    assert short.stderr.startswith("postern: not in time: 1 so far; --within is how long") and " refreshed " in short.stderr
    for wrong in (["await", "refrshed"], ["journal", "--kind", "refrshed"], ["await", "refreshed", "--within", "2m"]):
        done = ctl(recorder, *wrong)
        assert done.returncode == 1 and "invalid_parameter" in done.stderr, done
    assert ctl(recorder, "await").returncode == ctl(recorder, "journal", "--count", "2").returncode == 2


def lines_read(gateway):
    """The number of the last line."""
    return control(gateway, "GET", "/journal?limit=1").json["last"]


def test_the_content_of_messages_is_available_without_tokens(recorder):
    made = control(recorder, "POST", "/spaces", {}).json
    address = f"{recorder.control_url}/spaces/{made['name']}"
    space = types.SimpleNamespace(url=made["url"], control_url=address, secret=made["secret"])
    user = uuid.uuid4().hex
    first, second = token(user, secret=space.secret), token(user, secret=space.secret)
    with Client(space, token=first) as client:
        client.receive("connected")
        client.send("refresh", token=second)
        client.receive("refreshed")
    told = lines(space, user=user, kind="message_in,message_out", payloads="true")
    said = [json.loads(line["payload"]) for line in told]
    assert {"type": "refresh", "token": "(redacted)"}.items() <= said[-2].items()
    assert said[-1]["type"] == "refreshed"
    assert not any("payload" in line for line in lines(space, user=user))
    text = json.dumps(lines(space, payloads="true", limit=1000))
    assert "eyJ" not in text and not any(part in text for one in (first, second) for part in one.split("."))
    refused = control(recorder, "GET", "/journal?payloads=true")
    assert refused.status == 400 and "--journal-payloads" in json.dumps(refused.json)
    assert control(space, "GET", "/journal?payloads=1").status == 400

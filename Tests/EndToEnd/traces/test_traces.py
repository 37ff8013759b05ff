"""The gateway's traces, as the messages of `opentelemetry-proto` read them: parents, links, times, and nothing that is secret. A
collector that is gone, hangs or refuses costs the gateway nothing."""

import http.server
import json
import os
import re
import subprocess
import threading
import time

import pytest

from clients import Client, Refused, api, control
from collector import Collector
from gateway import SECRET, Gateway, token
from issuer import Issuer, Key
from ports import free_port

INTERNAL, SERVER, CLIENT = 1, 2, 3
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def traceparent(trace=TRACE, parent=PARENT, flags="01"):
    return {"traceparent": f"00-{trace}-{parent}-{flags}"}


def serve(collector, *more, share="1", **options):
    return Gateway("--otlp", collector.url, "--trace-share", share, *more, **options)


def until(condition, patience=60):
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.05)


def metrics(gateway):
    text = control(gateway, "GET", "/metrics").body.decode()
    return {name: int(count) for name, count in re.findall(r'^postern_spans_total\{result="(\w+)"\} (\d+)$', text, re.M)}


def holds_together(spans):
    """Each span's parent is there and lasts as long, and no number is used twice."""
    by_id = {(span.trace, span.id): span for span in spans}
    assert len(by_id) == len(spans)
    for span in spans:
        assert span.start <= span.end and abs(time.time_ns() - span.start) < 3600e9
        parent = by_id.get((span.trace, span.parent))
        if span.parent and not span.flags & 0x200:
            assert parent is not None, span
            assert parent.start <= span.start and span.end <= parent.end, (parent, span)
        for link in span.links:
            assert link in by_id, span


class Backend:
    """The application's backend: answers each question with 200 and `{"result": {}}`, unless `status` says otherwise."""

    def __init__(self):
        self.status, self.asked = 200, []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                body = b'{"result": {}}'
                self.send_response(outer.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def flags(self):
        return ["--hook-connect", f"{self.url}/connect", "--hook-refresh", f"{self.url}/refresh"]


@pytest.mark.parametrize("loops", [1, 2])
def test_a_login_and_its_refresh_are_two_traces_and_the_second_names_the_first(loops):
    with Collector() as collector, serve(collector, loops=loops) as gateway:
        with Client(gateway, token=token("ann"), headers=traceparent()) as ann:
            assert ann.receive("connected")
            assert ann.ask("refresh", token=token("ann"))["type"] == "refreshed"
            [connect] = collector.named("connect")
            [refresh] = collector.named("refresh")
        spans = collector.spans
    holds_together(spans)
    assert (connect.trace, connect.parent, connect.kind) == (TRACE, PARENT, SERVER)
    assert connect.attributes == {"http.request.method": "GET", "http.response.status_code": 101, "postern.dialect": "plain"}
    assert (refresh.parent, refresh.kind, refresh.links) == ("", SERVER, [(connect.trace, connect.id)])
    assert refresh.trace != TRACE and refresh.attributes == {"postern.dialect": "plain"}
    verified = [span for span in spans if span.name == "verify"]
    assert {(span.trace, span.parent) for span in verified} == {(connect.trace, connect.id), (refresh.trace, refresh.id)}
    assert {span.service for span in spans} == {"postern"} and not any(span.failed for span in spans)
    path, headers = collector.requests[0]
    assert (path, headers["content-type"]) == ("/v1/traces", "application/json")
    assert "ann" not in collector.text()


def test_the_backend_and_its_questions_are_part_of_the_trace_and_of_the_journal():
    with Collector() as collector, Backend() as backend, serve(
            collector, *backend.flags, "--journal", loops=1) as gateway:
        state = {"tracestate": "congo=t61rcWkgMzE"}
        with Client(gateway, token=token("ann"), headers=traceparent() | state) as ann:
            assert ann.receive("connected")
            assert ann.ask("refresh", token=token("ann"))["type"] == "refreshed"
            [connect], [refresh] = collector.named("connect"), collector.named("refresh")
        journal = control(gateway, "GET", "/journal?kind=outbound_asked").json["lines"]
        spans = collector.spans
    holds_together(spans)
    for operation, name, (path, headers) in ((connect, "hook connect", backend.asked[0]), (refresh, "hook refresh", backend.asked[1])):
        [asked] = [span for span in spans if span.name == name]
        assert (asked.trace, asked.parent, asked.kind) == (operation.trace, operation.id, CLIENT)
        assert headers["traceparent"] == f"00-{asked.trace}-{asked.id}-01" and path == "/" + name.split()[1]
        assert asked.attributes == {
            "http.request.method": "POST", "http.response.status_code": 200, "server.address": "127.0.0.1"}
    assert (connect.state, backend.asked[0][1]["tracestate"]) == (state["tracestate"], state["tracestate"])
    assert "tracestate" not in backend.asked[1][1] and refresh.links == [(connect.trace, connect.id)]
    assert [line["trace_id"] for line in journal] == [connect.trace, refresh.trace]


def test_a_fetch_of_keys_that_a_token_waits_for_is_part_of_its_login():
    with Issuer(Key("k1")) as issuer, Collector() as collector:
        with serve(collector, "--jwks", issuer.jwks_url, "--issuer", issuer.named, has_secret=False) as gateway:
            [first] = collector.named("jwks fetch")
            # Of the gateway's own accord, so a trace of its own.
            assert first.parent == "" and first.kind == CLIENT
            new = Key("k2")
            issuer.keys.insert(0, new)
            # The cool-down after the start has to be over.
            until(lambda: time.monotonic() > issuer.requests[0][2] + 30.5)
            with Client(gateway, token=issuer.token(new)) as ann:
                assert ann.receive("connected")
            [connect] = collector.named("connect")
            second = collector.named("jwks fetch", 2)[1]
        sent = [{name.lower(): value for name, value in headers.items()} for _, headers, _ in issuer.requests]
        spans = collector.spans
    assert (second.trace, second.parent) == (connect.trace, connect.id)
    assert [fields["traceparent"] for fields in sent] == [f"00-{span.trace}-{span.id}-01" for span in (first, second)]
    holds_together(spans)


def test_refused_tokens_are_recorded_with_their_error_though_their_trace_is_not_and_only_ten_a_second():
    with Collector() as collector:
        with serve(collector, share="0", loops=1) as gateway:
            begun = time.monotonic()
            for _ in range(100):
                with pytest.raises(Refused):
                    Client(gateway, token=token("ann", life=-60))
            seconds = time.monotonic() - begun
            with Client(gateway, token=token("bob")) as bob:
                assert bob.receive("connected")
        # What waits is sent at the end.
        spans = collector.spans
    holds_together(spans)
    connects = [span for span in spans if span.name == "connect"]
    assert 10 <= len(connects) <= 10 + 10 * seconds + 1 and all(span.failed for span in spans)
    assert connects[0].attributes["http.response.status_code"] == 401
    assert (connects[0].attributes["error.type"], connects[0].attributes["postern.error"]) == ("token_expired", 401002)
    assert "ann" not in collector.text() and "eyJ" not in collector.text()


def test_a_malformed_traceparent_begins_a_trace_and_requests_for_tokens_are_spans_of_theirs():
    bad = [
        {"traceparent": "00-00000000000000000000000000000000-b7ad6b7169203331-01"}, {"traceparent": "01"},
        traceparent(trace=TRACE.upper()), traceparent(parent="0" * 16), {"traceparent": "ff" + traceparent()["traceparent"][2:]},
    ]
    with Collector() as collector, serve(collector, loops=1) as gateway:
        for fields in bad:
            answer = api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}, headers=fields)
            assert answer.status == 200
        assert api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}, headers=traceparent(flags="00")).status == 200
        assert api(gateway, "POST", "/v1/tokens", {"user_id": 7}, headers=traceparent(flags="00")).status == 400
        spans = collector.named("POST /v1/tokens", len(bad) + 2)
        given = re.findall(r"eyJ[\w-]+", answer.body.decode())
    *fresh, good, refused = spans
    assert all(span.parent == "" and span.trace != TRACE for span in fresh)
    assert len({span.trace for span in fresh}) == len(bad)
    assert (good.trace, good.parent, good.kind, good.failed) == (TRACE, PARENT, SERVER, False)
    assert (refused.failed, refused.attributes["error.type"], refused.attributes["http.response.status_code"]) == (True, "400", 400)
    assert given and not any(part in collector.text() for part in given) and "ann" not in collector.text()


def test_a_guest_of_streams_is_a_span_of_the_callers_trace_and_has_no_token():
    with Collector() as collector, serve(collector, loops=1) as gateway:
        body = {"user": {"id": "guest-of-ours"}}
        answer = api(gateway, "POST", "/api/v2/guest?api_key=postern", body, headers=traceparent(flags="00"), document=None)
        assert answer.status == 201, answer.body
        [span] = collector.named("POST /api/v2/guest", 1)
    assert (span.trace, span.parent, span.kind, span.failed) == (TRACE, PARENT, SERVER, False)
    assert answer.json["access_token"] not in collector.text() and "guest-of-ours" not in collector.text()


def test_the_request_before_a_described_wires_upgrade_is_a_span_of_the_callers_trace():
    with Collector() as collector, serve(collector, "--wire", "signalr-json", loops=1) as gateway:
        good, bad = token("ann"), token("ann", secret="another secret, long enough for any of the hashes 0123456789")
        for presented, status in ((good, 200), (bad, 401)):
            fields = {**traceparent(flags="00"), "Authorization": f"Bearer {presented}"}
            answer = api(gateway, "POST", "/hub/negotiate?negotiateVersion=1", headers=fields, document=None)
            assert answer.status == status, answer.body
        accepted, refused = collector.named("POST /hub/negotiate", 2)
    assert [(span.trace, span.parent, span.kind) for span in (accepted, refused)] == [(TRACE, PARENT, SERVER)] * 2
    assert (accepted.failed, refused.failed, refused.attributes["http.response.status_code"]) == (False, True, 401)
    assert good not in collector.text() and bad not in collector.text()


def test_a_callers_wish_counts_a_hundred_times_a_second_unless_a_trusted_proxy_has_it():
    def wishes(count, *flags):
        with Collector() as collector, serve(collector, *flags, share="0", loops=1) as gateway:
            begun = time.monotonic()
            for _ in range(count):
                assert api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}, headers=traceparent()).status == 200
            seconds = time.monotonic() - begun
            api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}, headers=traceparent(flags="00"))
            collector.named("POST /v1/tokens", 100)
        spans = collector.spans
        assert all(span.trace == TRACE for span in spans)
        return len(spans), 100 + 100 * seconds + 1

    taken, most = wishes(600)
    assert 100 <= taken <= min(600, most)
    assert wishes(600, "--trusted-proxy", "127.0.0.1")[0] == 600


def test_users_are_named_only_if_asked_for_and_opentelemetrys_variables_are_read(monkeypatch):
    with Collector() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url + "/")
        monkeypatch.setenv("OTEL_SERVICE_NAME", "edge")
        monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "1.0")
        with Gateway("--trace-users") as gateway, Client(gateway, token=token("ann")) as ann:
            assert ann.receive("connected")
            [connect] = collector.named("connect")
    assert (connect.service, connect.attributes["user.id"]) == ("edge", "ann")


def test_what_waits_is_sent_at_the_end():
    with Collector() as collector:
        with serve(collector, loops=2) as gateway, Client(gateway, token=token("ann")) as ann:
            assert ann.receive("connected")
        assert [span.name for span in collector.spans].count("connect") == 1


def ask_for_tokens(gateway, count):
    for _ in range(count):
        assert api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}).status == 200


def test_a_collector_that_wants_a_pause_gets_it_and_then_the_same_spans():
    with Collector() as collector, serve(collector) as gateway:
        collector.say(429, Retry_After="3")
        ask_for_tokens(gateway, 3)
        until(lambda: collector.bodies)
        collector.say()
        until(lambda: metrics(gateway)["sent"] == 3)
        first, second = collector.bodies[:2]
        assert first == second and collector.times[1] - collector.times[0] >= 2.9
        assert metrics(gateway) == {"sent": 3, "rejected": 0, "refused": 0, "failed": 0, "dropped": 0}


@pytest.mark.parametrize("status", [400, 401, 404, 500, 307])
def test_other_statuses_are_not_repeated_and_counted(status):
    with Collector() as collector, serve(collector) as gateway:
        collector.say(status, Location="/elsewhere")
        ask_for_tokens(gateway, 2)
        until(lambda: metrics(gateway)["refused"] == 2)
        collector.say()
        ask_for_tokens(gateway, 1)
        until(lambda: metrics(gateway)["sent"] == 1)
        [line] = gateway.logged("event=traces_failed")
        assert f"status {status}" in line and len(collector.bodies) <= 3


def test_spans_that_the_collector_rejects_are_counted_and_not_repeated():
    with Collector() as collector, serve(collector) as gateway:
        collector.say(body=json.dumps({"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too old"}}).encode())
        ask_for_tokens(gateway, 2)
        until(lambda: metrics(gateway)["rejected"] == 2)
        assert "too old" in gateway.logged("event=traces_failed")[0]


def test_a_collector_that_was_gone_gets_the_spans_when_it_is_back():
    port = free_port()
    with Gateway("--otlp", f"http://127.0.0.1:{port}", "--trace-share", "1") as gateway:
        ask_for_tokens(gateway, 5)
        gateway.logged("event=traces_failed")
        with Client(gateway, token=token()) as ann:
            assert ann.receive("connected")
        with Collector(port) as collector:
            collector.named("POST /v1/tokens", 5)
            collector.named("connect")
            until(lambda: metrics(gateway)["failed"] == 0 and metrics(gateway)["sent"] >= 7)


def refresh(client, count):
    for _ in range(count):
        assert client.ask("refresh", token=token("ann"))["type"] == "refreshed"


def test_a_collector_that_hangs_holds_up_nobody():
    with Collector() as collector, serve(collector, loops=1) as gateway:
        collector.hangs.set()
        with Client(gateway, token=token("ann")) as ann:
            assert ann.receive("connected")
            until(lambda: collector.bodies)
            refresh(ann, 10)
            until(lambda: metrics(gateway)["failed"] >= 1)
            refresh(ann, 10)
            collector.hangs.clear()
            until(lambda: metrics(gateway)["sent"] > 0)
    assert SECRET not in collector.text()


def test_while_the_collector_takes_nothing_memory_is_bounded_and_what_has_no_room_is_counted():
    with Collector() as collector, serve(collector, loops=1) as gateway:
        collector.say(503, Retry_After="3600")
        with Client(gateway, token=token("ann")) as ann:
            assert ann.receive("connected")
            until(lambda: collector.bodies)
            before = gateway.resident_bytes()
            # Two spans each: the room for 8,192 is full.
            refresh(ann, 4_500)
            assert gateway.resident_bytes() - before < 32 << 20
        # The dropped ones are counted with the next request.
        with Client(gateway, token=token("ann")) as ann:
            assert ann.receive("connected") and ann.is_alive()


def test_without_the_flag_nothing_is_traced_and_no_header_is_handed_on():
    with Backend() as backend, Gateway(*backend.flags) as gateway, Client(gateway, token=token()) as ann:
        assert ann.receive("connected")
        assert "traceparent" not in backend.asked[0][1]
        assert metrics(gateway) == dict.fromkeys(["sent", "rejected", "refused", "failed", "dropped"], 0)


def test_a_storms_refreshes_and_logins_reach_into_the_gateways_traces():
    with Collector() as collector:
        with serve(collector) as gateway:
            storm = [
                os.environ["POSTERN"], "storm", "--url", gateway.url.replace("/v1/connect", ""), "--clients", "10", "--rate", "100",
                "--expire-after", "8s", "--otlp", collector.url, "--trace-share", "1", "--json", "--timeout", "60s",
            ]
            done = subprocess.run(storm, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done
        spans = collector.spans
    ours = [span for span in spans if span.service == "postern-storm"]
    theirs = [span for span in spans if span.service == "postern"]
    by_id = {(span.trace, span.id): span for span in spans}
    refreshes = [span for span in ours if span.name == "refresh"]
    assert len(refreshes) == 10 and all(span.kind == CLIENT and not span.failed for span in refreshes)
    fetches = [span for span in ours if span.name == "token fetch"]
    assert len(fetches) == 20
    below = [by_id[fetch.trace, fetch.parent] for fetch in fetches if fetch.parent]
    assert sorted(span.id for span in below) == sorted(span.id for span in refreshes)
    for fetch in fetches:
        if fetch.parent:
            parent = by_id[fetch.trace, fetch.parent]
            assert parent.start <= fetch.start and fetch.end <= parent.end
    # The gateway's spans are part of the storm's.
    minted = [span for span in theirs if span.name == "POST /v1/tokens"]
    assert {(span.trace, span.parent) for span in minted} == {(span.trace, span.id) for span in fetches}
    logins = {(span.trace, span.id) for span in ours if span.name == "connect"}
    assert {(span.trace, span.parent) for span in theirs if span.name == "connect"} == logins and len(logins) == 10
    assert "storm-" not in collector.text().replace("postern-storm", "") and "eyJ" not in collector.text()

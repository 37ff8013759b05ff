"""The metrics, read by Prometheus's own parser."""

import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from clients import Client, control, request
from gateway import Gateway, token
from sendbird import APPLICATION, SendbirdClient, subprotocol, session_token

DIALECTS = {"plain", "stream-video", "sendbird"}
PER_DIALECT = [
    "postern_connections", "postern_connections_opened", "postern_connections_ended", "postern_upgrades_refused",
    "postern_logins", "postern_logins_refused", "postern_refresh_requests", "postern_refreshes",
    "postern_refreshes_refused", "postern_malformed_messages", "postern_messages_received", "postern_messages_sent",
    "postern_received_bytes", "postern_sent_bytes", "postern_connect_seconds", "postern_login_seconds",
    "postern_refresh_seconds",
]  # fmt: skip


@pytest.fixture(scope="module")
def gateway():
    with Gateway("--sendbird-app-id", APPLICATION) as gateway:
        yield gateway


def page(gateway):
    families = {}
    for family in text_string_to_metric_families(control(gateway, "GET", "/metrics").body.decode()):
        assert family.name not in families, f"{family.name} twice"
        families[family.name] = family
    return families


def value(families, name, **labels):
    sample = [
        sample.value
        for family in families.values()
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    ]
    assert sample, f"no {name} of {labels}"
    return sum(sample)


def test_everything_that_can_be_counted_is_there_before_it_happens(gateway):
    families = page(gateway)
    for name in PER_DIALECT:
        assert {sample.labels.get("dialect") for sample in families[name].samples} >= DIALECTS, name
    for dialect in DIALECTS:
        assert value(families, "postern_connections_ended_total", dialect=dialect, reason="refresh_timeout") == 0
        assert value(families, "postern_logins_refused_total", dialect=dialect, error="token_expired") == 0
        assert value(families, "postern_refreshes_total", dialect=dialect, origin="asked") == 0
    for family in families.values():
        assert family.documentation and family.type in ("counter", "gauge", "histogram"), family.name
        samples = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in family.samples]
        assert len(samples) == len(set(samples)), f"{family.name}: a series twice"
        assert family.type != "counter" or all(sample.name.endswith("_total") for sample in family.samples)
    assert len(families["postern_build_info"].samples) == 1
    build = families["postern_build_info"].samples[0]
    assert build.value == 1 and set(build.labels) == {"version", "commit", "swift", "libwebsockets"} and all(build.labels.values())
    assert value(families, "postern_log_lines_lost_total") == 0


def test_the_page_says_when_the_process_began():
    earliest = time.time() - 1
    with Gateway() as gateway:
        start = value(page(gateway), "process_start_time_seconds")
        assert earliest < start < time.time() + 1
        assert value(page(gateway), "process_start_time_seconds") == start


def test_each_dialect_is_counted_separately_and_histograms_are_complete(gateway):
    before = page(gateway)
    with Client(gateway, token=token("ann")) as ann:
        ann.receive("connected")
        query = {"user_id": "bob", "ai": APPLICATION, "p": "JS", "sv": "4.22.7"}
        with SendbirdClient(gateway, query, subprotocol(token=session_token("bob"))) as bob:
            bob.receive("LOGI")
            families = page(gateway)
            for dialect in ["plain", "sendbird"]:
                assert value(families, "postern_connections", dialect=dialect, phase="active") == 1
                now = value(families, "postern_logins_total", dialect=dialect, kind="regular")
                assert now == value(before, "postern_logins_total", dialect=dialect, kind="regular") + 1
    assert value(families, "postern_connections", dialect="stream-video") == 0
    for dialect in DIALECTS:
        buckets = [
            sample.value
            for sample in families["postern_login_seconds"].samples
            if sample.name.endswith("_bucket") and sample.labels["dialect"] == dialect
        ]
        assert buckets == sorted(buckets) and buckets[-1] == value(families, "postern_login_seconds_count", dialect=dialect)
    # For label values that cannot be listed beforehand, the ones that occurred.
    request(gateway.http_url, "GET", "/v1/nowhere", document=None)
    labels = {"dialect": "plain", "route": "other", "status": "404"}
    assert value(page(gateway), "postern_http_requests_total", **labels) == 1

"""The tables of Docs/dialects agree with what a gateway does and with the tests."""

import os
from pathlib import Path

import pytest

import operations
from clients import control
from gateway import Gateway


@pytest.mark.parametrize("vendor", operations.VENDORS, ids=lambda vendor: vendor.name)
def test_a_page_is_what_a_gateway_answers(vendor):
    text = operations.table(vendor, os.environ["POSTERN"])
    written = operations.path(vendor).read_text()
    assert text == written, f"write it anew: Tests/EndToEnd/operations.py {os.environ['POSTERN']}"
    untested = [line for line in written.splitlines() if line.endswith("| answered | – |")]
    assert not untested


def test_a_page_tells_what_is_not_there_from_what_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(operations, "HERE", tmp_path)
    (tmp_path / "operations").mkdir()
    (tmp_path / "operations" / "stream.txt").write_text(
        "id = nobody\nNone | GET | /video/nothing/{id} | ann |\nCall | GET | /video/call/default/{id} | ann |\n"
        "Hi | GET | /hi | open |\n"
    )
    found = operations.states(operations.Stream(), os.environ["POSTERN"])
    assert [said for _, said in found] == ["not there", "refused, 16", "answered"]


def test_a_path_that_is_written_out_is_no_other_operation_of_that_name():
    vendor = operations.VENDORS[0]
    found, _ = operations.catalogue(vendor.name)
    tests = operations.Tests(vendor)
    tests.files = {Path("a.swift"): 'ask("GET", "video/stats/daily_digest")', Path("b.swift"): 'ask("GET", "a/stats/one")'}
    of = {operation.name: tests.of(operation) for operation in found if operation.is_shown and "/stats/" in operation.pattern}
    assert of["GetDailyDigest"] == ["a.swift"] and of["GetCallStats"] == ["b.swift"]


@pytest.mark.parametrize("vendor", operations.VENDORS, ids=lambda vendor: vendor.name)
def test_while_the_store_is_away_nothing_is_answered_but_503_and_when_to_come_back(vendor):
    """Requests that need no store are answered as before. No caller is told that a user, call or channel does not exist."""
    catalogue, names = operations.catalogue(vendor.name)
    wrong, refused = [], 0
    with Gateway(*vendor.flags, "--faults", loops=1) as gateway, vendor.ready(gateway) as further:
        names |= further
        for operation in catalogue:
            if operation.asker != "open":
                # Gives each caller its credentials.
                vendor.ask(gateway, "GET", "/nothing", operation.asker, "")
            order = operation.method, operation.target(names), operation.asker, operation.body
            fault = control(gateway, "POST", "/faults", {"fault": "store_away"}).json["number"]
            away = vendor.ask(gateway, *order)
            assert control(gateway, "DELETE", f"/faults/{fault}").status < 300
            there = vendor.ask(gateway, *order)
            if away.status == 503:
                refused += 1
            if (away.status, bool(away.headers.get("retry-after"))) not in ((503, True), (there.status, False)):
                wrong.append((operation.name, away.status, away.headers, there.status))
    assert not wrong and refused > len(catalogue) / 2

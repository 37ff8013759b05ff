"""A storm whose own process gets no processor time measures its own lateness, and says so."""

import collections
import signal
import time

import storms
from clients import control
from gateway import Gateway, halt


def until(condition, patience=60):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.1)


def phases(gateway):
    """The number of sessions in each phase."""
    return collections.Counter(session["phase"] for session in control(gateway, "GET", "/sessions").json["sessions"])


def flags(gateway, *thresholds):
    words = ["--url", gateway.url, "--control-url", gateway.control_url, "--clients", "100", "--rate", "200", "--hold", "20s"]
    for threshold in thresholds:
        words += ["--threshold", threshold]
    return words


def test_a_storm_that_is_stopped_in_its_wave_calls_the_refresh_latency_not_measurable_and_fails():
    with Gateway(loops=1) as gateway, storms.Running(*flags(gateway, "lost == 0", "refresh.p99 < 4s")) as storm:
        until(lambda: phases(gateway) == {"active": 100})
        halt(storm.process)
        stopped = time.time()
        until(lambda: phases(gateway) == {"refreshing": 100})
        # The requests wait unread.
        time.sleep(5)
        length = time.time() - stopped
        storm.process.send_signal(signal.SIGCONT)
        report = storm.report(expected=(1,))
    assert storms.value(report, "generator.late.max") > length - 0.5
    assert storms.value(report, "refresh.p99") is None
    assert report["figures"]["refresh.p99"]["why"].startswith("not measurable: the storm itself was late")
    outcome = [one for one in report["thresholds"] if one["threshold"] == "refresh.p99 < 4s"]
    assert [(one["holds"], one["actual"]) for one in outcome] == [(False, "not measurable")]
    assert any("the storm itself was late, not the gateway" in caveat for caveat in report["caveats"])


def test_an_outage_by_a_fault_is_counted_from_the_fault_s_end():
    with Gateway("--faults", loops=1) as gateway:
        report = storms.run(
            "--url", gateway.url, "--control-url", gateway.control_url, "--clients", "50", "--rate", "100", "--hold", "20s",
            "--reconnect", "--threshold", "lost == 0",
            "--fault", '{"fault": "reset", "when": {"at_s": 8}, "times": 50}',
            "--fault", '{"fault": "refuse_upgrade", "status": 503, "when": {"at_s": 8}, "for_s": 4}')
    if storms.value(report, "generator.late.max") > 0.5:
        # The storm did not see when connections ended and came back, and says so.
        assert any("the storm itself was late, not the gateway" in caveat for caveat in report["caveats"])
        return
    recovered, below = storms.value(report, "recovered.after"), storms.value(report, "connected.below_999")
    assert storms.value(report, "connected.dip") < 1 and below > 4
    # Counted without the fault: the rest of the time below.
    assert 0 < recovered <= below and abs(recovered - (below - 4)) < 2.5, (recovered, below)


def test_clients_that_are_lost_while_the_storm_is_stopped_are_not_counted_against_the_gateway():
    words = ["--any-refresh-timeout", "--refresh-timeout", "3s"]
    thresholds = ["lost.share < 5%", "refreshed.share >= 90%"]
    with Gateway(*words, loops=1) as gateway, storms.Running(*flags(gateway, *thresholds)) as storm:
        until(lambda: phases(gateway) == {"active": 100})
        halt(storm.process)
        # Until the gateway has asked and disconnected every client.
        until(lambda: not phases(gateway))
        storm.process.send_signal(signal.SIGCONT)
        report = storm.report(expected=(1,))
    assert [(one["holds"], one["actual"]) for one in report["thresholds"]] == 2 * [(False, "not measurable")]
    assert report["result"]["lateness"]["lost"] == 100 and storms.value(report, "cut_off") is None
    assert not report["result"]["ran_out_of_time"]
    caveat = "\n".join(report["caveats"])
    assert "the storm itself was late, not the gateway" in caveat and "lost.share" in caveat

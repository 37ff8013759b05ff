"""A storm whose own process gets no processor: what it measured is its own lateness, and it says so."""

import signal
import time

import storms
from gateway import Gateway


def test_a_storm_that_is_stopped_in_its_wave_calls_the_refresh_latency_not_measurable_and_fails():
    with Gateway("--faults", loops=1) as gateway:
        start = time.time() + 4
        wave = start + 0.5 + 2
        flags = ["--url", gateway.url, "--control-url", gateway.control_url, "--clients", "100", "--rate", "200", "--hold", "2s",
                 "--start-at", f"{start:.3f}", "--threshold", "lost == 0", "--threshold", "refresh.p99 < 1s"]
        with storms.Running(*flags) as storm:
            time.sleep(max(0, wave - 0.5 - time.time()))
            storm.process.send_signal(signal.SIGSTOP)
            stopped = time.time()
            # Longer than the wave takes: all requests lie unread.
            time.sleep(max(2.5, wave + 1.5 - time.time()))
            storm.process.send_signal(signal.SIGCONT)
            length = time.time() - stopped
            report = storm.report(expected=(1,))
    assert storms.value(report, "generator.late.max") > length - 0.5
    assert storms.value(report, "refresh.p99") is None
    assert report["figures"]["refresh.p99"]["why"].startswith("not measurable: the storm itself was late")
    outcome = [one for one in report["thresholds"] if one["threshold"] == "refresh.p99 < 1s"]
    assert [(one["holds"], one["actual"]) for one in outcome] == [(False, "not measurable")]
    assert any("the storm itself was late, not the gateway" in caveat for caveat in report["caveats"])


def test_an_outage_by_a_fault_is_counted_from_the_fault_s_end():
    with Gateway("--faults", loops=1) as gateway:
        report = storms.run(
            "--url", gateway.url, "--control-url", gateway.control_url, "--clients", "50", "--rate", "100", "--hold", "20s",
            "--reconnect", "--threshold", "lost == 0",
            "--fault", '{"fault": "reset", "when": {"at_s": 3}, "times": 50}',
            "--fault", '{"fault": "refuse_upgrade", "status": 503, "when": {"at_s": 3}, "for_s": 4}')
    recovered, below = storms.value(report, "recovered.after"), storms.value(report, "connected.below_999")
    assert storms.value(report, "connected.dip") < 1 and below > 4
    # Counted without the fault: what is left of the time below.
    assert 0 < recovered <= below and abs(recovered - (below - 4)) < 2.5, (recovered, below)

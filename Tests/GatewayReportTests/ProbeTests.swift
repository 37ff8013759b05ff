import GatewayCore
import GatewayFleet
import Testing

@testable import GatewayReport

struct ProbeTests {
  @Test
  func `no figure is computed from the readings of two processes, one of which replaced the other`() {
    var result = StormResult()
    result.connects.accepted = 100
    result.refreshes.accepted = 100
    result.probes[.beforeRamp] = .init(cpuSeconds: 0.1, residentBytes: 10e6, startedAt: 1000)
    result.probes[.beforeExpiry] = .init(cpuSeconds: 0.2, residentBytes: 12e6, startedAt: 1030)
    result.probes[.afterSettling] = .init(cpuSeconds: 0.3, residentBytes: 12e6, startedAt: 1060)
    for name in ["gateway.bytes_per_connection", "gateway.cpu_per_refresh"] {
      #expect(Metric.named(name)?.value(result) == nil)
      #expect(Metric.named(name)?.absence(result)?.reason.contains("started anew") == true)
    }
    // A process without a start time is recognised by its counters.
    for moment in ProcessProbe.Moment.allCases { result.probes[moment]?.startedAt = nil }
    #expect(result.gatewayCPUPerRefresh != nil)
    result.probes[.beforeExpiry]?.connectionsOpened = 100
    #expect(result.gatewayCPUPerRefresh == nil)
  }

  @Test
  func `the figures of a gateway without any of the storm's connections are not the storm's`() {
    var result = StormResult()
    result.connects.accepted = 100
    result.refreshes.accepted = 100
    for (moment, bytes) in zip(ProcessProbe.Moment.allCases, [10e6, 11e6, 12e6]) {
      result.probes[moment] = .init(cpuSeconds: bytes / 1e6, residentBytes: bytes, connectionsOpen: 0, startedAt: 1)
    }
    #expect(result.gatewayBytesPerConnection == nil && result.gatewayCPUPerRefresh == nil)
    #expect(result.caveats(StormPlan()).first?.contains("none of the storm's connections") == true)
    result.probes[.beforeExpiry]?.connectionsOpen = 100
    for moment in [ProcessProbe.Moment.beforeExpiry, .afterSettling] { result.probes[moment]?.connectionsOpened = 100 }
    #expect(result.gatewayBytesPerConnection == 10_000 && result.gatewayCPUPerRefresh != nil)
    #expect(result.caveats(StormPlan()).isEmpty)
  }
}

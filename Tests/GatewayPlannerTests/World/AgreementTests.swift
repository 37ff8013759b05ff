import GatewayCore
import GatewayFleet
import GatewayPlanner
import Testing

/// The same hour in both worlds: the machines alone, and the whole gateway with its wires.
@Suite("Machines against the wire")
struct AgreementTests {
  @Test("as many are lost, as many calls are made, and it takes as long", arguments: Scene.all, [1, 2, 3] as [UInt64])
  func agree(scene: Scene, seed: UInt64) throws {
    let wire = try scene.wire(seed: seed)
    let machines = try scene.machines(seed: seed)
    let clients = Double(scene.plan.clients)
    func lost(_ result: StormResult) -> Double { Double(result.everybody.lostUnexpectedly) / clients }
    #expect(abs(lost(machines) - lost(wire)) <= 0.005, "lost \(lost(machines)), over the wire \(lost(wire))")
    let failed = [machines, wire].map { Double($0.connects.failed.total) / clients }
    #expect(abs(failed[0] - failed[1]) <= 0.005, "without a login \(failed)")
    let expected = [machines, wire].map(\.everybody.lostExpectedly)
    #expect(expected[0] == expected[1])
    let calls = [machines, wire].map { Double($0.provider.calls) / Double(max(1, $0.provider.granted)) }
    #expect(abs(calls[0] / calls[1] - 1) <= 0.03, "calls for each token \(calls)")
    let totals = [machines, wire].map { Double($0.provider.calls) }
    #expect(abs(totals[0] / totals[1] - 1) <= 0.03, "calls \(totals)")
    let dips = [machines, wire].map { $0.dip ?? 0 }
    #expect(abs(dips[0] - dips[1]) <= 0.02, "dip \(dips)")
    // Not the very end, which is one client's luck.
    for share in [0.5, 0.95] {
      let times = [machines, wire].map { $0.timeUntil(share: share)?.inSeconds ?? 0 }
      #expect(abs(times[0] - times[1]) <= max(2, times[1] * 0.05), "\(share) after \(times)")
    }
  }
}

import GatewayCore
import GatewayFleet
import GatewayPlanner
import TestTraits
import Testing

/// The same hour in both worlds: the machines alone, and the whole gateway with its wires.
@Suite(.long)
struct AgreementTests {
  @Test(arguments: Scene.all, [1, 2, 3] as [UInt64])
  func `machines and the wire lose as many, make as many calls, and take as long`(scene: Scene, seed: UInt64) throws {
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
    let held = [machines, wire].map { Double($0.provider.heldBack ?? 0) }
    #expect(abs(held[0] - held[1]) <= max(10, held[1] * 0.03), "held back \(held)")
    #expect((held[0] > 0) == (scene.plan.retry != nil))
    let dips = [machines, wire].map { $0.dip ?? 0 }
    #expect(abs(dips[0] - dips[1]) <= 0.02, "dip \(dips)")
    for share in [0.5, 0.95] {
      let times = [machines, wire].map { $0.timeUntil(share: share)?.inSeconds ?? 0 }
      #expect(Self.isNear(times[0], times[1]), "\(share) after \(times)")
    }
    let made = try [machines, wire].map { try #require($0.queue) }
    #expect(abs(made[0].made - made[1].made) <= 20 && abs(made[0].madeForNobody - made[1].madeForNobody) <= 20)
    #expect(abs(made[0].lengthPeak - made[1].lengthPeak) <= max(10, made[1].lengthPeak / 5))
    guard !scene.isEndLuck else { return }
    #expect(Self.isNear(machines.seconds, wire.seconds), "over after \(machines.seconds), \(wire.seconds)")
    let recovered = [machines, wire].map(\.recoveredAfter)
    #expect(
      recovered[0].map { one in recovered[1].map { Self.isNear(one, $0) } ?? false } ?? (recovered[1] == nil),
      "recovered after \(recovered)")
  }

  /// Returns whether both are within 2 s, or within a twentieth.
  private static func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= max(2, other * 0.05) }

  /// If one request in five fails, the last of two thousand clients has failed four or five times in a row and waited 9
  /// to 18 s each time, or was closed: the end is one client's luck in either world. Therefore the distributions are
  /// compared. Of 200 seeds of the machines and 80 of the wire the ends were at 131.1 s and 131.5 s, with deviations of
  /// 5.1 s and 5.0 s.
  ///
  /// With a circuit breaker in each client, the last one is back after two open times or after three.
  @Test(arguments: Scene.all.filter(\.isEndLuck))
  func `simulation and wire agree by Kolmogorov and Smirnov over ten seeds each if one client's luck decides`(
    scene: Scene
  ) throws {
    let seeds = UInt64(1)...10
    let wire = try seeds.map { try scene.wire(seed: $0) }
    let machines = try seeds.map { try scene.machines(seed: $0) }
    // Of two samples of ten from the same distribution, one pair in twenty is further apart.
    let most = 1.358 * (2.0 / 10).squareRoot()
    let ends = Self.distance(machines.map(\.seconds), wire.map(\.seconds))
    #expect(ends <= most, "the ends are \(ends) apart")
    let never = Double.infinity
    let recovered = Self.distance(machines.map { $0.recoveredAfter ?? never }, wire.map { $0.recoveredAfter ?? never })
    #expect(recovered <= most, "the recoveries are \(recovered) apart")
    // The test can fail: fifteen seconds more would not pass.
    #expect(Self.distance(machines.map { $0.seconds + 15 }, wire.map(\.seconds)) > most)
  }

  /// Returns the greatest difference between the shares of two samples that are below any one value.
  private static func distance(_ one: [Double], _ other: [Double]) -> Double {
    func share(_ sample: [Double], upTo value: Double) -> Double {
      Double(sample.count { $0 <= value }) / Double(sample.count)
    }
    return (one + other).map { abs(share(one, upTo: $0) - share(other, upTo: $0)) }.max() ?? 0
  }
}

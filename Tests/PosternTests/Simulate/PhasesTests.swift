import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport
import TestTraits
import Testing

@testable import postern

/// The scenarios of the load test, from which storms on real gateways are made, in both simulated worlds.
struct PhasesTests {
  private static func scenario(_ name: String) throws -> (SimulateScenario, SimulatedClients) {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let file = "/\(folder)/loadtest/scenarios/\(name)/scenario.json"
    return try SimulateOptions.scenario(file, SimulateDraft.World())
  }

  private static func unmet(_ result: StormResult, _ scenario: SimulateScenario) -> [String] {
    let whole = scenario.thresholds.filter { !$0.judge(result).holds }.map(\.description)
    return whole
      + scenario.phaseThresholds.filter { name, threshold in
        result.phases?.first { $0.name == name }.map { !threshold.judge($0.result).holds } ?? true
      }.map { "\($0.phase): \($0.threshold)" }
  }

  @Test(.long, arguments: ["provider-away", "restart", "revoke-all"])
  func `the load test's scenarios keep their thresholds in both worlds, which agree phase by phase`(name: String) throws
  {
    let (scenario, clients) = try Self.scenario(name)
    try WireWorld.check(scenario.settings, clientsMax: 2000)
    var world = try MachineWorld(scenario.settings)
    let machines = world.run().result
    let wire = try WireWorld(scenario.settings, clients).run()
    #expect(Self.unmet(machines, scenario) == [])
    #expect(Self.unmet(wire, scenario) == [])
    let phases = try #require(machines.phases)
    let others = try #require(wire.phases)
    #expect(phases.map(\.name) == others.map(\.name) && phases.map(\.from) == others.map(\.from))
    for (one, other) in zip(phases, others) {
      for count in [\StormResult.refreshes.asked, \.refreshes.accepted, \.returns.returned, \.provider.calls] {
        let (a, b) = (one.result[keyPath: count], other.result[keyPath: count])
        #expect(abs(a - b) <= max(20, b / 20), "\(one.name): \(count) \(a), over the wire \(b)")
      }
    }
  }
}

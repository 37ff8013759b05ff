import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import TestTraits
import Testing

@testable import postern

/// Storms of several fleets, over the gateway's wires and by the machines alone. The clients over the wires are those of
/// `postern storm`.
@Suite(.long)
struct FleetAgreementTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let file: String
  }

  static let cases = [
    Case(
      testDescription: "tabs that fill the queue, and phones of two SDKs",
      file: """
        {
          fleets: [
            { name: "web", clients: 1200, rate: 100, expire_after_s: 30, life_s: 3600 },
            { name: "mobile", clients: 1000, rate: 50, dialect: "\(FleetOptionsTests.phones)", sdks: { swift: 0.6, android: 0.4 },
              expire_after_s: 33 }
          ],
          provider: { concurrency: 5, latency_ms: 40, queue_max: 4000 }
        }
        """),
    Case(
      testDescription: "strict rotation: who waits too long is signed out, whichever fleet filled the queue",
      file: """
        {
          fleets: [
            { name: "web", clients: 900, rate: 100, expire_after_s: 30, life_s: 3600 },
            { name: "tv", clients: 500, rate: 100, expire_after_s: 31, life_s: 3600, client: { signed_out: "gone" } }
          ],
          provider: { concurrency: 5, latency_ms: 50, queue_max: 4000, rotation: { grace_s: 0 } }
        }
        """),
    Case(
      testDescription: "clients that come and go beside tokens that end one by one",
      file: """
        {
          fleets: [
            { name: "web", clients: 500, rate: 20, expiry: "own", life_s: 40, jitter: 0.1, waves: 2 },
            { name: "guests", clients: 200, arrivals: [[0, 5], [30, 20], [60, 2]], for_s: 90, stays: 20, life_s: 15 }
          ],
          provider: { concurrency: 3, latency_ms: 60, queue_max: 300 }
        }
        """),
  ]

  private static func fleets(_ file: String, _ fidelity: SimulateScenario.Fidelity) throws -> SimulatedFleets {
    var scenario = try ScenarioFile(parsing: Array(file.utf8), path: "shop.json", of: "FILE").world
    scenario.fidelity = fidelity
    return try SimulatedFleets(scenario, wireClientsMax: 5000)
  }

  @Test(arguments: cases, [1, 2, 3] as [UInt64])
  func `machines and the wire lose and sign out as many of each fleet, and make as many calls`(
    storm: Case, seed: UInt64
  ) throws {
    let wire = try WireWorld(fleets: try Self.fleets(storm.file, .wire).wires(seed: seed)).run()
    let worlds = try Self.fleets(storm.file, .machines).worlds(seed: seed)
    var world = try MachineWorld(fleets: worlds)
    let machines = world.run().result
    let parts = zip(try #require(machines.fleets), try #require(wire.fleets)).map { ($0.name, $0.result, $1.result) }
    #expect(parts.count == worlds.count)
    let sums = ("all", machines, wire)
    // The bounds are a hundredth of all clients: which client of a small fleet is too late is decided by chance.
    let clients = Double(worlds.reduce(0) { $0 + $1.plan.people })
    for (name, one, other) in parts + [sums] {
      func share(_ count: (StormResult) -> Int) -> Double { Double(abs(count(one) - count(other))) / clients }
      #expect(share(\.everybody.lostUnexpectedly) <= 0.01, "\(name) lost")
      #expect(share { $0.signOuts?.total ?? 0 } <= 0.01, "\(name) signed out")
      #expect(share { $0.arrivals?.notStarted ?? 0 } <= 0.01, "\(name) not started")
      #expect(share(\.connects.failed.total) <= 0.01, "\(name) never in")
      let calls = [one, other].map { Double($0.provider.calls) }
      #expect(abs(calls[0] / calls[1] - 1) <= 0.05, "\(name) calls \(calls)")
    }
    #expect(wire.source == "wire" && wire.fleets?.allSatisfy { $0.result.source == "wire" } == true)
    #expect(wire.provider.calls == wire.fleets?.reduce(0) { $0 + $1.result.provider.calls })
    let made = try [machines, wire].map { Double(try #require($0.queue).made) }
    #expect(abs(made[0] / made[1] - 1) <= 0.05, "made \(made)")
  }

  @Test
  func `a wire's world of fleets has the same bytes twice, and other ones with another seed`() throws {
    let fleets = try Self.fleets(Self.cases[2].file, .wire)
    func run(_ seed: UInt64) throws -> StormResult { try WireWorld(fleets: fleets.wires(seed: seed)).run() }
    #expect(try run(1) == run(1))
    #expect(try run(1) != run(2))
  }

  @Test
  func `fleets with a provider of their own are for machines, and so is a fleet too large for wires`() throws {
    let own = #"{ fleets: [{ name: "a", provider: {} }, { name: "b" }], provider: {} }"#
    let error = try #require(throws: UsageError.self) { try Self.fleets(own, .wire) }
    #expect(error.description.contains("all fleets have one gateway and one provider there"))
    let large = #"{ fleets: [{ name: "a", clients: 3000 }, { name: "b", clients: 3000 }] }"#
    let other = try #require(throws: UsageError.self) { try Self.fleets(large, .wire) }
    #expect(other.description.contains("at most 5,000 clients together, not 6,000"))
    let rate = #"{ fleets: [{ name: "a", clients: 30 }], provider: { rate: 5 } }"#
    let third = try #require(throws: UsageError.self) { try Self.fleets(rate, .wire) }
    #expect(third.description.contains("the fleet 'a': --fidelity wire"))
  }
}

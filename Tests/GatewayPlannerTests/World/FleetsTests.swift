import Foundation
import GatewayCore
import GatewayFleet
import Testing

@testable import GatewayPlanner

/// Worlds of several fleets, compared with calculations on paper.
struct FleetsTests {
  /// Returns the settings of a fleet that asks a provider of ten tokens a second all at once.
  private static func fleet(_ clients: Int, provider: Int = 0) -> WorldSettings {
    var plan = StormPlan()
    plan.clients = clients
    plan.rate = 1_000_000
    plan.expireAfter = 3600
    plan.fetchTimeout = .seconds(60)
    plan.bound = 20
    var settings = WorldSettings(
      plan: plan, provider: ProviderModel(.rate(10), queue: 1000),
      link: LinkModel(latency: .milliseconds(1)...(.milliseconds(1))))
    settings.place.provider = provider
    settings.duration = .seconds(20)
    return settings
  }

  private static func run(_ fleets: [(String, WorldSettings)]) throws -> StormResult {
    var world = try MachineWorld(
      fleets: WorldSettings.together(fleets.map { (FleetPlace(name: $0.0), $0.1) }, seed: 1))
    return world.run().result
  }

  @Test
  func `fleets at one provider share its rate, and its queue is that of all`() throws {
    let result = try Self.run([("web", Self.fleet(40)), ("mobile", Self.fleet(60))])
    let fleets = try #require(result.fleets)
    #expect(fleets.map(\.name) == ["web", "mobile"])
    #expect(fleets.map(\.result.connects.accepted) == [40, 60] && result.connects.accepted == 100)
    let longest = fleets.compactMap(\.result.latencies.provider.maximum).max()
    #expect(try abs(#require(longest).inSeconds - 10) < 0.4)
    #expect(result.queue?.made == 100 && fleets.allSatisfy { $0.result.queue == nil })
  }

  @Test
  func `fleets with a provider each wait for their own only`() throws {
    let result = try Self.run([("web", Self.fleet(40)), ("mobile", Self.fleet(60, provider: 1))])
    let fleets = try #require(result.fleets)
    let longest = fleets.compactMap(\.result.latencies.provider.maximum?.inSeconds)
    #expect(abs(longest[0] - 4) < 0.2 && abs(longest[1] - 6) < 0.3)
    #expect(fleets.compactMap(\.result.queue?.made) == [40, 60] && result.queue == nil)
  }

  @Test
  func `each fleet keeps its own timeout at one provider`() throws {
    var impatient = Self.fleet(40)
    impatient.plan.fetchTimeout = .seconds(2)
    impatient.plan.loginTries = 1
    let result = try Self.run([("patient", Self.fleet(60)), ("impatient", impatient)])
    let fleets = try #require(result.fleets)
    #expect(fleets[0].result.connects.accepted == 60 && fleets[0].result.provider.refused["timed_out"] == 0)
    // The provider serves all in the order in which they came, and the impatient get what is made within 2 s.
    #expect(fleets[1].result.provider.refused["timed_out"] == 40 - fleets[1].result.connects.accepted)
    #expect(fleets[1].result.provider.refused["timed_out"] > 20)
  }

  @Test
  func `a budget by user and by address counts no two fleets together`() throws {
    var provider = ProviderModel(.unbounded)
    provider.budgets = [RequestBudget(.address, limit: 10, window: .seconds(1000))]
    func fleet() -> WorldSettings {
      var settings = Self.fleet(10)
      settings.plan.usersPerAddress = 10
      settings.plan.loginTries = 1
      settings.provider = provider
      return settings
    }
    let result = try Self.run([("web", fleet()), ("mobile", fleet())])
    #expect(result.connects.accepted == 20 && result.provider.budgets == nil)
  }

  @Test
  func `an order of the scenario reaches all fleets`() throws {
    func fleet(_ clients: Int) throws -> WorldSettings {
      var settings = Self.fleet(clients)
      settings.provider = ProviderModel(.unbounded)
      settings.plan.reconnects = true
      let phases = #"{"phases": [{"name": "restart", "from": "start", "after_s": 5, "order": "restart"}]}"#
      settings.scenario = try JSONDecoder().decode(StormScenario.self, from: Data(phases.utf8))
      return settings
    }
    let result = try Self.run([("web", try fleet(5)), ("mobile", try fleet(7))])
    #expect(result.fleets?.map(\.result.returns.returned) == [5, 7])
    #expect(result.phases?.map(\.name) == ["restart"] && result.phases?[0].result.connects.again == 12)
  }

  @Test
  func `the memory of a world is that of its fleets`() {
    let fleets = [Self.fleet(1000), Self.fleet(2000)]
    #expect(MachineWorld.bytes(fleets: fleets) == fleets.reduce(0) { $0 + MachineWorld.bytes($1) })
  }
}

import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import TestSupport
import Testing

@testable import postern

@Suite("The file of a simulated scenario")
struct SimulateScenarioTests {
  private static func read(_ text: String) throws -> SimulateScenario {
    let file = try TemporaryFile(text)
    return try withExtendedLifetime(file) { try SimulateScenario(file.path) }
  }

  @Test("says what fleet, gateway, provider and world there are")
  func whole() throws {
    let scenario = try Self.read(
      """
      { // a herd
        clients: 10000000, dialect: "plain", expiry: "common", life_s: 3600, jitter: 0.1, waves: 2,
        gateway: { refresh_timeout_s: 60, lead_s: 30, spread_s: 120 },
        client: { fetch_timeout_s: 5, backoff: { kind: "equal", base_s: 0.5, cap_s: 10 }, reconnect: true },
        provider: { rate: 50000, queue: 200000, abandoned: "drop", pauses: [{ at_s: 600, for_s: 120 }] },
        world: { fidelity: "machines", latency_ms: [1, 20], loss: 0, seed: 9, duration_s: 7200 },
        thresholds: ["lost.share < 1%", "recovered.after < 300s"],
      }
      """)
    let settings = scenario.settings
    #expect(settings.plan.clients == 10_000_000 && settings.plan.waves == 2 && settings.plan.reconnects)
    #expect(settings.plan.backoff == Backoff(.equal, base: .milliseconds(500), cap: .seconds(10)))
    #expect(settings.provider.abandoned == .drop && settings.provider.pauses.count == 1)
    #expect(settings.plan.seed == 9 && settings.duration == .seconds(7200))
    #expect(scenario.thresholds.count == 2)
  }

  @Test(
    "is refused with the place of what is wrong",
    arguments: [
      ("{ clinets: 5 }", ":1:3 /clinets: no such key 'clinets'"),
      ("{ provider: { rate: 5, places: 2 } }", "/provider/places: a provider has a rate, or places and a latency"),
      ("{ provider: { abandoned: 'keep' } }", "/provider/abandoned: no such way with abandoned requests 'keep'"),
      ("{ phases: [] }", "postern storm --scenario"),
      ("{ dialect: 'sendbird' }", "only plain is simulated"),
      ("{ jitter: 7 }", "/jitter: a number; expected a number from 0.0 to 1.0"),
      ("{ clients: 1, rate: 0.001, ramp_s: 1e300 }", "/ramp_s"),
      ("{ thresholds: ['nonsense'] }", "/thresholds/0"),
      ("{ provider: { pauses: [{at_s: 5, for_s: 9}, {at_s: 6, for_s: 1}] } }", "begins before the one ahead"),
    ])
  func refused(text: String, said: String) throws {
    let error = try #require(throws: UsageError.self) { _ = try Self.read(text) }
    #expect(error.description.contains(said), "\(error)")
  }

  @Test("the wire's world says what it does not have")
  func wire() throws {
    let scenario = try Self.read("{ provider: { rate: 5 } }")
    #expect(throws: UsageError.self) { try WireWorld.check(scenario.settings, clientsMax: 100) }
  }
}

import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport
import TestSupport
import Testing

@testable import postern

struct SimulateScenarioTests {
  private static func read(_ text: String) throws -> SimulateScenario {
    let file = try TemporaryFile(text)
    return try withExtendedLifetime(file) { try ScenarioFile(file.path, of: "FILE").world }
  }

  @Test
  func `a scenario file names the fleet, the gateway, the provider and the world`() throws {
    let scenario = try Self.read(
      """
      { // a herd
        clients: 10000000, dialect: "plain", expiry: "common", life_s: 3600, jitter: 0.1, waves: 2,
        gateway: { refresh_timeout_s: 60, refresh_lead_s: 30, spread_s: 120 },
        client: { fetch_timeout_s: 5, backoff: { kind: "equal", base_s: 0.5, cap_s: 10 }, reconnect: true },
        provider: { rate: 50000, queue_max: 200000, abandoned: "drop", pauses: [{ at_s: 600, for_s: 120 }] },
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

  @Test
  func `a key with the name of the last version is read, and a notice tells its new name`() throws {
    let scenario = try Self.read(
      """
      { gateway: { lead_s: 30, accepts_per_s: 7 }, provider: { places: 3, latency_ms: 40, queue: 9, failures: 0.5 } }
      """)
    let provider = scenario.settings.provider
    #expect(provider.queue == 9 && provider.failures == 0.5 && scenario.settings.acceptsPerSecond == 7)
    #expect(scenario.settings.plan.gateway.lead == .seconds(30))
    #expect(scenario.notices.count == 5)
    #expect(
      scenario.notices.contains("/provider/queue: the key is called 'queue_max' now; the next version rejects 'queue'"))
  }

  @Test(arguments: [
    ("{ clinets: 5 }", ":1:3 /clinets: no such key 'clinets'"),
    (
      "{ provider: { rate: 5, places: 2 } }",
      "/provider/places: a provider has a \"rate\", or \"concurrency\" and \"latency_ms\"; remove one"
    ),
    ("{ provider: { queue: 1, queue_max: 2 } }", "/provider/queue: 'queue' is the former name of 'queue_max'"),
    ("{ provider: { abandoned: 'keep' } }", "/provider/abandoned: no such way with abandoned requests 'keep'"),
    ("{ phases: [] }", "expected 1 to 100 phases, not 0"),
    ("{ phases: [{ name: 'a', from: 'wave', form: 5 }] }", ":1:39 /phases/0/form: no such key 'form'"),
    ("{ phases: [{ name: 'a', from: 'wav' }] }", ":1:31 /phases/0/from: \"from\" is 'wav'; expected start, hold, wave"),
    ("{ phases: [{ name: 'a', from: 'wave', for_s: -5 }] }", ":1:46 /phases/0/for_s: \"for_s\" is -5"),
    ("{ phases: [{ from: 'wave' }] }", ":1:12 /phases/0: lacks \"name\""),
    (
      "{ phases: [{ name: 'a', from: 'wave', thresholds: ['lst == 0'] }] }",
      ":1:52 /phases/0/thresholds/0: the threshold 'lst == 0'"
    ),
    ("{ dialect: 'plane' }", "/dialect: no such dialect 'plane'"),
    ("{ jitter: 7 }", "/jitter: 7; expected a number from 0.0 to 1.0"),
    ("{ clients: 1, rate: 0.001, ramp_s: 1e300 }", "/ramp_s"),
    ("{ thresholds: ['nonsense'] }", "/thresholds/0"),
    ("{ provider: { pauses: [{at_s: 5, for_s: 9}, {at_s: 6, for_s: 1}] } }", "begins before the one ahead"),
  ])
  func `a wrong scenario file is refused with the place of the fault`(text: String, said: String) throws {
    let error = try #require(throws: UsageError.self) { _ = try Self.read(text) }
    #expect(error.description.contains(said), "\(error)")
  }

  @Test
  func `a storm over sockets takes the same file, flags win, and ignored settings are reported`() throws {
    let file = try TemporaryFile(
      """
      {
        clients: 300, rate: 70, life_s: 600, jitter: 0.2, waves: 2, behaviours: "well-behaved=3,slow=1",
        gateway: { refresh_timeout_s: 90, connection_rate: 5 },
        client: { fetch_timeout_s: 5, reconnect: true, backoff: { kind: "equal", base_s: 1, cap_s: 4 }, login_tries: 3 },
        provider: { rate: 50 }, world: { seed: 9 },
        phases: [{ name: "calm", thresholds: ["cut_off == 0"] }],
        thresholds: ["lost.share < 1%"],
      }
      """)
    var arguments = Arguments(flags: StormCommand.flags)
    func give(_ flag: String, _ text: String) { arguments.given[flag] = [.init(text: text, source: "--\(flag)")] }
    give("url", "ws://127.0.0.1:8080")
    give("scenario", file.path)
    give("jitter", "10%")
    let options = try withExtendedLifetime(file) { try StormOptions(arguments) }
    let simulated = try withExtendedLifetime(file) { try ScenarioFile(file.path, of: "FILE").world.settings.plan }
    #expect(options.plan.clients == 300 && options.plan.jitter == 0.1 && options.plan.waves == 2)
    #expect(options.plan.backoff == simulated.backoff && options.plan.loginTries == 3)
    #expect(options.plan.gateway.timeout == .seconds(90) && options.plan.gateway.timeoutSource == .told)
    #expect(options.plan.behaviours == simulated.behaviours && options.plan.reconnects)
    #expect(options.thresholds.map(\.description) == ["lost.share < 1%"])
    #expect(options.phaseThresholds.map(\.phase) == ["calm"])
    #expect(options.caveats.contains { $0.contains("provider, world, gateway.connection_rate") })
  }

  @Test
  func `machines list the faults that they know, and the wire knows all faults`() throws {
    let strange = try Self.read("{ phases: [{ name: 'late', faults: [{ fault: 'mint_slowly', by_ms: 500 }] }] }")
      .settings
    let error = try #require(throws: StormPlanError.self) { _ = try MachineWorld(strange) }
    #expect(error.description.contains("'late'") && error.description.contains("--fidelity wire"))
    let unknown = try Self.read("{ phases: [{ name: 'late', faults: [{ fault: 'mint_slugly' }] }] }").settings
    let other = try #require(throws: UsageError.self) { try WireWorld.check(unknown, clientsMax: 10_000) }
    #expect(other.description.contains("'late'"))
  }

  @Test
  func `the wire's world lists the settings that it does not have`() throws {
    let scenario = try Self.read("{ provider: { rate: 5 } }")
    #expect(throws: UsageError.self) { try WireWorld.check(scenario.settings, clientsMax: 100) }
  }
}

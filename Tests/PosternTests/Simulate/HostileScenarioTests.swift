import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport
import TestSupport
import TestTraits
import Testing

@testable import postern

struct HostileScenarioTests {
  private static func read(_ bytes: [UInt8]) throws -> SimulateScenario {
    let file = try TemporaryFile(String(decoding: bytes, as: UTF8.self))
    return try withExtendedLifetime(file) { try ScenarioFile(file.path, of: "FILE").world }
  }

  /// Computes everything that is derived from a plan before it runs.
  private static func workOut(_ settings: WorldSettings) throws {
    try settings.plan.check(millions: 20)
    let plan = settings.plan
    #expect(plan.end >= plan.pacer.duration && plan.onset >= .zero && plan.heldUntil >= .zero)
    #expect(plan.given(timeout: .seconds(3_600)) >= .zero)
    _ = plan.pacer.arrivals(until: plan.end)
    let counts = plan.behaviours.counts(of: plan.clients)
    #expect(counts.values.reduce(0, +) == plan.clients && counts.values.allSatisfy { $0 >= 0 })
    #expect(try BehaviourMix(parsing: plan.behaviours.description).counts(of: plan.clients) == counts)
    var chance = SeededGenerator(seed: 1)
    for tries in [0, 1, 62, .max] { #expect(plan.backoff.wait(after: tries, chance: &chance) >= .zero) }
    for clients in [1, 20_000_000] { _ = settings.scaled(toClients: clients, withProvider: true) }
    if let scenario = settings.scenario { _ = try scenario.times(of: plan) }
  }

  @Test
  func `a hostile scenario file is read and planned, or refused with what is wrong, and traps nothing`() throws {
    let examples = [
      """
      { // a herd
        clients: 10000000, dialect: "plain", rate: 5000, ramp_s: 5, hold_s: 5, expiry: "common", expire_after_s: 9000,
        life_s: 3600, jitter: 0.1, waves: 2, behaviours: "well-behaved=90,slow=4,forgetful=6",
        gateway: { refresh_timeout_s: 60, lead_s: 30, spread_s: 120, accepts_per_s: 5000 },
        client: { fetch_timeout_s: 5, slow_delay_s: 3, login_tries: 9, backoff: { kind: "equal", base_s: 0.5, cap_s: 10 } },
        provider: { rate: 50000, queue: 200000, abandoned: "drop", failures: 0.1, pauses: [{ at_s: 600, for_s: 120 }] },
        world: { fidelity: "machines", latency_ms: [1, 20], loss: 0, seed: 9, duration_s: 7200 },
        thresholds: ["lost.share < 1%", "recovered.after < 300s"],
      }
      """,
      """
      { "provider": { "places": 100, "latency_ms": [5, 600], "warmup": { "from": 0.2, "for_s": 60 } }, "phases": [
        { "name": "calm", "for_s": 5, "thresholds": ["cut_off == 0"] },
        { "name": "away", "from": "wave", "after_s": -1, "for_s": 30, "faults": [{ "fault": "mint_refused", "status": 503 }] },
        { "name": "back", "for_s": 20, "order": "revoke" } ] }
      """,
    ]
    var source = HostileBytes(
      seed: 31, examples: examples, words: ["0.001", "20000000", "1e308", "-1", "2592000", "{", "}", "\"rate\":"])
    var planned = 0
    for _ in 0..<600 {
      do {
        try Self.workOut(Self.read(source.next()).settings)
        planned += 1
      } catch let error as UsageError {
        #expect(error.description.hasPrefix("FILE"))
      } catch let error as StormPlanError {
        #expect(!error.description.isEmpty)
      }
    }
    #expect(planned > 30)
  }

  @Test
  func `clients that would take centuries to connect are refused, and trap no command`() throws {
    let settings = try Self.read(Array("{clients: 20000000, rate: 0.001}".utf8)).settings
    let error = #expect(throws: StormPlanError.self) { try settings.plan.check(millions: 20) }
    #expect(error?.description.contains("raise the rate") == true)
  }

  @Test
  func `shares of behaviours near the largest number are refused, and trap no command`() throws {
    for text in [
      "well-behaved=1e308,slow=1e308", "slow=1e10", "slow=1e-300", "slow=inf", "slow=nan", "slow=-1", "slow=0",
    ] {
      #expect(throws: StormPlanError.self) { try BehaviourMix(parsing: text) }
    }
    let edges = try BehaviourMix(parsing: "well-behaved=1e9,slow=1e-9,forgetful=1e9,garbage=0")
    for clients in [1, 3, 20_000_000, .max / 2] {
      #expect(edges.counts(of: clients).values.allSatisfy { $0 >= 0 })
    }
  }

  @Test
  func `a hostile duration, share, mix or backoff of a flag is read within its bounds, or refused`() throws {
    var source = HostileBytes(
      seed: 32,
      examples: [
        "500ms", "60s", "1.5m", "24h", "30d", "0", "17us", "10%", "0.1", "well-behaved=90,slow=4,forgetful=6",
      ], words: ["ms", "us", "s", "d", "%", "=", ",", "slow", "e9", "e308"])
    var durations = 0
    for _ in 0..<8_000 {
      let text = source.text()
      if let duration = DurationText.parse(text) {
        durations += 1
        #expect(duration >= .zero && duration.nanoseconds <= 9_000_000_000_000_000_000, "\(text)")
      }
      if let share = Share.parse(text) { #expect((0...1).contains(share), "\(text)") }
      if let mix = try? BehaviourMix(parsing: text) {
        #expect(mix.counts(of: 1_000).values.reduce(0, +) == 1_000, "\(text)")
      }
    }
    #expect(durations > 300)
  }

  @Test(.long)
  func `a hostile threshold or rule to stop by is refused, or judges any result`() {
    var source = HostileBytes(
      seed: 33,
      examples: [
        "lost.share < 1%", "refresh.p99 < 500ms", "time_to_99 <= 20s", "lost == 0",
        "gateway.memory_per_connection > 3 KB",
        "connects.failed.share > 50% over 10s", "provider.refused.share > 20% over 5m",
      ], words: ["<=", ">", "==", "!=", "%", "over", "refresh.p99", "lost", "9e307s", "1e300%"])
    var result = StormResult()
    result.connects.attempted = 42
    result.seconds = 12.5
    result.behaviours[.wellBehaved, default: .init()].clients = 3
    var progress = StormProgress()
    progress.seconds = 700
    var (thresholds, rules) = (0, 0)
    for _ in 0..<1_500 {
      let text = source.text()
      if let threshold = try? Threshold(parsing: text) {
        thresholds += 1
        for one in [result, StormResult()] {
          #expect(!threshold.judge(one).actual.isEmpty)
          _ = threshold.holds(one, ofShare: 1e-9)
        }
        #expect((try? Threshold(parsing: threshold.description))?.limit == threshold.limit, "\(text)")
      }
      if let rule = try? StopRule(parsing: text) {
        rules += 1
        var watch = StopWatch([rule])
        #expect(watch.reason(progress) == nil && rule.limit < 1 && rule.span >= 1)
      }
    }
    #expect(thresholds > 100 && rules > 15)
  }
}

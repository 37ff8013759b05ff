import GatewayCore
import GatewayFleet
import TestTraits
import Testing

@testable import GatewayPlanner

/// Pushes of a fleet at rest, compared with calculations on paper.
@Suite(.long)
struct TriggerTests {
  /// A fleet that asks for 10 tokens a second times `load`, of a provider that makes 10. Clients wait 10 s.
  private static func fleet(load: Double, queue: Int = 200, _ set: (inout WorldSettings) -> Void = { _ in })
    -> WorldSettings
  {
    var plan = StormPlan()
    plan.life = .seconds(300)
    plan.clients = Int(10 * load * 300)
    plan.gateway.timeout = .seconds(1800)
    var settings = WorldSettings(plan: plan, provider: ProviderModel(.rate(10), queue: queue))
    settings.isFirstTokenInHand = true
    set(&settings)
    return settings
  }

  private static func outcome(
    _ settings: WorldSettings, _ kind: Disturbance.Kind, _ size: Double, within: Int = 150, seed: UInt64 = 1
  ) throws -> StormResult.Recovery {
    let push = Disturbance(kind, at: settings.pushAt, size: size)
    var pushed = settings.atRest(push, andAfter: .seconds(within + 90))
    pushed.plan.seed = seed
    var world = try MachineWorld(pushed)
    return world.run().result.recovery(within: Double(within))
  }

  private static func isRecovered(_ outcome: StormResult.Recovery) -> Bool {
    if case .recovered = outcome { true } else { false }
  }

  /// The figures of a script of events in another language; it was given a hundred tokens a second.
  @Test(arguments: [(0.5, 15.3), (0.7, 11.4), (0.85, 10.4)])
  func `the outage that tips a fleet by calculation is that of an event script, within 3 %`(
    load: Double, script: Double
  ) throws {
    var settings = Self.fleet(load: load, queue: 2000) { $0.plan.clients *= 10 }
    settings.provider.capacity = .rate(100)
    let form = try #require(OutageForm(settings)?.least)
    #expect(abs(form / script - 1) < 0.03)
  }

  @Test(arguments: [0.5, 0.7])
  func `the outage that tips a calm fleet is the calculated one, within 5 %`(load: Double) throws {
    let settings = Self.fleet(load: load)
    let form = try #require(OutageForm(settings)?.least)
    #expect(Self.isRecovered(try Self.outcome(settings, .outage, form * 0.95)))
    #expect(try Self.outcome(settings, .outage, form * 1.05) == .staysDown)
  }

  @Test
  func
    `no outage tips a fleet whose queue is shorter than its clients' timeout, or whose provider drops abandoned requests`()
    throws
  {
    let short = Self.fleet(load: 0.5, queue: 95)
    #expect(OutageForm(short)?.least == nil)
    #expect(Self.isRecovered(try Self.outcome(short, .outage, 30)))
    let dropping = Self.fleet(load: 0.5) { $0.provider.abandoned = .drop }
    #expect(OutageForm(dropping) == nil)
    #expect(Self.isRecovered(try Self.outcome(dropping, .outage, 30)))
  }

  @Test
  func `a fleet that asks for more than its provider makes is overloaded at rest, and is not pushed`() async throws {
    let search = TriggerSearch(Self.fleet(load: 1.05), within: .seconds(100), scale: 100_000, threads: 2)
    let answer = try await search.run()
    #expect(answer.verdict == .overloaded && answer.rows.isEmpty && answer.worlds == 3)
  }

  @Test
  func `a provider with room for all recovers from every push, and the answer is the same again`() async throws {
    let settings = Self.fleet(load: 0.1, queue: 50) {
      $0.plan.clients = 100
      $0.plan.reconnects = true
      $0.provider.capacity = .rate(100)
    }
    func answer() async throws -> TriggerSearch.Answer {
      try await TriggerSearch(settings, within: .seconds(100), scale: 1000, threads: 2).run()
    }
    let one = try await answer()
    #expect(one.verdict == .stable && one.rows.count == Disturbance.Kind.pushes.count)
    #expect(one.rows.allSatisfy { $0.recovers?.size == $0.kind.bounds(settings).most })
    let other = try await answer()
    #expect(one.rows.map { $0.recovers?.recoveries } == other.rows.map { $0.recovers?.recoveries })
  }

  @Test
  func `a herd takes the given share of the tokens, and a restart that share of the connections`() throws {
    let settings = Self.fleet(load: 0.2) { $0.plan.reconnects = true }
    func run(_ kind: Disturbance.Kind) throws -> StormResult {
      var world = try MachineWorld(
        settings.atRest(Disturbance(kind, at: settings.pushAt, size: 0.5), andAfter: .seconds(30)))
      return world.run().result
    }
    let herd = try run(.herd)
    let restarted = try run(.restart)
    // Half of 600 clients, beside the two renewals of each second.
    let pushed = herd.bins.peak(herd.bins.asked, over: .seconds(1)) ?? 0
    #expect((260...340).contains(pushed))
    #expect((260...340).contains(restarted.returns.interrupted))
    #expect(try run(.herd) == herd)
  }

  @Test(arguments: [0.9, 1])
  func `a fleet whose clients all come back after a restart has recovered`(share: Double) throws {
    let settings = Self.fleet(load: 0.5) {
      $0.plan.reconnects = true
      $0.provider.capacity = .rate(1000)
    }
    #expect(Self.isRecovered(try Self.outcome(settings, .restart, share)))
  }

  @Test
  func `lost answers make their callers time out, and a slow minute is as slow as configured`() throws {
    let calm = Self.fleet(load: 0.1)
    var world = try MachineWorld(
      calm.atRest(Disturbance(.lost, at: calm.pushAt, size: 1), andAfter: .seconds(60)))
    let lost = world.run().result
    // One renewal a second for a minute; a client asks every 10 to 20 s until the minute is over.
    #expect((150...300).contains(lost.provider.refused["timed_out"]))
    let settings = Self.fleet(load: 0.5)
    #expect(try Self.isRecovered(Self.outcome(settings, .slow, 0.9)))
    var slowed = try MachineWorld(
      settings.atRest(Disturbance(.slow, at: settings.pushAt, size: 0.1), andAfter: .zero))
    let slow = slowed.run().result
    // One a second of five.
    #expect((200...260).contains(slow.queue?.lengthPeak ?? 0))
  }
}

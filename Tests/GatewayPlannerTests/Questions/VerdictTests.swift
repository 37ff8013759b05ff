import GatewayCore
import GatewayFleet
import TestTraits
import Testing

@testable import GatewayPlanner

/// The verdict on a fleet, and the effect that keeps it down. `test_verdicts.py` has more fleets.
@Suite(.long)
struct VerdictTests {
  /// A fleet of 150 to 300 clients that asks for 2 tokens a second times `load`, of a provider that makes 2, with an
  /// outage a minute after the last client came.
  private static func fleet(
    load: Double, queue: Int = 60, outage: Int?, _ set: (inout WorldSettings) -> Void = { _ in }
  )
    -> WorldSettings
  {
    var plan = StormPlan()
    plan.life = .seconds(150)
    plan.clients = Int((2 * load * 150).rounded())
    plan.rate = Double(plan.clients) / 150
    plan.expiry = .own
    plan.waves = 1000
    plan.gateway.timeout = .seconds(1800)
    plan.reconnects = true
    var settings = WorldSettings(plan: plan, provider: ProviderModel(.rate(2), queue: queue))
    settings.isFirstTokenInHand = true
    if let outage { settings.provider.pauses = [.init(at: .seconds(210), length: .seconds(Int64(outage)))] }
    set(&settings)
    return settings
  }

  private static func answer(_ settings: WorldSettings, seeds: Int = 4) async throws -> VerdictSearch.Answer {
    try await VerdictSearch(settings, within: .seconds(150), seeds: seeds, scale: 100_000, threads: 2).run()
  }

  @Test
  func `a fleet that stays down after its own outage is metastable, by abandoned requests, and again so`() async throws
  {
    let settings = Self.fleet(load: 0.6, outage: 40)
    let one = try await Self.answer(settings)
    #expect(one.verdict == .metastable && one.sustained == .by(.abandonedRequests))
    #expect(one.own?.never == SeedShare(4, of: 4) && one.own?.percentile(0.5) == nil)
    let other = try await Self.answer(settings)
    #expect(other.sustained == one.sustained && other.own?.outcomes == one.own?.outcomes && other.worlds == one.worlds)
  }

  @Test
  func `a fleet whose demand exceeds its provider is overloaded, and its own outage is not tried`() async throws {
    let answer = try await Self.answer(Self.fleet(load: 1.3, outage: 40))
    #expect(answer.verdict == .overloaded && answer.own == nil && answer.sustained == nil)
  }

  @Test
  func `a fleet that is calm by itself stays down behind a full queue, unless requests are dropped`()
    async throws
  {
    let settings = Self.fleet(load: 0.5, outage: nil)
    func answer(_ settings: WorldSettings) async throws -> HysteresisSearch.Answer {
      let search = HysteresisSearch(settings, within: .seconds(150), scale: 100_000, threads: 2)
      return try await #require(search).run()
    }
    let found = try await answer(settings)
    let band = try #require(found.band)
    #expect(found.rows.map(\.load) == HysteresisSearch.loads && band.lowerBound < 0.8 && band.upperBound >= 0.8)
    var dropping = settings
    dropping.provider.abandoned = .drop
    #expect(try await answer(dropping).band.map { $0.lowerBound > 0.8 } ?? true)
    var unlimited = settings
    unlimited.provider.capacity = .unbounded
    #expect(HysteresisSearch(unlimited, within: .seconds(150), scale: 1000, threads: 1) == nil)
  }

  @Test
  func
    `requests of callers that have gone fill the queue once, and their tokens reach no client, with and without rotation`()
    throws
  {
    for rotates in [false, true] {
      let settings = Self.fleet(load: 0.1, outage: nil) { if rotates { $0.provider.rotation = RotationPolicy() } }
      let full = Disturbance(.backlog, at: settings.pushAt, size: 1)
      var world = try MachineWorld(settings.atRest(full, andAfter: .seconds(120)))
      let result = world.run().result
      let queue = try #require(result.queue)
      #expect(queue.lengthPeak == 60 && queue.madeForNobody >= 60)
    }
  }

  @Test
  func `the bounds of a share of seeds are Wilson's`() {
    func bounds(_ count: Int, _ of: Int) -> [Double] {
      let interval = SeedShare(count, of: of).interval
      return [interval.lowerBound, interval.upperBound].map { ($0 * 10_000).rounded() / 10_000 }
    }
    #expect(bounds(0, 20) == [0, 0.1611])
    #expect(bounds(10, 10) == [0.7225, 1])
    #expect(bounds(0, 0) == [0, 1])
  }
}

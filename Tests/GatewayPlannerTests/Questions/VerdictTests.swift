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
  func `a fleet whose tokens all end once, and whose provider has room, recovers from that`() throws {
    let settings = Self.fleet(load: 0.5, outage: nil) {
      $0.provider.capacity = .rate(100)
      $0.plan.expiry = .common
      $0.plan.expireAfter = 150
      $0.plan.waves = 1
    }
    var world = try MachineWorld(settings.asWritten(andAfter: .seconds(150)))
    guard case .recovered(let after) = world.run().result.recovery(within: 150) else {
      Issue.record("it has not recovered")
      return
    }
    #expect(after < 10)
  }

  /// All connections end once. Two tokens a second come back to a gateway that accepts fewer connections, or more.
  @Test(arguments: [(1.0, LoopCut.reconnects), (4.0, .abandonedRequests)])
  func `a gateway that accepts fewer connections than its provider makes tokens keeps its fleet down by reconnects`(
    accepts: Double, loop: LoopCut
  ) async throws {
    let settings = Self.fleet(load: 0.5, queue: 40, outage: nil) {
      $0.acceptsPerSecond = accepts
      $0.plan.connectTimeout = .seconds(10)
    }
    let restart = Disturbance(.restart, at: settings.pushAt, size: 1)
    let world = settings.atRest(restart, andAfter: .seconds(240))
    let search = SustainingSearch(world: world, within: .seconds(150), threads: 2, done: {})
    #expect(try await search.run([1, 2, 3]).0 == .by(loop))
  }

  @Test
  func `a cut after which the fleet recovers in time comes before one after which it takes longer`() async throws {
    let settings = Self.fleet(load: 0.6, queue: 20_000, outage: nil) {
      $0.plan.clients = 360
      $0.plan.life = .seconds(300)
      $0.plan.rate = 1.2
      $0.provider.pauses = [.init(at: .seconds(360), length: .seconds(45))]
      $0.plan.fetchTimeout = .seconds(60)
      $0.plan.gateway.timeout = .seconds(20)
    }
    func sustained(within: Duration) async throws -> Sustained {
      let world = settings.asWritten(andAfter: within)
      return try await SustainingSearch(world: world, within: within, threads: 2, done: {}).run([1, 2, 3]).0
    }
    #expect(try await sustained(within: .seconds(150)) == .by(.queue))
    #expect(try await sustained(within: .seconds(80)) == .by(.abandonedRequests))
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

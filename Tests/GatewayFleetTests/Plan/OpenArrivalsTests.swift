import GatewayCore
import Testing

@testable import GatewayFleet

struct OpenArrivalsTests {
  private static func arrivals(_ points: [(Double, Double)], _ length: Double) -> OpenArrivals {
    OpenArrivals(points: points.map { .init(at: $0.0, rate: $0.1) }, length: length)
  }

  private static func plan(_ arrivals: OpenArrivals) -> StormPlan {
    var plan = StormPlan()
    plan.expiry = .own
    plan.arrivals = arrivals
    return plan
  }

  @Test
  func `arrivals come by the area below the rate, in each of its stages`() {
    let pacer = ArrivalPacer(Self.arrivals([(0, 0), (10, 20), (20, 20), (20, 5), (30, 5)], 40))
    // 100 in the rise, 200 at 20 a second, 50 at 5, and 50 at the rate that stays.
    #expect(pacer.count == 400)
    for (index, seconds) in [(0, 0.0), (25, 5), (100, 10), (200, 15), (300, 20), (325, 25), (399, 39.8)] {
      #expect(abs(pacer.arrival(of: index).inSeconds - seconds) < 1e-6, "\(index)")
    }
    #expect((1..<400).allSatisfy { pacer.arrival(of: $0 - 1) < pacer.arrival(of: $0) })
  }

  @Test
  func `no client comes while the rate is 0, or after the end`() {
    let pacer = ArrivalPacer(Self.arrivals([(0, 0), (60, 0), (60, 10), (70, 10), (70, 0), (90, 0), (90, 10)], 95))
    #expect(pacer.count == 150 && pacer.arrival(of: 0) == .seconds(60) && pacer.arrival(of: 100) == .seconds(90))
    #expect(ArrivalPacer(Self.arrivals([(0, 0)], 10)).count == 0)
    #expect(ArrivalPacer(Self.arrivals([(50, 10)], 10)).count == 0)
  }

  @Test
  func `stays have the shares of their steps, and an exponential one its mean and its deviation`() {
    var plan = Self.plan(Self.arrivals([(0, 10)], 10))
    plan.arrivals?.stays = .steps(by: [.init(seconds: 30, share: 0.5), .init(seconds: 600, share: 0.5)])
    let stays = (0..<20_000).compactMap { plan.stay(of: $0)?.inSeconds }
    let short = stays.filter { $0 < 30 }
    // Four standard deviations of 20,000 draws.
    #expect(abs(short.count - 10_000) < 283 && stays.allSatisfy { (0..<600).contains($0) })
    #expect(abs(short.reduce(0, +) / Double(short.count) - 15) < 0.35)
    plan.arrivals?.stays = .exponential(mean: 40)
    let drawn = (0..<20_000).compactMap { plan.stay(of: $0)?.inSeconds }
    #expect(abs(drawn.reduce(0, +) / 20_000 - 40) < 1.14)
    #expect(abs(drawn.count { $0 > 40 } - 7_358) < 273)
    #expect(drawn.count { $0 > 120 } > 850 && drawn.count { $0 > 120 } < 1_141)
    plan.arrivals?.stays = .fixed(seconds: 7)
    #expect(plan.stay(of: 3) == .seconds(7))
    plan.arrivals?.stays = nil
    #expect(plan.stay(of: 3) == nil)
  }

  @Test
  func `a client keeps its life of tokens, and the lives have their shares`() {
    var plan = StormPlan()
    plan.lives = [.init(seconds: 60, share: 0.8), .init(seconds: 3600, share: 0.2)]
    let lives = (0..<20_000).map(plan.life(of:))
    #expect(lives == (0..<20_000).map(plan.life(of:)) && Set(lives) == [.seconds(60), .seconds(3600)])
    #expect(abs(lives.count { $0 == .seconds(60) } - 16_000) < 227)
    plan.lives = nil
    #expect(plan.life(of: 5) == plan.life)
  }

  private static let impossible: [([(Double, Double)], Double)] = [
    ([(0, -1)], 10), ([(5, 1), (0, 1)], 10), ([(0, 1)], 0), ([(0, .nan)], 10), ([(0, 1e9)], 10), ([(0, 0)], 10),
    ([], 10), ([(0, 1)], .infinity), ([(0, 1_000_000)], 2_592_000), ([(.nan, 1)], 10),
  ]

  @Test(arguments: impossible)
  func `impossible arrivals are refused`(points: [(Double, Double)], length: Double) {
    #expect(throws: StormPlanError.self) { try Self.plan(Self.arrivals(points, length)).check() }
  }

  @Test
  func `impossible stays and lives are refused, and a common expiry`() throws {
    let plan = Self.plan(Self.arrivals([(0, 10)], 10))
    try plan.check()
    for stays: OpenArrivals.Stays in [
      .fixed(seconds: 0), .exponential(mean: .nan), .steps(by: []), .steps(by: [.init(seconds: 5, share: 0)]),
      .steps(by: [.init(seconds: 5, share: 1), .init(seconds: 5, share: 1)]),
    ] {
      var other = plan
      other.arrivals?.stays = stays
      #expect(throws: StormPlanError.self) { try other.check() }
    }
    var other = plan
    other.lives = [.init(seconds: -1, share: 1)]
    #expect(throws: StormPlanError.self) { try other.check() }
    other = plan
    other.expiry = .common
    #expect(throws: StormPlanError.self) { try other.check() }
  }

  @Test
  func `one client at a time has a place, and an arrival beyond the maximum gets none`() {
    var places = ArrivalPlaces(most: 2)
    let taken = (0..<3).map { places.take(for: $0) }
    #expect(taken == [0, 1, nil] && places.taken == 2)
    let left = [(0, 0), (0, 0), (1, 0), (7, 0)].map { places.leave($0, $1) }
    #expect(left == [true, false, false, false])
    let (again, late) = (places.take(for: 3), places.leave(0, 0))
    #expect(again == 0 && !late && places.client(at: 0) == 3 && places.has(0, 3))
  }

  @Test
  func `a client of a storm of arrivals that is still logging in at its end has not failed, and one of a fleet has`() {
    var open = Ledger(start: .zero, onset: nil)
    for present in 1...3 { open.arrived(present: present) }
    open.record(.unfinished, .wellBehaved, at: .zero)
    #expect(open.result.connects.failed.total == 0 && open.result.arrivals?.unfinished == 1)
    #expect(open.result.arrivals?.planned == 3)
    var other = ArrivalTally()
    other.started = 5
    let sum = ArrivalTally.sum(open.result.arrivals, other)
    #expect(sum?.unfinished == 1 && sum?.started == 8)
    #expect(sum?.since(other).unfinished == 1 && other.since(other).unfinished == nil)
    var fleet = Ledger(start: .zero, onset: nil)
    fleet.record(.unfinished, .wellBehaved, at: .zero)
    #expect(fleet.result.connects.failed["unfinished"] == 1 && fleet.result.arrivals == nil)
  }
}

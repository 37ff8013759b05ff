import GatewayCore
import GatewayFleet
import Testing

struct StormPlanTests {
  @Test(arguments: [1, 7, 100, 999, 5000])
  func `shares become exact numbers of clients`(clients: Int) throws {
    let mix = try BehaviourMix(parsing: "well-behaved=90,slow=4,forgetful=2,stale=2,garbage=1,refused=1")
    let counts = mix.counts(of: clients)
    #expect(counts.values.reduce(0, +) == clients)
    for (behaviour, weight) in mix.weights {
      let exact = Double(clients) * weight / 100
      #expect(abs(Double(counts[behaviour] ?? 0) - exact) < 1)
    }
  }

  @Test
  func `equal seeds assign equal behaviours, other seeds assign others, both in exact numbers`() throws {
    let mix = try BehaviourMix(parsing: "well-behaved=3,slow=1")
    let first = mix.assignment(clients: 1000, seed: 7)
    #expect(first == mix.assignment(clients: 1000, seed: 7))
    #expect(first != mix.assignment(clients: 1000, seed: 8))
    #expect(first.count { $0 == .slow } == 250)
    // Shuffled, not in blocks: every tenth of the fleet contains slow ones.
    for start in stride(from: 0, to: 1000, by: 100) { #expect(first[start..<start + 100].contains(.slow)) }
  }

  @Test(arguments: ["", "slow", "fast=1", "slow=-1", "slow=0", "slow=1,slow=2", "slow=nan"])
  func `a meaningless mix is refused`(text: String) {
    #expect(throws: StormPlanError.self) { try BehaviourMix(parsing: text) }
  }

  @Test
  func `a mix is written as it was read`() throws {
    let text = "well-behaved=90,slow=4.5,forgetful=2"
    #expect(try BehaviourMix(parsing: text).description == text)
  }

  static let impossible: [@Sendable (inout StormPlan) -> Void] = [
    { $0.clients = 0 }, { $0.clients = 2_000_000 }, { $0.waves = 0 }, { $0.sources = 255 }, { $0.processes = 0 },
    { $0.loops = 65 }, { $0.fetches = 0 }, { $0.rate = 0 }, { $0.rate = .nan }, { $0.jitter = 1.1 },
    { $0.life = .zero }, { $0.hold = .seconds(-1) }, { $0.bound = 0 }, { $0.gateway.timeout = .zero },
  ]

  @Test(arguments: impossible.indices)
  func `an impossible plan is refused`(index: Int) {
    var plan = StormPlan()
    Self.impossible[index](&plan)
    #expect(throws: StormPlanError.self) { try plan.check() }
  }

  @Test
  func `clients without a renewal stay for the hold, however long tokens with lives of their own last`() {
    var plan = StormPlan()
    (plan.clients, plan.rate, plan.hold, plan.life) = (1001, 100, .seconds(2), .seconds(3600))
    #expect(plan.heldUntil == .seconds(12))
    plan.expiry = .own
    #expect(plan.heldUntil == .seconds(12))
    (plan.expiry, plan.expireAfter) = (.common, 30)
    #expect(plan.heldUntil == .seconds(30))
  }

  @Test
  func `tokens must not expire while clients still connect`() throws {
    var plan = StormPlan()
    plan.clients = 1000
    plan.rate = 100
    plan.expireAfter = 5
    #expect(throws: StormPlanError.self) { try plan.check() }
    plan.expireAfter = 12
    try plan.check()
    #expect(plan.expiresAfter == .seconds(12))
  }

  @Test
  func `tokens expire after the ramp and the hold, and the gateway asks earlier by its lead and spread`() {
    var plan = StormPlan()
    plan.clients = 1001
    plan.rate = 100
    plan.hold = .seconds(5)
    plan.gateway.lead = .seconds(2)
    plan.gateway.spread = .seconds(1)
    plan.gateway.timeout = .seconds(20)
    #expect(plan.expiresAfter == .seconds(15))
    #expect(plan.onset == .seconds(12))
    #expect(plan.end >= .seconds(35))
    plan.bound = 20
    #expect(plan.end == .seconds(20))
  }

  @Test
  func `source addresses are used in turn`() {
    var plan = StormPlan()
    #expect(plan.source(of: 3) == nil)
    plan.sources = 3
    #expect((0..<4).map { plan.source(of: $0) } == ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.1"])
  }
}

struct ArrivalPacerTests {
  @Test
  func `a constant rate spaces arrivals evenly`() {
    let pacer = ArrivalPacer(count: 100, rate: 50)
    #expect(pacer.arrival(of: 0) == .zero)
    #expect(pacer.arrival(of: 50) == .seconds(1))
    #expect(pacer.duration == .milliseconds(1980))
    #expect(pacer.arrivals(until: .milliseconds(-1)) == 0)
    #expect(pacer.arrivals(until: .zero) == 1)
    #expect(pacer.arrivals(until: .seconds(1)) == 51)
    #expect(pacer.arrivals(until: .seconds(60)) == 100)
  }

  @Test(arguments: [1.0, 4.0, 30.0])
  func `a ramp begins slowly, reaches the rate, and loses half of its length`(seconds: Double) {
    let pacer = ArrivalPacer(count: 100_000, rate: 1000, ramp: .milliseconds(Int64(seconds * 1000)))
    let inRamp = pacer.arrivals(until: .milliseconds(Int64(seconds * 1000)))
    #expect(abs(Double(inRamp) - 500 * seconds) <= 2)
    let first = pacer.arrivals(until: .milliseconds(Int64(seconds * 100)))
    #expect(abs(Double(first) - 5 * seconds) <= 2)
    #expect(abs(pacer.duration.inSeconds - (99.999 + seconds / 2)) < 0.001)
  }

  @Test
  func `arrivals never go back in time`() {
    let pacer = ArrivalPacer(count: 5000, rate: 700, ramp: .seconds(3))
    for index in 1..<5000 { #expect(pacer.arrival(of: index) >= pacer.arrival(of: index - 1)) }
  }
}

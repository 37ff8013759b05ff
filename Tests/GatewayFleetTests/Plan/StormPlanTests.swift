import GatewayCore
import GatewayFleet
import Testing

@Suite("A storm's plan")
struct StormPlanTests {
  @Test("shares become exact numbers of clients", arguments: [1, 7, 100, 999, 5000])
  func exactShares(clients: Int) throws {
    let mix = try BehaviourMix(parsing: "well-behaved=90,slow=4,forgetful=2,stale=2,garbage=1,refused=1")
    let counts = mix.counts(of: clients)
    #expect(counts.values.reduce(0, +) == clients)
    for (behaviour, weight) in mix.weights {
      let exact = Double(clients) * weight / 100
      #expect(abs(Double(counts[behaviour] ?? 0) - exact) < 1)
    }
  }

  @Test("the same seed assigns the same behaviours, another seed assigns others, both in exact numbers")
  func seededAssignment() throws {
    let mix = try BehaviourMix(parsing: "well-behaved=3,slow=1")
    let first = mix.assignment(clients: 1000, seed: 7)
    #expect(first == mix.assignment(clients: 1000, seed: 7))
    #expect(first != mix.assignment(clients: 1000, seed: 8))
    #expect(first.count { $0 == .slow } == 250)
    // Shuffled, not in blocks: every tenth of the fleet contains slow ones.
    for start in stride(from: 0, to: 1000, by: 100) { #expect(first[start..<start + 100].contains(.slow)) }
  }

  @Test(
    "a mix that means nothing is refused",
    arguments: ["", "slow", "fast=1", "slow=-1", "slow=0", "slow=1,slow=2", "slow=nan"])
  func refusedMix(text: String) {
    #expect(throws: StormPlanError.self) { try BehaviourMix(parsing: text) }
  }

  @Test("a mix is written as it is read")
  func writtenMix() throws {
    let text = "well-behaved=90,slow=4.5,forgetful=2"
    #expect(try BehaviourMix(parsing: text).description == text)
  }

  static let impossible: [@Sendable (inout StormPlan) -> Void] = [
    { $0.clients = 0 }, { $0.clients = 2_000_000 }, { $0.waves = 0 }, { $0.sources = 255 }, { $0.processes = 0 },
    { $0.loops = 65 }, { $0.fetches = 0 }, { $0.rate = 0 }, { $0.rate = .nan }, { $0.jitter = 1.1 },
    { $0.life = .zero }, { $0.hold = .seconds(-1) }, { $0.bound = 0 }, { $0.gateway.timeout = .zero },
  ]

  @Test("an impossible plan is refused", arguments: impossible.indices)
  func impossiblePlan(index: Int) {
    var plan = StormPlan()
    Self.impossible[index](&plan)
    #expect(throws: StormPlanError.self) { try plan.check() }
  }

  @Test("where nothing is renewed clients stay for the hold, however long tokens live that expire each by itself")
  func held() {
    var plan = StormPlan()
    (plan.clients, plan.rate, plan.hold, plan.life) = (1001, 100, .seconds(2), .seconds(3600))
    #expect(plan.heldUntil == .seconds(12))
    plan.expiry = .own
    #expect(plan.heldUntil == .seconds(12))
    (plan.expiry, plan.expireAfter) = (.common, 30)
    #expect(plan.heldUntil == .seconds(30))
  }

  @Test("tokens must not expire while clients still connect")
  func expiryInRamp() throws {
    var plan = StormPlan()
    plan.clients = 1000
    plan.rate = 100
    plan.expireAfter = 5
    #expect(throws: StormPlanError.self) { try plan.check() }
    plan.expireAfter = 12
    try plan.check()
    #expect(plan.expiresAfter == .seconds(12))
  }

  @Test("tokens expire after the ramp and the hold, and the gateway asks its lead and spread earlier")
  func times() {
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

  @Test("source addresses go round")
  func sources() {
    var plan = StormPlan()
    #expect(plan.source(of: 3) == nil)
    plan.sources = 3
    #expect((0..<4).map { plan.source(of: $0) } == ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.1"])
  }
}

@Suite("The pace of arrivals")
struct ArrivalPacerTests {
  @Test("a constant rate spaces arrivals evenly")
  func constant() {
    let pacer = ArrivalPacer(count: 100, rate: 50)
    #expect(pacer.arrival(of: 0) == .zero)
    #expect(pacer.arrival(of: 50) == .seconds(1))
    #expect(pacer.duration == .milliseconds(1980))
    #expect(pacer.arrivals(until: .milliseconds(-1)) == 0)
    #expect(pacer.arrivals(until: .zero) == 1)
    #expect(pacer.arrivals(until: .seconds(1)) == 51)
    #expect(pacer.arrivals(until: .seconds(60)) == 100)
  }

  @Test("a ramp begins slowly, reaches the rate, and loses half of its length", arguments: [1.0, 4.0, 30.0])
  func ramp(seconds: Double) {
    let pacer = ArrivalPacer(count: 100_000, rate: 1000, ramp: .milliseconds(Int64(seconds * 1000)))
    let inRamp = pacer.arrivals(until: .milliseconds(Int64(seconds * 1000)))
    #expect(abs(Double(inRamp) - 500 * seconds) <= 2)
    let first = pacer.arrivals(until: .milliseconds(Int64(seconds * 100)))
    #expect(abs(Double(first) - 5 * seconds) <= 2)
    #expect(abs(pacer.duration.inSeconds - (99.999 + seconds / 2)) < 0.001)
  }

  @Test("arrivals never go back in time")
  func monotonic() {
    let pacer = ArrivalPacer(count: 5000, rate: 700, ramp: .seconds(3))
    for index in 1..<5000 { #expect(pacer.arrival(of: index) >= pacer.arrival(of: index - 1)) }
  }
}

import GatewayCore
import GatewayFleet
import TestTraits
import Testing

@testable import GatewayPlanner

/// Calls of a token endpoint under rules for retries, compared with calculations on paper.
struct RetryTests {
  /// Simulates logins at a provider of which a share of the calls fails. Each client tries so often.
  private static func logins(
    _ clients: Int = 4000, failing share: Double, tries: Int, _ rule: RetryRule? = nil,
    _ set: (inout WorldSettings) -> Void = { _ in }
  ) throws -> StormResult {
    var plan = StormPlan()
    plan.clients = clients
    plan.rate = 200
    plan.expireAfter = 7200
    plan.loginTries = tries
    plan.retry = rule
    var provider = ProviderModel(.unbounded)
    provider.failures = share
    var settings = WorldSettings(plan: plan, provider: provider)
    settings.duration = .seconds(600)
    set(&settings)
    var world = try MachineWorld(settings)
    return world.run().result
  }

  @Test(.long, arguments: [0.3, 0.5, 0.8])
  func `calls for each first call are (1 − f^n) / (1 − f), within four standard deviations`(failing: Double) throws {
    let tries = 4
    let result = try Self.logins(failing: failing, tries: tries)
    var expected = 0.0
    var square = 0.0
    for n in 1...tries {
      var share = 1.0
      for _ in 1..<n { share *= failing }
      if n < tries { share *= 1 - failing }
      expected += Double(n) * share
      square += Double(n * n) * share
    }
    let deviation = ((square - expected * expected) * 4000).squareRoot()
    #expect(abs(Double(result.provider.calls) - 4000 * expected) <= 4 * deviation)
    #expect(result.provider.heldBack == nil)
  }

  @Test(.long, arguments: [0.3, 0.8])
  func `a budget that all clients share lets its capacity and the deposits through as retries, and no more`(
    failing: Double
  ) throws {
    let rule = RetryRule(per: .fleet, budget: .init(deposit: 0.1, capacity: 25))
    let result = try Self.logins(failing: failing, tries: 10, rule)
    let retries = result.provider.calls - 4000
    let allowed = 25 + result.provider.granted / 10
    // The part of the budget that the tokens of the first second put back is lost: the budget is full until the first failures are tried again.
    #expect((allowed - 30...allowed).contains(retries))
    #expect(result.provider.calls <= Int(4000 * 1.1) + 25)
    #expect((result.provider.heldBack ?? 0) > 0)
  }

  @Test(.long)
  func `with a budget for each of many small clients there are as many calls as without one`() throws {
    let plain = try Self.logins(failing: 0.5, tries: 10)
    let rule = RetryRule(budget: .init(deposit: 0.1, capacity: 10))
    let budgeted = try Self.logins(failing: 0.5, tries: 10, rule)
    #expect(budgeted.provider == plain.provider)
    let tight = try Self.logins(failing: 0.5, tries: 10, RetryRule(budget: .init(deposit: 0, capacity: 1)))
    // One retry each: half of the clients make two calls.
    #expect((5880...6120).contains(tight.provider.calls))
  }

  @Test
  func `a breaker that all clients share makes its failures and then one call for each time that it is open`() throws {
    let rule = RetryRule(per: .fleet, breaker: .init(failures: 5, of: 10, open: .seconds(30), probes: 1))
    let result = try Self.logins(200, failing: 1, tries: 1_000_000, rule)
    // Calls of 40 ms were under way when it opened, eight at the most; then there is a probe after each half minute.
    #expect((5 + 18...5 + 20 + 8).contains(result.provider.calls))
    #expect(result.provider.granted == 0)
  }

  @Test
  func `clients that hammer obey no rule for retries`() throws {
    let rule = RetryRule(budget: .init(deposit: 0, capacity: 0))
    let result = try Self.logins(10, failing: 1, tries: 10, rule) {
      $0.plan.behaviours = (try? BehaviourMix([.hammering: 1])) ?? .allWell
      $0.duration = .seconds(10)
    }
    #expect(result.provider.calls > 1000 && result.provider.heldBack == nil)
  }

  @Test
  func `the least recent request is served first up to half a queue, and the latest beyond it`() {
    var model = ProviderModel(.rate(1), queue: 4)
    model.order = .adaptive
    var state = ProviderState(model, seed: 1)
    for place in UInt32(0)..<3 { _ = state.wait(place) }
    let order = [state.takeWaiting(), state.takeWaiting(), state.takeWaiting(), state.takeWaiting()]
    #expect(order == [2, 0, 1, nil])
  }

  @Test
  func `clients that share refresh tokens wait for no request that their budget held back`() throws {
    let rule = RetryRule(per: .fleet, budget: .init(deposit: 0, capacity: 3))
    let result = try Self.logins(200, failing: 0.5, tries: 10, rule) {
      $0.plan.life = .seconds(60)
      $0.plan.expireAfter = nil
      $0.plan.expiry = .own
      $0.plan.waves = 3
      $0.plan.grants = GrantPlan()
      $0.provider.rotation = RotationPolicy()
    }
    #expect((result.provider.heldBack ?? 0) > 0 && result.provider.granted > 100)
  }
}

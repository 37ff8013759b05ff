import GatewayCore
import GatewayFleet
import TestTraits
import Testing

@testable import GatewayPlanner

/// Clients that hammer, and the budgets that answer them, compared with calculations on paper.
struct BudgetTests {
  /// Simulates clients that hammer a provider that refuses everything: a round trip of 2 ms and a pause of 8 ms.
  private static func loop(
    clients: Int = 10, seconds: Double, _ budgets: [RequestBudget] = [], _ set: (inout WorldSettings) -> Void = { _ in }
  ) throws -> StormResult {
    var plan = StormPlan()
    plan.clients = clients
    plan.rate = 1_000_000
    plan.behaviours = try BehaviourMix([.hammering: 1])
    plan.hammerPause = 0.008
    plan.expireAfter = 3600
    var provider = ProviderModel(.rate(1000), queue: 1000)
    provider.pauses = [.init(at: .zero, length: .seconds(3000), refuses: true)]
    provider.budgets = budgets
    let link = LinkModel(latency: .milliseconds(1)...(.milliseconds(1)))
    var settings = WorldSettings(plan: plan, provider: provider, link: link)
    settings.duration = .saturating(seconds: seconds)
    set(&settings)
    var world = try MachineWorld(settings)
    return world.run().result
  }

  @Test
  func `looping clients send one request for each round trip and pause`() throws {
    let result = try Self.loop(seconds: 20)
    #expect((19_990...20_010).contains(result.provider.calls))
    #expect(result.provider.calls(of: .hammering) == result.provider.calls && result.provider.granted == 0)
    #expect(result.provider.budgets == nil)
  }

  @Test
  func `the first 429 comes after the limit times round trip and pause`() throws {
    let budget = RequestBudget(.user, limit: 50, window: .seconds(10))
    #expect(try Self.loop(seconds: 0.5, [budget]).provider.budgets == nil)
    // Requests 51 to 75 of each client.
    #expect(try Self.loop(seconds: 0.75, [budget]).provider.budgets?.limited == 250)
  }

  @Test(.long)
  func `a budget lets its limit through in each window for each looping client, and no more`() throws {
    let result = try Self.loop(seconds: 100, [RequestBudget(.user, limit: 50, window: .seconds(10))])
    let limited = try #require(result.provider.budgets).limited
    #expect(result.provider.calls - limited - result.unansweredCalls == 10 * 10 * 50)
    #expect(result.provider.budgets?.innocentAnswers == 0)
    #expect(result.provider.refused["http_429"] == limited)
  }

  @Test(.long)
  func `a ban answers 403 from its beginning to its end`() throws {
    var budget = RequestBudget(.user, limit: 50, window: .seconds(10))
    budget.ban = .init(after: 20, within: .seconds(60), length: .seconds(30))
    let result = try Self.loop(seconds: 30, [budget])
    let tally = try #require(result.provider.budgets)
    #expect(tally.limited == 10 * 20)
    // From 0.7 s to the end there are 2,930 requests of each.
    #expect((29_290...29_310).contains(tally.banned))
    #expect(tally.clients == [.hammering: 10])
  }

  @Test
  func `innocent clients behind a looping client's address are counted, and clients elsewhere are not`() throws {
    var budget = RequestBudget(.address, limit: 100, window: .seconds(3600))
    budget.advice = .none
    let result = try Self.loop(clients: 1000, seconds: 20, [budget]) {
      $0.plan.behaviours = BehaviourMix.allWell
      $0.plan.usersPerAddress = 10
      // Nobody hammers: a fleet of 10 for each address stays within 100 an hour until the tries of its login are over.
      $0.plan.loginTries = 9
      $0.provider.pauses = []
    }
    #expect(result.provider.budgets == nil && result.connects.accepted == 1000)
    let looped = try Self.loop(clients: 1000, seconds: 20, [budget]) {
      $0.plan.behaviours = (try? BehaviourMix([.wellBehaved: 999, .hammering: 1])) ?? .allWell
      $0.plan.usersPerAddress = 10
      $0.plan.loginTries = 1_000
      // Five seconds are a few tries of each client, and five hundred of the looper.
      $0.provider.pauses = [.init(at: .zero, length: .seconds(5), refuses: true)]
    }
    let tally = try #require(looped.provider.budgets)
    // The nine neighbours of the one that loops.
    #expect(tally.innocentClients == 9 && tally.clients == [.wellBehaved: 9, .hammering: 1])
    #expect(looped.connects.accepted == 990)
  }

  @Test
  func `a budget of logins lets renewals pass, and a budget for all clients together grows with the fleet`() throws {
    var logins = RequestBudget(.all, limit: 60, window: .seconds(3600))
    logins.purpose = .login
    var settings = WorldSettings(plan: StormPlan(), provider: ProviderModel(.unbounded))
    settings.plan.clients = 100
    settings.plan.expireAfter = 20
    settings.plan.loginTries = 1
    settings.provider.budgets = [logins]
    var world = try MachineWorld(settings)
    let result = world.run().result
    #expect(result.connects.accepted == 60 && result.everybody.kept == 60)
    #expect(result.tokens.refresh.granted == 60 && result.provider.budgets?.innocentClients == 40)
    #expect(settings.scaled(toClients: 1000, withProvider: true).provider.budgets[0].limit == 600)
    #expect(settings.scaled(toClients: 1, withProvider: true).provider.budgets[0].limit == 1)
  }

  @Test(arguments: [RequestBudget.Advice.left, .seconds(7), .spread(3...9), .date, .none])
  func `every Retry-After of a budget ends at the same time in any run, and a client obeys it`(
    advice: RequestBudget.Advice
  ) throws {
    func run() throws -> StormResult {
      var budget = RequestBudget(.all, limit: 30, window: .seconds(5))
      budget.advice = advice
      return try Self.loop(clients: 200, seconds: 120, [budget]) {
        $0.plan.behaviours = .allWell
        $0.plan.loginTries = 1_000
        $0.provider.pauses = []
      }
    }
    let one = try run()
    #expect(try run() == one)
    // 30 in each five seconds; a client that waits as told is not asked to wait much longer.
    #expect(one.connects.accepted == 200)
    #expect(try #require(one.provider.budgets).innocentClients == 170)
  }

  @Test
  func `a budget by user counts everybody that comes, although few are there at one time`() {
    var settings = WorldSettings(plan: StormPlan(), provider: ProviderModel(.rate(1000), queue: 100))
    settings.plan.clients = 100
    settings.plan.arrivals = OpenArrivals(
      points: [.init(at: 0, rate: 1000)], stays: .fixed(seconds: 1), length: 1000)
    let without = MachineWorld.bytes(settings)
    settings.provider.budgets = [RequestBudget(.user, limit: 5, window: .seconds(60))]
    #expect((MachineWorld.bytes(settings) - without) / 1_000_000 >= 60)
  }
}

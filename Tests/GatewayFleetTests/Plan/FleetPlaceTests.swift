import Foundation
import GatewayCore
import Testing

@testable import GatewayFleet

/// Several fleets of one storm: their plans, and their outcomes together.
struct FleetPlaceTests {
  private static func plan(_ clients: Int, _ set: (inout StormPlan) -> Void = { _ in }) -> StormPlan {
    var plan = StormPlan()
    plan.clients = clients
    set(&plan)
    return plan
  }

  private static func split(_ names: [String], seed: UInt64 = 7) -> [StormPlan] {
    StormPlan.split(names.map { (FleetPlace(name: $0), plan(10)) }, seed: seed)
  }

  @Test
  func `clients, users and addresses are numbered on from fleet to fleet`() {
    var grants = GrantPlan()
    (grants.devices, grants.tabs) = (2, 2)
    let plans = StormPlan.split(
      [
        (FleetPlace(name: "web"), Self.plan(30) { $0.grants = grants }),
        (FleetPlace(name: "mobile"), Self.plan(7) { $0.sources = 3 }), (FleetPlace(name: "kiosk"), Self.plan(5)),
      ], seed: 1)
    #expect(plans.map { $0.number(of: 2) } == [2, 32, 39])
    #expect(plans.compactMap(\.fleet?.firstUser) == [0, 8, 15])
    #expect(plans.compactMap(\.fleet?.firstAddress) == [0, 0, 3])
    #expect(plans[1].source(of: 4) == "127.0.0.2" && plans[0].source(of: 4) == nil)
    #expect(Self.plan(5).number(of: 2) == 2)
  }

  @Test
  func `the seed of a fleet depends on its name and the storm's seed alone`() {
    let one = Self.split(["web"])[0]
    let three = Self.split(["kiosk", "web", "mobile"])
    #expect(three[1].seed == one.seed && Set(three.map(\.seed)).count == 3)
    #expect(Self.split(["web"], seed: 8)[0].seed != one.seed)
    #expect(three.allSatisfy { $0.seed < 1 << 53 })
  }

  @Test(arguments: [("web", true), ("a-b_C9", true), ("", false), ("a b", false), ("a:b", false), ("a.b", false)])
  func `a fleet's name has letters, digits, hyphens and underscores`(name: String, isName: Bool) {
    #expect(FleetPlace.isName(name) == isName)
    #expect(!FleetPlace.isName(String(repeating: "x", count: 41)))
  }

  @Test
  func `the outcome of several fleets is their sum, and the parts of a group are found by its name`() throws {
    func result(_ place: FleetPlace, _ logins: Int) -> FleetResult {
      var result = StormResult()
      result.connects.accepted = logins
      result.horizon = [logins, 1]
      return FleetResult(place, result)
    }
    let fleets = [
      result(FleetPlace(name: "web"), 5), result(FleetPlace(name: "mobile.swift", group: "mobile"), 20),
      result(FleetPlace(name: "mobile.android", group: "mobile"), 300),
    ]
    let whole = StormResult.whole(fleets)
    #expect(whole.connects.accepted == 325 && whole.horizon == [325, 3] && whole.fleets?.count == 3)
    #expect(whole.fleet(named: "mobile")?.connects.accepted == 320)
    #expect(whole.fleet(named: "mobile.swift")?.connects.accepted == 20 && whole.fleet(named: "tv") == nil)
    var twice = whole
    twice.merge(whole)
    #expect(twice.fleets?.count == 3 && twice.fleet(named: "web")?.connects.accepted == 10)
  }

  @Test
  func `the time until a share is refreshed is not that of fleets whose tokens expire one by one`() {
    func result(_ name: String, hasOnset: Bool) -> FleetResult {
      var result = StormResult()
      result.refreshes.accepted = 1
      if hasOnset { result.latencies.sinceOnset.record(.seconds(1)) }
      return FleetResult(FleetPlace(name: name), result)
    }
    let common = [result("web", hasOnset: true), result("tv", hasOnset: true)]
    #expect(StormResult.whole(common).latencies.sinceOnset.count == 2)
    #expect(StormResult.whole(common + [result("mobile", hasOnset: false)]).latencies.sinceOnset.count == 0)
  }

  @Test
  func `the phases of several fleets begin with the last to connect and the first to be asked`() throws {
    let json = #"{"phases": [{"name": "a", "from": "hold"}, {"name": "b", "from": "wave"}]}"#
    let scenario = try JSONDecoder().decode(StormScenario.self, from: Data(json.utf8))
    let plans = [
      Self.plan(100) { ($0.rate, $0.expireAfter) = (10, 90) }, Self.plan(100) { ($0.rate, $0.expireAfter) = (5, 70) },
    ]
    let times = try scenario.times(of: plans)
    #expect(times.phases.map(\.start) == [plans[1].pacer.duration, plans[1].onset])
    #expect(try scenario.times(of: plans[0]).phases[1].start == plans[0].onset)
  }
}

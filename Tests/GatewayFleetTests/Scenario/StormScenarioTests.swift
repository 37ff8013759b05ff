import Foundation
import GatewayCore
import TestSupport
import Testing

@testable import GatewayFleet

struct StormScenarioTests {
  static func scenario(_ text: String) throws -> StormScenario {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    return try decoder.decode(StormScenario.self, from: Data(text.utf8))
  }

  private static func reason(_ text: String) -> String {
    do {
      _ = try scenario(text)
      return ""
    } catch DecodingError.dataCorrupted(let context) {
      return context.debugDescription
    } catch {
      return "\(error)"
    }
  }

  @Test
  func `a scenario describes for each phase when it begins, what is ordered and which thresholds must hold`() throws {
    let scenario = try Self.scenario(
      """
      { // As people write it.
        "phases": [
          {"name": "calm", "for_s": 3},
          {"name": "away", "from": "wave", "after_s": -1.5, "for_s": 30, "order": "revoke",
           "faults": [{"fault": "mint_refused", "status": 503, "who": {"share": 0.5}}], "thresholds": ["cut_off == 0"]},
          {"name": "after", "for_s": 10},
        ]
      }
      """)
    #expect(scenario.phases.map(\.name) == ["calm", "away", "after"])
    #expect(scenario.phases[1].order == .revoke && scenario.phases[1].thresholds == ["cut_off == 0"])
    let fault = PlainJSON.object([
      "fault": .text("mint_refused"), "status": .integer(503), "who": .object(["share": .number(0.5)]),
    ])
    #expect(scenario.phases[1].faults == [fault])
    #expect(try JSONDecoder().decode(PlainJSON.self, from: JSONEncoder().encode(fault)) == fault)
    var plan = StormPlan()
    plan.expireAfter = 20
    let times = try scenario.times(of: plan)
    #expect(times.phases.map(\.start) == [.zero, .seconds(18.5), .seconds(48.5)] && times.end == .seconds(58.5))
    #expect(times.disturbedUntil == .seconds(48.5), "the faults last as long as their phase")
    let order = try Self.scenario(
      """
      {"phases": [{"name": "a"}, {"name": "b", "from": "start", "after_s": 4, "for_s": 9, "order": "expire"}]}
      """)
    #expect(try order.times(of: plan).disturbedUntil == .seconds(4), "an order is given in a moment")
    let calm = try Self.scenario("{\"phases\": [{\"name\": \"a\", \"for_s\": 9}]}")
    #expect(try calm.times(of: plan).disturbedUntil == nil)
    plan.gateway.lead = .seconds(19)
    #expect(throws: StormPlanError.self) { try scenario.times(of: plan) }
  }

  @Test(arguments: [
    ("{\"phases\": []}", "1 to 100 phases"), ("{\"phase\": []}", "'phase' means nothing here; expected phases"),
    ("{\"phases\": [{\"name\": \"a\", \"form\": \"wave\"}]}", "expected name, from"),
    ("{\"phases\": [{\"name\": \"a\", \"from\": \"top\"}]}", "expected start, hold, wave"),
    ("{\"phases\": [{\"name\": \"a\", \"order\": \"reboot\"}]}", "expected expire, refresh, revoke"),
    ("{\"phases\": [{\"name\": \"a\", \"for_s\": -1}]}", "expected 0.0 to"),
    ("{\"phases\": [{\"name\": \"a\", \"for_s\": 1e300}]}", "expected 0.0 to"),
    ("{\"phases\": [{\"name\": \"\"}]}", "1 to 60 bytes"),
    ("{\"phases\": [{\"name\": \"a\", \"faults\": [503]}]}", "a fault is an object"),
    ("{\"phases\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}", "'b' needs a \"from\", or 'a' a \"for_s\""),
    ("{\"phases\": [{\"name\": \"a\", \"for_s\": 1}, {\"name\": \"a\"}]}", "two phases are called 'a'"),
  ])
  func `a scenario that cannot be carried out is refused, and the error names what would be right`(
    text: String, says: String
  ) {
    #expect(Self.reason(text).contains(says), "\(Self.reason(text))")
  }

  @Test
  func `each phase has its own counts, which add up to the storm's`() throws {
    var storm = try VirtualStorm()
    storm.plan.behaviours = try BehaviourMix(parsing: "well-behaved=90,forgetful=10")
    storm.refreshTimeout = .seconds(20)
    // A hundred clients a second for two seconds; refreshes are requested 7.2 s after the start, and clients closed 20
    // s later.
    storm.scenario = try Self.scenario(
      """
      {"phases": [{"name": "ramp", "for_s": 4}, {"name": "idle", "for_s": 1}, {"name": "wave", "from": "wave", "for_s": 10},
        {"name": "cut", "for_s": 30}]}
      """)
    let result = try storm.run().result
    let phases = try #require(result.phases)
    #expect(phases.map(\.name) == ["ramp", "idle", "wave", "cut"])
    #expect(phases.map(\.from) == [0, 4, 7.2, 17.2] && phases.map(\.to).dropLast() == [4, 7.2, 17.2])
    #expect(result.seconds >= 47, "the storm lasts as long as its scenario")
    #expect(phases.map(\.result.connects.accepted) == [200, 0, 0, 0])
    #expect(phases.map { $0.result.connects.before ?? -1 } == [0, 200, 200, 200])
    #expect(phases.map(\.result.refreshes.asked) == [0, 0, 200, 0])
    #expect(phases.map(\.result.refreshes.accepted) == [0, 0, 180, 0])
    #expect(phases.map(\.result.disconnects.total) == [0, 0, 0, 20])
    #expect(phases.map(\.result.provider.calls) == [200, 0, 180, 0])
    #expect(phases.map(\.result.latencies.connect.count) == [200, 0, 0, 0])
    let whole = try #require(result.behaviours[.wellBehaved]?.refreshLatency)
    let wave = try #require(phases[2].result.behaviours[.wellBehaved]?.refreshLatency)
    #expect(wave.count == 180 && wave.quantile(0.99) == whole.quantile(0.99))
    #expect(phases[2].result.bins.accepted.total == 180 && phases[0].result.bins.accepted.total == 0)
  }

  @Test
  func `a storm without a scenario has no phases, and a shortened storm has the phases that began`() throws {
    var storm = try VirtualStorm()
    #expect(try storm.run().result.phases == nil)
    storm.scenario = try Self.scenario(
      "{\"phases\": [{\"name\": \"all\"}, {\"name\": \"never\", \"from\": \"start\", \"after_s\": 600}]}")
    storm.plan.bound = 30
    let phases = try #require(try storm.run().result.phases)
    #expect(phases.map(\.name) == ["all"] && phases[0].result.refreshes.accepted == 200)
  }

  @Test
  func `a record since a moment is the difference of two histograms`() {
    var earlier = LatencyHistogram()
    for milliseconds in 1...50 { earlier.record(.milliseconds(milliseconds)) }
    var later = earlier
    var own = LatencyHistogram()
    for milliseconds in 200...300 {
      later.record(.milliseconds(milliseconds))
      own.record(.milliseconds(milliseconds))
    }
    let part = later.since(earlier)
    #expect(part.count == own.count && part.mean == own.mean)
    #expect(part.quantile(0.5) == own.quantile(0.5) && part.maximum == own.maximum)
    #expect(part.minimum! <= own.minimum! && part.minimum! > .milliseconds(190))
  }
}

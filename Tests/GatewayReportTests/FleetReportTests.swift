import Foundation
import GatewayCore
import Testing

@testable import GatewayFleet
@testable import GatewayReport

/// The report of a storm with several fleets.
struct FleetReportTests {
  private static let places = [
    FleetPlace(name: "web"), FleetPlace(name: "mobile.swift", group: "mobile"),
    FleetPlace(name: "mobile.android", group: "mobile"),
  ]

  private static func result(kept: Int, lost: Int) -> StormResult {
    var result = StormResult()
    result.connects.accepted = kept + lost
    result.behaviours[.wellBehaved] = StormResult.BehaviourTally()
    result.behaviours[.wellBehaved]?.clients = kept + lost
    result.behaviours[.wellBehaved]?.connected = kept + lost
    result.behaviours[.wellBehaved]?.kept = kept
    result.behaviours[.wellBehaved]?.lostUnexpectedly = lost
    return result
  }

  /// A report of 100, 60 and 40 clients, of which 0, 6 and 2 were lost.
  private static func report(_ thresholds: [String] = [], _ change: (inout [FleetResult]) -> Void = { _ in }) throws
    -> StormReport
  {
    var results = [
      FleetResult(places[0], result(kept: 100, lost: 0)), FleetResult(places[1], result(kept: 54, lost: 6)),
      FleetResult(places[2], result(kept: 38, lost: 2)),
    ]
    change(&results)
    let plans = StormPlan.split(
      zip(places, [100, 60, 40]).map { place, clients in
        var plan = StormPlan()
        plan.clients = clients
        return (place, plan)
      }, seed: 1)
    let fleets = zip(results, plans).map { result, plan in
      FleetReport(
        plan.fleet ?? places[0], plan: plan, gateway: "ws://\(result.name)", provider: "http://\(result.name)",
        result: result.result)
    }
    return StormReport(
      plan: .whole(plans, seed: 1), gateway: "two gateways", provider: "one",
      startedAt: WallTime(seconds: 1_800_000_000),
      machine: Machine(cores: 2, memoryBytes: 8 << 30, processor: "fast", system: "Debian", kernel: "6.1"),
      result: .whole(results), thresholds: try thresholds.map { try Threshold(parsing: $0) }, fleets: fleets)
  }

  @Test
  func `a table has a row for each fleet, and one for the sum of the parts of a fleet`() throws {
    let report = try Self.report()
    #expect(
      report.fleetRows.map { Array($0.prefix(2)) + [$0[3]] } == [
        ["web", "100", "0"], ["mobile", "100", "8"], ["  mobile.swift", "60", "6"], ["  mobile.android", "40", "2"],
      ])
    #expect(report.table[0] == "Storm of 200 clients on two gateways, 3 fleets, seed 1")
    #expect(report.html.contains("mobile.android") && report.html.contains("<h2>Fleets</h2>"))
  }

  @Test(arguments: [
    ("web:lost == 0", true), ("mobile: lost == 8", true), ("mobile.swift:lost.share <= 10%", true),
    ("mobile.android : lost == 0", false), ("lost == 8", true), ("tv:lost == 0", false),
  ])
  func `a threshold with the name of a fleet is about that fleet`(text: String, holds: Bool) throws {
    let report = try Self.report([text])
    #expect(report.thresholds.map(\.holds) == [holds] && report.passes == holds)
  }

  @Test
  func `a threshold of a fleet keeps its name, and takes no second one`() throws {
    let threshold = try Threshold(parsing: "lost == 0").of(fleet: "web")
    #expect(threshold.description == "web:lost == 0" && threshold.fleet == "web")
    #expect(throws: ThresholdError.self) { try threshold.of(fleet: "tv") }
    #expect(throws: ThresholdError.self) { try Threshold(parsing: "web:lots == 0") }
  }

  @Test
  func `what all fleets have is said once, and what one has with its name`() throws {
    let report = try Self.report { results in
      for index in results.indices { results[index].result.wasInterrupted = true }
      results[1].result.errors.count("unmatched")
    }
    #expect(report.caveats.count { $0.hasPrefix("interrupted after") } == 1)
    #expect(report.caveats.contains { $0.hasPrefix("mobile.swift: no rule of the wire's description") })
  }

  @Test
  func `the JSON report has the plan, the figures and the counts of each fleet`() throws {
    let json = try Self.report().json()
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    let fleets = try #require(object["fleets"] as? [[String: Any]])
    #expect(fleets.map { $0["name"] as? String } == ["web", "mobile.swift", "mobile.android"])
    let plan = try #require(fleets[2]["plan"] as? [String: Any])
    #expect(plan["clients"] as? Int == 40 && (plan["fleet"] as? [String: Any])?["first_client"] as? Int == 160)
    #expect((object["result"] as? [String: Any])?["fleets"] == nil)
    let recorded = try RecordedReport(json: json)
    #expect(recorded.hasFleets && recorded.figures["lost"]?.value == 8)
    let comparison = ReportComparison(base: recorded, value: recorded)
    #expect(comparison.caveats.contains("the sums of all fleets are compared, not the figures of each"))
  }
}

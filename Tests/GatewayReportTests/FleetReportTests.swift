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
    #expect(recorded.fleets.map(\.name) == ["web", "mobile.swift", "mobile.android"])
    #expect(
      recorded.figures["lost"]?.value == 8 && recorded.fleets.map { $0.report.figures["lost"]?.value } == [0, 6, 2])
    #expect(recorded.fleets[2].report.settings["clients"] == "40" && recorded.fleets[2].report.fleets.isEmpty)
  }

  private static func recorded(_ change: (inout [FleetResult]) -> Void = { _ in }) throws -> RecordedReport {
    try RecordedReport(json: try report([], change).json())
  }

  @Test
  func `a comparison judges each fleet: a fleet that is worse is worse although the sum is the same`() throws {
    let base = try Self.recorded()
    let same = ReportComparison(base: base, value: base)
    #expect(
      same.passes && same.caveats.isEmpty && same.fleets.map(\.name) == ["web", "mobile.swift", "mobile.android"])
    // Two clients more are lost of one fleet, and two fewer of another.
    let moved = try Self.recorded { results in
      results[1].result = Self.result(kept: 60, lost: 0)
      results[0].result = Self.result(kept: 94, lost: 6)
    }
    let comparison = ReportComparison(
      base: base, value: moved, ComparisonRule(asked: [.init(try #require(Metric.named("lost")))]))
    #expect(!comparison.passes && comparison.verdict == "worse: web:lost 0 -> 6")
    #expect(comparison.table.contains { $0.contains("fleet web ") } && comparison.summary.contains("| `web:lost` |"))
    #expect(comparison.html.contains("<h2>Fleet web</h2>"))
    let json = try #require(try JSONSerialization.jsonObject(with: Data(try comparison.json())) as? [String: Any])
    let web = try #require((json["fleets"] as? [String: [String: [String: Any]]])?["web"]?["lost"])
    #expect(web["fails"] as? Bool == true && web["value"] as? Double == 6)
  }

  @Test
  func `a metric of one fleet decides alone, whatever becomes of the others`() throws {
    let base = try Self.recorded()
    let moved = try Self.recorded { results in
      results[1].result = Self.result(kept: 60, lost: 0)
      results[0].result = Self.result(kept: 94, lost: 6)
    }
    let lost = try #require(Metric.named("lost"))
    func passes(_ fleet: String, tolerance: Double? = nil) -> Bool {
      let rule = ComparisonRule(asked: [.init(lost, of: fleet, tolerance: tolerance)])
      return ReportComparison(base: base, value: moved, rule).passes
    }
    #expect(!passes("web") && passes("mobile.swift") && passes("mobile.android"))
  }

  @Test(arguments: [nil, "web"])
  func `a figure that no report has decides nothing, and passes nothing`(fleet: String?) throws {
    let base = try Self.recorded()
    let rule = ComparisonRule(asked: [.init(try #require(Metric.named("gateway.cpu_per_refresh")), of: fleet)])
    let comparison = ReportComparison(base: base, value: base, rule)
    #expect(!comparison.passes && comparison.outcome == .undecided)
    let name = (fleet.map { "\($0):" } ?? "") + "gateway.cpu_per_refresh"
    #expect(comparison.verdict == "undecided: no report has \(name)" && comparison.summary.contains("no report has"))
  }

  @Test
  func `reports of other fleets are of another storm, and fleets of other sizes too`() throws {
    let base = try Self.recorded()
    let text = String(decoding: try Self.report().json(), as: UTF8.self)
    let other = try RecordedReport(json: Array(text.replacing("\"mobile.android\"", with: "\"mobile.flutter\"").utf8))
    #expect(!other.isOfSameStorm(as: base))
    let comparison = ReportComparison(base: base, value: other)
    #expect(
      comparison.outcome == .different && comparison.verdict.contains("the list of fleets differs: web, mobile.swift"))
    let larger = try RecordedReport(json: Array(text.replacing("\"clients\" : 40,", with: "\"clients\" : 41,").utf8))
    #expect(
      ReportComparison(base: base, value: larger).verdict.contains("of the fleet 'mobile.android' the plan's clients"))
  }

  @Test(arguments: ["a|b", "a b", "", "web.swift.x y", "=1+1", "<b>"])
  func `a report whose fleets have names that none has is refused`(name: String) throws {
    let text = String(decoding: try Self.report().json(), as: UTF8.self)
      .replacing("\"name\" : \"web\"", with: "\"name\" : \"\(name)\"")
    #expect(throws: RecordedReportError(.wrong(at: "fleets"))) { try RecordedReport(json: Array(text.utf8)) }
    let twice = text.replacing("\"name\" : \"\(name)\"", with: "\"name\" : \"mobile.swift\"")
    #expect(throws: RecordedReportError(.wrong(at: "fleets"))) { try RecordedReport(json: Array(twice.utf8)) }
  }

  @Test
  func `the other forms of a report have a part for each fleet, and a trend says that it has the sums`() throws {
    let recorded = try Self.recorded()
    #expect(
      recorded.table.contains { $0.contains("mobile.swift ") }
        && recorded.summary.contains("- fleet `web`: 100 clients"))
    #expect(recorded.csv.prefix { $0 != "\r\n" }.contains("mobile.android: logins (1/s)"))
    let trend = ReportTrend(label: "main", runs: [ReportTrend.Run(recorded)], last: 8)
    #expect(trend.table.contains { $0.contains("sums of all fleets") } && trend.html.contains("sums of all fleets"))
  }
}

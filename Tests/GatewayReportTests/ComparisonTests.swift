import Foundation
import GatewayCore
import TestTraits
import Testing

@testable import GatewayFleet
@testable import GatewayReport

struct ComparisonTests {
  private static func compare(
    _ rule: ComparisonRule = ComparisonRule(), base: (inout StormResult) -> Void = { _ in },
    _ change: (inout StormResult) -> Void
  ) throws -> ReportComparison {
    ReportComparison(
      base: try RecordedReportTests.recorded(base), value: try RecordedReportTests.recorded(change), rule)
  }

  private static func figure(_ name: String, in comparison: ReportComparison) throws -> ComparedFigure {
    try #require(comparison.figures.first { $0.metric.name == name })
  }

  @Test(.long)
  func `a storm is no worse than itself, and differs in nothing`() throws {
    let comparison = try Self.compare { _ in }
    #expect(comparison.passes && comparison.verdict.hasPrefix("no worse") && comparison.caveats.isEmpty)
    #expect(comparison.figures.allSatisfy { $0.verdict == .alike || $0.verdict == .undecided })
    #expect(comparison.figures.count > 40)
  }

  @Test(.long)
  func `one lost client is worse than none, whatever the tolerance`() throws {
    let rule = ComparisonRule(tolerance: 5, asked: [.init(Metric.named("lost")!)])
    let comparison = try Self.compare(rule) { $0.behaviours[.wellBehaved]?.lostUnexpectedly = 1 }
    #expect(!comparison.passes && comparison.verdict == "worse: lost 0 -> 1")
    let back = try Self.compare(rule, base: { $0.behaviours[.wellBehaved]?.lostUnexpectedly = 1 }) { _ in }
    #expect(back.passes && back.figures.first { $0.metric.name == "lost" }?.verdict == .better)
  }

  @Test(arguments: [
    ("refresh.p99", 1.0, 1.1, 0.1, false), ("refresh.p99", 1.0, 1.12, 0.1, true),
    ("refresh.p99", 1.0, 0.1, 0.1, false), ("refresh.p99", 1.0, 1.12, 0.2, false),
    ("refreshed.share", 1.0, 0.9999, 0.1, true), ("refreshed.share", 0.9, 0.895, 0.1, false),
    ("refreshed.share", 0.9, 0.88, 0.1, true), ("refreshed.share", 0.9, 1.0, 0.1, false),
    ("connected.dip", 0.5, 0.3, 0.1, true), ("lost", 0.0, 0.0, 0, false), ("lost", 10, 11, 0.1, false),
    ("refresh.accepted", 10, 1, 0.1, false), ("refresh.peak_to_mean", 1, 2, 0.1, false),
  ])
  func `a figure is worse by more than its tolerance, and in its worse direction only`(
    name: String, base: Double, value: Double, tolerance: Double, isWorse: Bool
  ) throws {
    let metric = try #require(Metric.named(name))
    #expect(ComparisonRule.isWorse(value, than: base, metric, tolerance: tolerance) == isWorse)
  }

  @Test(.long)
  func `a figure that one report lacks is named, does not count as 0, and fails only if it was asked for`() throws {
    let none: (inout StormResult) -> Void = { $0.probes = [:] }
    let comparison = try Self.compare { none(&$0) }
    let figure = try Self.figure("gateway.cpu_per_refresh", in: comparison)
    #expect(figure.verdict == .undecided && !figure.fails && figure.change == "–")
    #expect(figure.missing?.hasPrefix("the new run has none: none: the gateway's figures were not read") == true)
    let rule = ComparisonRule(asked: [.init(Metric.named("gateway.cpu_per_refresh")!)])
    let asked = try Self.compare(rule) { none(&$0) }
    #expect(!asked.passes && asked.verdict == "worse: gateway.cpu_per_refresh is missing")
    #expect(try !Self.compare(rule, base: none) { _ in }.passes)
    let neither = try Self.compare(rule, base: none, none)
    #expect(neither.figures.contains { $0.metric.name == "gateway.cpu_per_refresh" })
  }

  @Test(.long)
  func `half a storm is no better than a whole one, whatever its figures say`() throws {
    let interrupted = try Self.compare { $0.wasInterrupted = true }
    #expect(!interrupted.passes && interrupted.verdict == "worse: the new run is no whole storm, it was interrupted")
    let stopped = try Self.compare { $0.stopped = "half failed" }
    #expect(!stopped.passes && stopped.verdict.hasSuffix("it ended itself: half failed"))
    #expect(stopped.table.last == stopped.verdict && stopped.html.contains("<b class=\"fail\">worse</b>"))
    // An interrupted baseline is accepted with a notice.
    let base = try Self.compare(base: { $0.wasInterrupted = true }) { _ in }
    #expect(base.passes && base.caveats.contains { $0.hasPrefix("baseline: interrupted after") })
  }

  @Test(.long)
  func `an event that never happened is worse than any time it took before`() throws {
    let never: (inout StormResult) -> Void = { $0.behaviours[.wellBehaved]?.lostUnexpectedly = 500 }
    let rule = ComparisonRule(tolerance: 100, asked: [.init(Metric.named("time_to_99")!)])
    #expect(try Self.compare(rule, never).verdict.hasSuffix("-> never"))
    let back = try Self.compare(rule, base: never) { _ in }
    #expect(back.passes && back.figures.first { $0.metric.name == "time_to_99" }?.verdict == .better)
    #expect(try Self.compare(rule, base: never, never).passes)
  }

  @Test
  func `a difference between the plans is a caveat with both values`() throws {
    let base = try RecordedReportTests.recorded()
    var text = String(decoding: try ReportTests.report().json(), as: UTF8.self)
    text.replace("\"clients\" : 200,\n    \"comeback\"", with: "\"clients\" : 300,\n    \"comeback\"")
    text.replace("\"processor\" : \"<i>fast</i>\"", with: "\"processor\" : \"slow\"")
    let other = try RecordedReport(json: Array(text.utf8))
    let caveats = ReportComparison(base: base, value: other).caveats
    #expect(caveats.contains("the plan's clients differs: 200, then 300"))
    #expect(caveats.contains { $0.hasPrefix("the machine differs: 2 cores (<i>fast</i>)") })
    #expect(caveats.count == 2)
    let comparison = ReportComparison(base: base, value: other)
    #expect(comparison.outcome == .different && !comparison.passes)
    #expect(comparison.verdict.hasPrefix("different: these are not runs of one storm: the plan's clients differs"))
    // Metrics that the user names are judged.
    let rule = ComparisonRule(asked: [.init(Metric.named("lost")!)])
    #expect(ReportComparison(base: base, value: other, rule).passes)
  }

  @Test
  func `the page draws both storms in one chart, escapes foreign text, and refers to no other file`() throws {
    let comparison = try Self.compare { $0.behaviours[.wellBehaved]?.refreshLatency.record(.seconds(20)) }
    let html = comparison.html
    #expect(XMLTags(html).problem == nil)
    for title in ["Refreshes accepted per second", "Connected clients", "Refresh: % that took", "Connect: % that took"]
    {
      let figure = try #require(
        html.components(separatedBy: "<figure>").first { $0.contains("aria-label=\"\(title)") }, "\(title)")
      #expect(figure.components(separatedBy: "<polyline").count == 3, "\(title)")
      #expect(figure.contains("baseline") && figure.contains("new run"))
    }
    for reference in ["src=", "href=", "url(", "@import", "<script", "<link", "a=<b>"] {
      #expect(!html.contains(reference), "\(reference)")
    }
  }

  @Test
  func `the JSON has a verdict for each figure`() throws {
    let comparison = try Self.compare { $0.behaviours[.wellBehaved]?.lostUnexpectedly = 30 }
    let json = try #require(try JSONSerialization.jsonObject(with: Data(comparison.json())) as? [String: Any])
    let lost = try #require((json["figures"] as? [String: [String: Any]])?["lost"])
    #expect(json["schema"] as? String == "postern-comparison/1" && json["passes"] as? Bool == false)
    #expect(lost["baseline"] as? Double == 0 && lost["value"] as? Double == 30)
    #expect(json["outcome"] as? String == "worse" && lost["is_chance"] as? Bool == false)
    #expect(lost["verdict"] as? String == "worse" && lost["fails"] as? Bool == true)
  }

  @Test
  func `a distribution's line goes through the quantiles`() throws {
    var histogram = LatencyHistogram()
    for milliseconds in 1...100 { histogram.record(.milliseconds(milliseconds)) }
    let chart = DistributionChart(title: "t", rows: [.init(name: "n", style: "one", histogram: histogram)])
    let frame = ChartFrame(title: "t", largest: 100)
    let points = try #require(chart.html.firstMatch(of: #/points="([^"]*)"/#)).output.1.split(separator: " ")
      .map { $0.split(separator: ",").compactMap { Double($0) } }
    // 1 ms to 100 ms are two decades: half of all took up to 50 ms, which is 1.699 of them from the left.
    let half = try #require(points.last { $0[1] >= frame.y(50.0) - 0.1 })
    #expect(abs(half[0] - frame.x(1.699 / 2)) < 12)
    #expect(abs(points.last![1] - frame.y(100.0)) < 0.2 && abs(points[0][1] - frame.y(0)) < 0.2)
    #expect(chart.html.contains("n, p99 "))
  }

  @Test(
    .long,
    arguments: [(12.3, 17.4, false), (0.319, 0.383, false), (300, 360, false), (460, 523, false), (300, 900, true)])
  func `a time or a cost that differs between twin storms is no worse`(before: Double, after: Double, isWorse: Bool)
    throws
  {
    func runs(_ milliseconds: Double) -> (inout StormResult) -> Void {
      { result in
        var histogram = LatencyHistogram()
        for client in 0..<200 { histogram.record(.microseconds(Int64(milliseconds * 1000) + Int64(client % 7))) }
        result.behaviours[.wellBehaved]?.refreshLatency = histogram
        // The generator's cost is never an outcome of the gateway.
        result.generator[.beforeExpiry] = .init(cpuSeconds: 1, residentBytes: 1e6)
        result.generator[.afterSettling] = .init(cpuSeconds: 1 + milliseconds, residentBytes: 1e6)
      }
    }
    let comparison = try Self.compare(base: runs(before), runs(after))
    #expect(comparison.passes == !isWorse, "\(comparison.verdict)")
    let named = ["refresh.p50", "refresh.p90", "refresh.p99"]
    #expect(comparison.figures.filter(\.fails).map(\.metric.name) == (isWorse ? named : []))
    #expect(try Self.figure("storm.cpu_per_refresh", in: comparison).verdict == .worse)
  }

  @Test(
    .long,
    arguments: [
      (0, 4, false), (0, 5, true), (3, 9, false), (3, 30, true), (1280, 1380, false), (1280, 1600, true),
      (100, 60, false),
    ])
  func `a few more lost clients are worse only beyond the chance of their counts`(
    before: Int, after: Int, isWorse: Bool
  ) throws {
    func lost(_ number: Int) -> (inout StormResult) -> Void {
      { result in
        result.connects.accepted = 5000
        result.behaviours[.wellBehaved]?.connected = 5000
        result.behaviours[.wellBehaved]?.lostUnexpectedly = number
      }
    }
    let figure = try Self.figure("lost", in: try Self.compare(base: lost(before), lost(after)))
    #expect(figure.fails == isWorse && (figure.verdict == .worse) == isWorse, "\(figure.word) \(figure.reason)")
  }

  @Test(.long)
  func `a latency that one pause of a busy machine explains does not count as worse`() throws {
    func run(_ milliseconds: Int, late: Int) -> (inout StormResult) -> Void {
      { result in
        result.latencies.connect = LatencyHistogram()
        for number in 0..<200 { result.latencies.connect.record(.milliseconds(number < 150 ? 5 : milliseconds)) }
        var lateness = StormResult.Lateness()
        lateness.late.record(.milliseconds(late))
        result.lateness = lateness
      }
    }
    for (late, isWorse) in [(80, false), (1, true)] {
      let comparison = try Self.compare(base: run(7, late: late), run(300, late: 1))
      #expect(try (Self.figure("connect.p99", in: comparison).verdict == .worse) == isWorse, "\(late) ms")
      #expect(comparison.passes == !isWorse)
    }
  }

  @Test
  func `a stalled generator does not excuse a gateway that is eight seconds slower`() throws {
    func run(_ milliseconds: Int) -> (inout StormResult) -> Void {
      { result in
        result.latencies.connect = LatencyHistogram()
        for _ in 0..<200 { result.latencies.connect.record(.milliseconds(milliseconds)) }
        var lateness = StormResult.Lateness()
        lateness.late.record(.seconds(2))
        result.lateness = lateness
      }
    }
    #expect(try Self.figure("connect.p50", in: try Self.compare(base: run(5), run(7000))).fails)
  }

  @Test(.long, arguments: [(100, false), (20_000, true)])
  func `the CPU time of a small storm is no worse beside baselines that are equal by chance`(
    refreshes: Int, isWorse: Bool
  ) throws {
    func recorded(_ microseconds: Double) throws -> RecordedReport {
      try RecordedReportTests.recorded { result in
        result.refreshes.accepted = refreshes
        result.probes[.beforeExpiry] = .init(cpuSeconds: 1, residentBytes: 1e6)
        result.probes[.afterSettling] = .init(
          cpuSeconds: 1 + microseconds * 1e-6 * Double(refreshes), residentBytes: 1e6)
      }
    }
    let baseline = try recorded(85.3)
    let comparison = ReportComparison(first: baseline, more: [baseline], value: try recorded(95.1), ComparisonRule())
    let figure = try Self.figure("gateway.cpu_per_refresh", in: comparison)
    #expect(figure.base?.value != nil && figure.fails == isWorse, "\(comparison.verdict)")
  }

  @Test(.long)
  func `a run that ran out of time is worse than one that did not`() throws {
    let late: (inout StormResult) -> Void = { $0.ranOutOfTime = true }
    let comparison = try Self.compare { late(&$0) }
    #expect(!comparison.passes && comparison.verdict.hasPrefix("worse: the new run ran out of time"))
    #expect(try Self.compare(base: late, late).passes)
  }

  @Test(.long)
  func `the scatter of several baselines is the tolerance`() throws {
    func recorded(_ milliseconds: Int) throws -> RecordedReport {
      try RecordedReportTests.recorded { result in
        var histogram = LatencyHistogram()
        for _ in 0..<200 { histogram.record(.milliseconds(milliseconds)) }
        result.latencies.connect = histogram
      }
    }
    func judged(_ baselines: [Int], _ value: Int) throws -> ReportComparison {
      let reports = try baselines.map(recorded)
      return ReportComparison(
        first: reports[0], more: Array(reports.dropFirst()), value: try recorded(value), ComparisonRule())
    }
    // Several steady baselines show more than a single one.
    #expect(try judged([100], 130).passes)
    #expect(try !judged([100, 101, 100, 101], 130).passes)
    #expect(try judged([80, 120, 90, 130], 140).passes)
    let comparison = try judged([80, 120, 90, 130], 900)
    #expect(comparison.verdict.hasPrefix("worse: connect.p50 ") && comparison.verdict.contains(" … "))
    #expect(XMLTags(comparison.html).problem == nil && comparison.html.contains("baseline 4"))
    #expect(comparison.table.count(where: { $0.hasPrefix("Baseline") }) == 4)
  }

  @Test(.long)
  func `a run is no worse beside many equal ones if its counts allow that, unless the figure was asked for`() throws {
    // Latencies of a half to more than twice the median: of 200 the median itself is known to 11 %.
    func recorded(_ milliseconds: Int) throws -> RecordedReport {
      try RecordedReportTests.recorded { result in
        var histogram = LatencyHistogram()
        for number in 0..<200 {
          let percent = number < 190 ? 100 + number : 300 + 20 * (number - 190)
          histogram.record(.milliseconds(milliseconds * percent / 200))
        }
        result.latencies.connect = histogram
      }
    }
    let baselines = try (0..<5).map { try recorded($0 == 4 ? 1001 : 1000) }
    func judged(_ value: Int, _ rule: ComparisonRule = ComparisonRule()) throws -> ReportComparison {
      ReportComparison(first: baselines[0], more: Array(baselines.dropFirst()), value: try recorded(value), rule)
    }
    #expect(try judged(1040).passes)
    #expect(try judged(1500).verdict.hasPrefix("worse: connect.p50 "))
    let asked = ComparisonRule(asked: [.init(try #require(Metric.named("connect.p50")))])
    #expect(try judged(1040, asked).verdict.hasPrefix("worse: connect.p50 "))
  }

  @Test
  func `another seed, another lead or an older program makes no different storm`() throws {
    var text = String(decoding: try ReportTests.report().json(), as: UTF8.self)
    text.replace(#/"seed" : 1\b/#, with: "\"seed\" : 2")
    text.replace(#/"slow_delay" : [0-9.]+,/#, with: "")
    text.replace(#/"lead" : 0/#, with: "\"lead\" : 30")
    let comparison = ReportComparison(
      base: try RecordedReportTests.recorded(), value: try RecordedReport(json: Array(text.utf8)))
    #expect(comparison.differences.isEmpty && comparison.passes, "\(comparison.verdict)")
    #expect(comparison.caveats.contains { $0.contains("gateway.lead") })
  }

  @Test
  func `a storm that has ended is not drawn as 0 connected beside a longer one`() throws {
    let chart = TimeChart(
      title: "t", axis: .init(start: 0, step: 1, count: 600),
      rows: [
        .init(name: "short", style: "before", shape: .line, values: Array(repeating: 40, count: 100)),
        .init(name: "long", style: "now", shape: .line, values: Array(repeating: 40, count: 600)),
      ])
    let lines = chart.html.matches(of: #/points="([^"]*)"/#).map { $0.output.1.split(separator: " ") }
    #expect(lines.count == 2 && lines[0].count == 34 && lines[1].count == 200)
    let heights = Set(lines.joined().map { $0.split(separator: ",")[1] })
    #expect(heights.count == 1)
  }
}

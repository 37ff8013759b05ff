import GatewayFleet
import TestTraits
import Testing

@testable import GatewayReport

struct TrendTests {
  private static func runs(_ milliseconds: [Int]) throws -> [ReportTrend.Run] {
    try milliseconds.map { milliseconds in
      ReportTrend.Run(
        try RecordedReportTests.recorded { result in
          var histogram = LatencyHistogram()
          for _ in 0..<200 { histogram.record(.milliseconds(milliseconds)) }
          result.latencies.connect = histogram
        })
    }
  }

  private static func line(_ milliseconds: [Int]) throws -> ReportTrend.Line {
    let trend = ReportTrend(label: "main", runs: try runs(milliseconds), last: 8)
    return try #require(trend.lines.first { $0.metric.name == "connect.p50" })
  }

  @Test(.long)
  func `five runs make a band for the next, and only a worse run is outside of it`() throws {
    let steady = [400, 404, 396, 408, 400, 403]
    let bands = try Self.line(steady).points.map { $0.band != nil }
    #expect(bands == [false, false, false, false, false, true])
    for (last, isWorse) in [(410, false), (900, true), (100, false)] {
      #expect(try Self.line(steady + [last]).points.last?.isWorse == isWorse, "\(last)")
    }
    // One unusual run does not widen the band.
    #expect(try Self.line([400, 404, 9_000, 408, 400, 403, 900]).points.last?.isWorse == true)
  }

  @Test(.long)
  func `page and table of a trend are complete, even for one run`() throws {
    for runs in [[400], [400, 404, 396, 408, 400, 403, 900]] {
      let trend = ReportTrend(label: "ma<in", runs: try Self.runs(runs), last: 8)
      #expect(XMLTags(trend.html).problem == nil && !trend.html.contains("ma<in"))
      #expect(trend.table.contains { $0.hasPrefix("  connect.p50") })
    }
    #expect(ReportTrend(label: "main", runs: [], last: 8).table.count > 0)
  }
}

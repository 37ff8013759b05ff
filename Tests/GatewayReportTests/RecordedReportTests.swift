import Foundation
import TestTraits
import Testing

@testable import GatewayFleet
@testable import GatewayReport

struct RecordedReportTests {
  static func recorded(_ change: (inout StormResult) -> Void = { _ in }) throws -> RecordedReport {
    try RecordedReport(json: ReportTests.report(change).json())
  }

  @Test
  func `a recorded report still shows what it showed when it was written`() throws {
    let report = try ReportTests.report()
    let recorded = try RecordedReport(json: report.json())
    #expect(recorded.startedAt == "2027-01-15T08:00:00Z" && recorded.gateway == report.gateway)
    #expect(!recorded.passes && !recorded.wasInterrupted)
    #expect(recorded.thresholds == report.thresholds)
    #expect(recorded.series == report.result.series && recorded.latencies == report.result.latencies)
    #expect(recorded.refreshLatency == report.result.behaviours[.wellBehaved]?.refreshLatency)
    #expect(recorded.settings["clients"] == "200" && recorded.settings["gateway.timeout_source"] == "assumed")
    for metric in Metric.all {
      #expect(recorded.figures[metric.name]?.text == report.figure(metric.name), "\(metric.name)")
    }
    let table = recorded.table.joined(separator: "\n")
    #expect(table.contains("FAILS  refresh.p99 < 1ms") && table.contains("refresh.accepted"))
  }

  @Test
  func `a report of an older program may lack newer figures`() throws {
    var text = String(decoding: try ReportTests.report().json(), as: UTF8.self)
    text.replace(#/"provider_peaks" : \[[^\]]*\],?/#, with: "")
    text.replace("\"lost\" :", with: "\"no_metric_of_ours\" :")
    let recorded = try RecordedReport(json: Array(text.utf8))
    #expect(recorded.series.providerPeaks.total == 0 && recorded.series.providerCalls.total > 0)
    #expect(recorded.figures["lost"] == nil)
  }

  @Test(arguments: [
    ("", "is no JSON"), ("no", "is no JSON"), ("{\"schema\": nothing}", "is no JSON"),
    ("[]", "no report of a storm"), ("12", "no report of a storm"), ("{}", "no report of a storm"),
    ("{\"schema\": \"other\"}", "no report of a storm"), ("{\"schema\": 3}", "no report of a storm"),
    ("{\"schema\": \"postern-storm/2\"}", "another version, postern-storm/2; this postern reads postern-storm/1"),
    ("{\"schema\": \"postern-storm/1\"}", "not as postern-storm/1 has it, at startedAt"),
    ("{\"schema\": \"postern-sto", "ends in the middle"), ("{\"a\": [1, {\"b\\\"}]}\": 2", "ends in the middle"),
  ])
  func `a report that cannot be read is refused in a sentence that says why`(text: String, says: String) {
    let error = #expect(throws: RecordedReportError.self) { try RecordedReport(json: Array(text.utf8)) }
    #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
  }

  @Test
  func `a report cut off anywhere is read to its end or refused`() throws {
    let whole = try ReportTests.report().json()
    for length in stride(from: 1, to: whole.count - 2, by: 997) {
      let error = #expect(throws: RecordedReportError.self) { try RecordedReport(json: Array(whole.prefix(length))) }
      #expect(error?.kind == .truncated)
    }
  }

  @Test(.long)
  func `a report with impossible numbers is believed as far as possible, and ends nothing`() throws {
    let whole = String(decoding: try ReportTests.report().json(), as: UTF8.self)
    let huge = "9223372036854775807"
    let recorded = try Self.recorded()
    for name in [
      "sum_us", "max_us", "min_us", "seconds", "value", "connects", "asked", "accepted", "provider_calls", "buckets",
      "bin_ms", "memory_bytes", "cores", "clients", "hold",
    ] {
      // What stands between the values of the name.
      let parts = whole.split(
        separator: try Regex("\"\(name)\" : (\\[[^\\]]*\\]|[^,\\n]*)"), omittingEmptySubsequences: false)
      for number in [huge, "-\(huge)", "18446744073709551615", "1e300", "-1", "1e18", "0.5", "null", "\"x\"", "[]"] {
        for replacement in [number, "[\(number), \(number), \(number)]", "[[3, \(number)], [\(number), 3]]"] {
          let text = parts.joined(separator: "\"\(name)\" : \(replacement)")
          guard let report = try? RecordedReport(json: Array(text.utf8)) else { continue }
          let comparison = ReportComparison(base: report, value: recorded)
          #expect(!(comparison.html + report.csv.prefix(100) + report.junit + report.summary).isEmpty)
          #expect(!(comparison.table + report.table).isEmpty)
          _ = try comparison.json()
        }
      }
    }
  }
}

import Foundation
import TestSupport
import TestTraits
import Testing

@testable import GatewayFleet
@testable import GatewayReport

struct HostileReportTests {
  @Test(.long)
  func `a report file with hostile numbers is read or refused, and no output from it traps`() throws {
    let good = try RecordedReportTests.recorded()
    var source = HostileBytes(
      seed: 20, examples: [String(decoding: try ReportTests.report().json(), as: UTF8.self)], words: ["\"seconds\""])
    var read = 0
    for _ in 0..<60 {
      guard let report = try? RecordedReport(json: source.next()) else { continue }
      read += 1
      _ = (report.table, report.csv, report.junit, report.hdrLog, report.summary)
      for comparison in [
        ReportComparison(base: report, value: good, ComparisonRule()),
        ReportComparison(base: good, value: report, ComparisonRule()),
      ] {
        _ = (comparison.table, comparison.html, try? comparison.json())
      }
    }
    #expect(read > 10)
  }

  @Test(.long)
  func `a report file traps no output, whichever of its numbers is hostile`() throws {
    let good = String(decoding: try ReportTests.report().json(), as: UTF8.self)
    let numbers = good.matches(of: #/[:\[,]\s*(-?[0-9][0-9.e+\-]*)/#).map {
      $0.output.1.startIndex..<$0.output.1.endIndex
    }
    let hostile = ["9223372036854775807", "-9223372036854775808", "1e308", "-1e308", "18446744073709551615"]
    let base = try RecordedReportTests.recorded()
    var read = 0
    for (index, range) in numbers.enumerated() where index % max(1, numbers.count / 60) == 0 {
      let text = good.replacingCharacters(in: range, with: hostile[index % hostile.count])
      guard let report = try? RecordedReport(json: Array(text.utf8)) else { continue }
      read += 1
      _ = (report.table, report.csv, report.junit, report.hdrLog, report.summary)
      _ = ReportComparison(base: base, value: report, ComparisonRule()).html
    }
    #expect(read > 5)
  }
}

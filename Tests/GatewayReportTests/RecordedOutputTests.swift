import Foundation
import FoundationXML
import Testing

@testable import GatewayFleet
@testable import GatewayReport

struct RecordedOutputTests {
  @Test
  func `the CSV series has a line for each second, and sums that are the storm's counts`() throws {
    let report = try ReportTests.report()
    let csv = try RecordedReport(json: report.json()).csv
    let lines = csv.components(separatedBy: "\r\n")
    #expect(lines.last == "" && !csv.replacingOccurrences(of: "\r\n", with: "").contains("\n"))
    let header = lines[0].components(separatedBy: ",")
    #expect(header.allSatisfy { $0.hasSuffix(")") && !$0.contains("\"") }, "each column has its unit")
    let rows = lines.dropFirst().dropLast().map { $0.components(separatedBy: ",").compactMap { Int($0) } }
    #expect(rows.allSatisfy { $0.count == header.count })
    #expect(rows.map { $0[0] } == Array(0..<rows.count))
    #expect(Double(rows.count) >= report.result.seconds)
    func sum(_ name: String) throws -> Int {
      let column = try #require(header.firstIndex { $0.hasPrefix(name) })
      return rows.reduce(0) { $0 + $1[column] }
    }
    #expect(try sum("logins") == report.result.connects.accepted)
    #expect(try sum("refreshes asked") == report.result.refreshes.asked)
    #expect(try sum("refreshes accepted") == report.result.refreshes.accepted)
    #expect(try sum("cut off") == report.result.disconnects.total)
    let calls = try sum("provider calls for logins") + sum("provider calls for refreshes")
    #expect(calls == report.result.provider.calls)
    #expect(try sum("provider answers") == report.result.provider.granted + report.result.provider.refused.total)
    let connected = try #require(header.firstIndex { $0.hasPrefix("connected") })
    #expect(rows.last?[connected] == report.result.connects.accepted - report.result.disconnects.total)
  }

  @Test
  func `a histogram has the form that HdrHistogram's readers expect, with runs of zeros as one number, byte for byte`()
    throws
  {
    var histogram = LatencyHistogram()
    for _ in 0..<3 { histogram.record(.microseconds(2)) }
    histogram.record(.microseconds(300))
    let bytes = [UInt8](try #require(Data(base64Encoded: HdrHistogram(histogram).text)))
    let head: [UInt8] = [0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 56, 0x78, 1, 1, 45, 0, 0xd2, 0xff]
    #expect(Array(bytes.prefix(head.count)) == head)
    let payload = bytes.dropFirst(head.count).dropLast(4)
    #expect(Array(payload.prefix(8)) == [0x1c, 0x84, 0x93, 0x13, 0, 0, 0, 5])
    // Two zeros, a three, 276 zeros, a one: 303 is the longest of its bucket, which has index 279.
    #expect(Array(payload.suffix(5)) == [3, 6, 0xa7, 4, 2])
    let log = try RecordedReportTests.recorded().hdrLog.components(separatedBy: "\n")
    #expect(log[0] == "#[Histogram log format version 1.3]" && log.last == "")
    #expect(
      log.dropFirst(3).dropLast().allSatisfy { $0.hasPrefix("Tag=") && $0.components(separatedBy: ",").count == 5 })
    #expect(log[3].hasPrefix("Tag=connect,0.000,"))
    #expect(HdrHistogram(LatencyHistogram()).text.hasPrefix("HISTFAAAA"))
  }

  @Test
  func `JUnit's XML has a case for each threshold, and one for the end`() throws {
    let parsed = try JUnitCases(try RecordedReportTests.recorded().junit)
    #expect(parsed.suite["tests"] == "3" && parsed.suite["failures"] == "1" && parsed.suite["skipped"] == "0")
    #expect(parsed.names == ["the storm ran to its end", "lost == 0", "refresh.p99 < 1ms"])
    #expect(parsed.failures.count == 1 && parsed.failures[0].hasPrefix("refresh.p99 < 1ms is "))
    let cut = try JUnitCases(try RecordedReportTests.recorded { $0.wasInterrupted = true }.junit)
    #expect(cut.failures.first == "it was interrupted" && cut.suite["failures"] == "2")
    let stopped = try JUnitCases(try RecordedReportTests.recorded { $0.stopped = "half failed" }.junit)
    #expect(stopped.failures.first == "it ended itself: half failed" && stopped.suite["failures"] == "2")
  }

  @Test
  func `JUnit's XML of a storm whose scenario was not carried out has a failing case, even if every threshold holds`()
    throws
  {
    func cases(_ failures: [String]) throws -> JUnitCases {
      let report = try ReportTests.report()
      let other = StormReport(
        plan: report.plan, gateway: report.gateway, provider: report.provider, startedAt: report.startedAt,
        machine: report.machine, result: report.result, thresholds: [try Threshold(parsing: "lost == 0")],
        failures: failures)
      return try JUnitCases(RecordedReport(json: other.json()).junit)
    }
    #expect(try cases([]).failures == [])
    #expect(try cases(["the phase 'calm' was not so"]).failures == ["the phase 'calm' was not so"])
  }

  @Test
  func `characters that XML may not hold are replaced`() {
    #expect(JUnitSuite.escaped("a<b>&\"'\u{1}\u{1b}[31m\n") == "a&lt;b&gt;&amp;&quot;&#39;\u{fffd}\u{fffd}[31m\n")
  }

  @Test
  func `the summary is a few lines with the failures, and names no address`() throws {
    let summary = try RecordedReportTests.recorded().summary
    let lines = summary.components(separatedBy: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("**Storm failed**: 200 clients, plain, "))
    #expect(lines[1].contains("lost 0") && lines[1].contains("refreshed 100 %"))
    #expect(lines[2].hasPrefix("- fails: `refresh.p99 < 1ms` is "))
    #expect(!summary.contains("127.0.0.1") && !summary.contains("access_token"))
  }

  @Test
  func `the summary names the reasons of failed logins, the most frequent first`() throws {
    let summary = try RecordedReportTests.recorded { result in
      for (reason, count) in [("http_503", 7), ("a`b\nc", 1), ("timed_out", 12), ("x", 1), ("y", 1)] {
        result.connects.failed.count(reason, count)
      }
    }.summary
    let lines = summary.components(separatedBy: "\n")
    #expect(
      lines.contains("- not let in: 12 by `timed_out`, 7 by `http_503`, 1 by `abc`, 1 by `x`, and 1 other reason"),
      "\(lines)")
  }
}

/// The cases of JUnit's XML, as an XML parser finds them.
private final class JUnitCases: NSObject, XMLParserDelegate {
  private(set) var suite: [String: String] = [:]
  private(set) var names: [String] = []
  private(set) var failures: [String] = []

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.coderInvalidValue) }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    switch name {
    case "testsuite": suite = attributes
    case "testcase": names.append(attributes["name"] ?? "")
    case "failure": failures.append(attributes["message"] ?? "")
    default: break
    }
  }
}

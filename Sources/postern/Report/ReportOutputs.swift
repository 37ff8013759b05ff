import GatewayKit
import GatewayReport

/// The files with a storm's report for other programs: JUnit's XML for CI, CSV for a spreadsheet, a log of HdrHistogram.
struct ReportOutputs {
  static let flags = [
    Flag("junit", "FILE", "write the thresholds there as JUnit's XML, a case for each"),
    Flag("csv", "FILE", "write the series there as comma-separated values, a line for each second"),
    Flag("hdr", "FILE", "write the latencies there as a log of HdrHistogram, in microseconds"),
    Flag("summary", nil, "print a few lines of Markdown for a chat in place of the table"),
  ]

  private let junit: OutputFile?
  private let csv: OutputFile?
  private let hdr: OutputFile?
  let printsSummary: Bool

  /// No outputs.
  static let none = ReportOutputs()

  private init() {
    junit = nil
    csv = nil
    hdr = nil
    printsSummary = false
  }

  init(_ arguments: Arguments) throws {
    junit = try OutputFile(arguments, "junit")
    csv = try OutputFile(arguments, "csv")
    hdr = try OutputFile(arguments, "hdr")
    printsSummary = try arguments.isOn("summary")
  }

  /// Writes each file, even after one fails.
  func write(_ report: RecordedReport) throws {
    try ReportFailure.each(
      { try junit?.write(report.junit) }, { try csv?.write(report.csv) }, { try hdr?.write(report.hdrLog) })
  }
}

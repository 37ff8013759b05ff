import GatewayKit
import GatewayReport

/// The files with a storm's report for other programs: JUnit's XML for CI, CSV for a spreadsheet, a log of HdrHistogram.
struct ReportOutputs: Sendable {
  private var junit: OutputFile?
  private var csv: OutputFile?
  private var hdr: OutputFile?
  private(set) var printsSummary = false

  @OptionList<ReportOutputs>
  static var options: [Option<ReportOutputs>] {
    Option("junit", "FILE", "write the thresholds to this file as JUnit XML, one case each", \.junit, .outputFile)
    Option(
      "csv", "FILE", "write the series to this file as comma-separated values, one line a second", \.csv, .outputFile)
    Option(
      "hdr", "FILE", "write the latencies to this file as a log of HdrHistogram, in microseconds", \.hdr, .outputFile)
    Option("summary", "print a few lines of Markdown for a chat instead of the table", \.printsSummary)
  }

  /// Writes each file, even after one fails.
  func write(_ report: RecordedReport) throws {
    try ReportFailure.each(
      { try junit?.write(report.junit) }, { try csv?.write(report.csv) }, { try hdr?.write(report.hdrLog) })
  }
}

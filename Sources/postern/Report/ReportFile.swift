import GatewayKit
import GatewayReport

/// A storm's report in a file that a command reads.
enum ReportFile {
  /// The maximum size in bytes. The report of a storm of a day is far smaller.
  private static let sizeMax = 64 << 20

  static func read(_ path: String) throws -> RecordedReport {
    let bytes = try InputFile.readLocal(path, of: "FILE", sizeMax: sizeMax)
    do throws(RecordedReportError) {
      return try RecordedReport(json: bytes)
    } catch {
      throw UsageError("FILE: '\(path)' \(error)")
    }
  }
}

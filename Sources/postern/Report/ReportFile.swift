import GatewayKit
import GatewayReport

/// A storm's report that is given to a command, e.g. `reports/mixed/storm.json`.
enum ReportFile {
  /// Of a storm of a day: far less.
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

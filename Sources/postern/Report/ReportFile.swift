import GatewayKit
import GatewayReport

/// A storm's report in a file that a command reads.
enum ReportFile {
  /// The maximum size in bytes. The report of a storm of a day is far smaller.
  private static let sizeMax = 64 << 20

  static func read(_ path: String) throws -> RecordedReport { try read(path, of: "FILE") }

  /// Returns the report in a file that `flag` names.
  static func read(_ path: String, of flag: String) throws -> RecordedReport { try readWhole(path, of: flag).report }

  /// Returns the report and the bytes of its file.
  static func readWhole(_ path: String, of flag: String = "FILE") throws -> (bytes: [UInt8], report: RecordedReport) {
    let bytes = try InputFile.readLocal(path, of: flag, sizeMax: sizeMax)
    do throws(RecordedReportError) {
      return (bytes, try RecordedReport(json: bytes))
    } catch {
      throw UsageError("\(flag): '\(path)' \(error)")
    }
  }
}

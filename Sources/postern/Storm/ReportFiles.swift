import GatewayFleet
import GatewayKit
import GatewayReport
import Glibc

/// The files of a storm's report, in the folder of `--report`.
enum ReportFiles {
  /// Creates the directory before the storm, so that the report does not fail after it.
  static func check(_ directory: String?) throws {
    guard let directory else { return }
    func wrong(_ reason: String) -> UsageError { UsageError("--report: '\(directory)' \(reason)") }
    let folder = FilePath(directory)
    guard !folder.exists || folder.isDirectory else { throw wrong("is a file; expected a directory") }
    do throws(FileError) {
      try folder.makeDirectory()
    } catch {
      throw wrong(
        error.number == EACCES
          ? "cannot be made: permission denied to user \(geteuid())"
          : "cannot be made as a directory: \(String(cString: strerror(error.number))); choose another")
    }
    guard folder.isWritable else {
      throw wrong("may not be written to: permission denied to user \(geteuid())")
    }
  }

  /// Writes the page and the JSON file, each even if the other fails.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - directory: The folder.
  ///   - told: Called with the path of each written file.
  static func write(_ report: StormReport, to directory: String, told: @escaping (String) -> Void) throws {
    func write(_ name: String, _ bytes: () throws -> [UInt8]) throws {
      let file = FilePath(directory).appending(name)
      let bytes = try bytes()
      do throws(FileError) { try file.write(bytes) } catch { throw ReportFailure("--report", file.text, error) }
      told(file.text)
    }
    try ReportFailure.each(
      { try write("storm.html") { Array(report.html.utf8) } }, { try write("storm.json") { try report.json() } })
  }
}

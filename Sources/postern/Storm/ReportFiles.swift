import FoundationEssentials
import GatewayFleet
import GatewayKit
import GatewayReport
import Glibc

/// The files of a storm's report: those in the folder of `--report reports`, for instance.
enum ReportFiles {
  /// Makes the directory before the storm, so that a report never fails for want of one afterwards.
  static func check(_ directory: String?) throws {
    guard let directory else { return }
    func wrong(_ reason: String) -> UsageError { UsageError("--report: '\(directory)' \(reason)") }
    var isDirectory = false
    if FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), !isDirectory {
      throw wrong("is a file; expected a directory")
    }
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch let error as CocoaError where error.code == .fileWriteNoPermission {
      throw wrong("cannot be made: permission denied to user \(geteuid())")
    } catch {
      throw wrong("cannot be made as a directory")
    }
    guard FileManager.default.isWritableFile(atPath: directory) else {
      throw wrong("may not be written to: permission denied to user \(geteuid())")
    }
  }

  /// Writes the page and the JSON, each also if the other cannot be written.
  ///
  /// - Parameter told: Told where each is that was written.
  static func write(_ report: StormReport, to directory: String, told: @escaping (String) -> Void) throws {
    let base = URL(filePath: directory, directoryHint: .isDirectory)
    func write(_ name: String, _ bytes: () throws -> Data) throws {
      let file = base.appending(path: name)
      try Self.write(bytes(), to: file)
      told(file.path)
    }
    try ReportFailure.each(
      { try write("storm.html") { Data(report.html.utf8) } }, { try write("storm.json") { Data(try report.json()) } })
  }

  private static func write(_ data: Data, to file: URL) throws {
    do {
      try data.write(to: file, options: .atomic)
    } catch {
      throw ReportFailure("--report", file.path, error)
    }
  }
}

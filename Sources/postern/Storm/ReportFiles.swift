import Foundation
import GatewayLoad

/// The files of a storm's report.
enum ReportFiles {
  /// Makes the directory before the storm, so that a report never fails for want of one afterwards.
  static func check(_ directory: String?) throws {
    guard let directory else { return }
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw UsageError("--report", value: directory, expected: "a directory that exists or can be made")
    }
    guard FileManager.default.isWritableFile(atPath: directory) else {
      throw UsageError("--report", value: directory, expected: "a directory that can be written to")
    }
  }

  /// Writes the page and the JSON, and returns where they are.
  static func write(_ report: StormReport, to directory: String) throws -> [String] {
    let base = URL(filePath: directory, directoryHint: .isDirectory)
    let page = base.appending(path: "storm.html")
    let json = base.appending(path: "storm.json")
    try Data(report.html.utf8).write(to: page, options: .atomic)
    try Data(report.json()).write(to: json, options: .atomic)
    return [page.path, json.path]
  }
}

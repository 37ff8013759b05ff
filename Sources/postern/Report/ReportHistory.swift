import GatewayKit
import GatewayReport
import Glibc

/// A folder of reports, with a folder in it for each label. A report is a file whose name begins with the time of its storm.
struct ReportHistory {
  private let folder: FilePath
  private let flag: String
  private let label: String

  /// The maximum number of reports of a label that are looked at.
  static let reportsMax = 2_000
  static let labelsMax = 64

  /// Creates the description of a label's folder, which need not exist.
  ///
  /// - Parameters:
  ///   - path: The folder of the history.
  ///   - flag: The flag or operand that named it, for errors.
  ///   - label: The label.
  init(_ path: String, of flag: String, label: String) throws {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw UsageError("\(flag): the name of the folder is empty or no name")
    }
    let root = FilePath(path)
    guard !root.exists || root.isDirectory else {
      throw UsageError("\(flag): '\(path)' is a file; expected a directory")
    }
    folder = root.appending(label)
    self.flag = flag
    self.label = label
  }

  /// Reads a label: 1 to 64 letters, digits, `.`, `_` and `-`, and no `.` first.
  static func label(_ value: Arguments.Value) throws -> String {
    let isLabel = value.text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isLabel, (1...labelsMax).contains(value.text.utf8.count), !value.text.hasPrefix(".") else {
      throw UsageError(
        value.source, value: value.text,
        expected: "1 to \(labelsMax) letters, digits, '.', '_' and '-', as main or release-2")
    }
    return value.text
  }

  /// Adds a report. A report that is there already is left alone.
  ///
  /// - Parameters:
  ///   - bytes: The report's file.
  ///   - report: The same, read.
  /// - Returns: The path, and whether the file is new.
  func add(_ bytes: [UInt8], _ report: RecordedReport) throws -> (path: String, isNew: Bool) {
    let stem = Self.stem(report.startedAt)
    guard !stem.isEmpty else { throw UsageError("FILE: the report does not say when its storm started") }
    do throws(FileError) {
      try folder.makeDirectory()
      for number in 1...Self.sameTimeMax {
        let file = folder.appending(number == 1 ? "\(stem).json" : "\(stem)_\(number).json")
        if try file.add(bytes) { return (file.text, true) }
        if let there = try? ReportFile.readWhole(file.text, of: flag).bytes, there == bytes {
          return (file.text, false)
        }
      }
    } catch {
      throw ReportFailure(flag, folder.text, error)
    }
    throw UsageError("\(flag): '\(folder.text)' has \(Self.sameTimeMax) other reports of \(stem)")
  }

  private static let sameTimeMax = 100

  /// Returns a time as a file's name, `2026-11-27T09-30-00Z`. The time is a text of the report, of whatever content.
  private static func stem(_ startedAt: String) -> String {
    let name = startedAt.prefix(40).map { $0 == ":" ? "-" : $0 }
      .filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "." || $0 == "+") }
    return String(name.drop { $0 == "." || $0 == "-" })
  }

  /// The files of the label, the earliest storm first.
  private var files: [FilePath] {
    folder.names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted().suffix(Self.reportsMax)
      .map(folder.appending)
  }

  /// Returns what `take` makes of the reports, the latest first, until it returns false.
  func each(_ take: (RecordedReport) throws -> Bool) throws {
    let files = files
    guard !files.isEmpty else {
      throw UsageError(
        "\(flag): '\(folder.text)' has no report; add one with postern report add FILE --history DIR --label \(label)")
    }
    for file in files.reversed() {
      guard try take(ReportFile.read(file.text, of: flag)) else { return }
    }
  }

  /// The baselines of a new run, and how they were chosen.
  struct Baselines {
    /// In the order of their time.
    var reports: [RecordedReport] = []
    var notes: [String] = []
  }

  /// Returns the latest reports of the same storm as `report`, at most `last`. If none is of the same storm, it returns
  /// the latest report, so that the comparison names the difference.
  func baselines(of report: RecordedReport, last: Int) throws -> Baselines {
    var latest: RecordedReport?
    var found: [RecordedReport] = []
    var others = 0
    try each { earlier in
      latest = latest ?? earlier
      // The new run may be in the history already.
      if earlier.isSameRun(as: report) { return true }
      if earlier.isOfSameStorm(as: report) { found.append(earlier) } else { others += 1 }
      return found.count < last
    }
    var baselines = Baselines()
    if others > 0, !found.isEmpty {
      baselines.notes.append(
        "\(others) \(others == 1 ? "report" : "reports") of \(label) \(others == 1 ? "is" : "are") of another storm and left out"
      )
    }
    if !found.isEmpty, found.count < ReportComparison.manyBaselines {
      baselines.notes.append(
        "\(found.count) \(found.count == 1 ? "baseline: its" : "baselines: their") scatter is "
          + (found.count == 1 ? "unknown" : "little known")
          + "; \(ReportComparison.manyBaselines) or more make the tolerance")
    }
    baselines.reports = found.isEmpty ? [latest].compactMap { $0 } : found.reversed()
    return baselines
  }

  /// Returns the runs for a trend, in the order of their time, at most `count` of the latest. Only runs of the same storm
  /// as the latest one are among them; `others` says how many are not.
  func runs(count: Int) throws -> (runs: [ReportTrend.Run], others: Int) {
    var latest: RecordedReport?
    var runs: [ReportTrend.Run] = []
    var others = 0
    try each { report in
      if latest == nil { latest = report }
      if let latest, report.isOfSameStorm(as: latest) { runs.append(ReportTrend.Run(report)) } else { others += 1 }
      return runs.count < count
    }
    return (runs.reversed(), others)
  }
}

extension FilePath {
  /// Writes a new file as a whole. Returns false if there is one already.
  fileprivate func add(_ bytes: [UInt8]) throws(FileError) -> Bool {
    let new = folder.appending(".postern-new-\(getpid())")
    try new.write(bytes)
    defer { unlink(new.text) }
    guard link(new.text, text) == 0 else {
      guard errno == EEXIST else { throw FileError(number: errno) }
      return false
    }
    return true
  }
}

import GatewayKit
import GatewayReport

/// The command `postern report add`: it puts a storm's report into a history.
enum ReportAddCommand: Command {
  static let name = "report add"
  static let summary = "add a storm's report to a history, the baselines of later runs"
  static let operands = "FILE"
  static let example = "postern report add reports/storm.json --history runs --label main"
  static let sections = [FlagSection("flags", HistoryFlags.options)]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var flags = HistoryFlags()
    try arguments.read(HistoryFlags.options, into: &flags)
    guard let path = try arguments.operand() else { throw UsageError("\(name) needs the FILE of a report") }
    guard let folder = flags.folder else { throw UsageError("\(name) needs --history DIR, the folder of the reports") }
    let history = try ReportHistory(folder, of: "--history", label: flags.label ?? HistoryFlags.usualLabel)
    let (bytes, report) = try ReportFile.readWhole(path)
    if let reason = report.cutShort {
      throw UsageError("FILE: '\(path)' is no whole storm, \(reason); it would be a wrong baseline")
    }
    let (file, isNew) = try history.add(bytes, report)
    Output.line(isNew ? "added: \(file)" : "is there already: \(file)")
    return 0
  }
}

/// The flags that name a history of reports.
struct HistoryFlags: Sendable {
  var folder: String?
  var label: String?

  /// The label if none is given.
  static let usualLabel = "main"

  @OptionList<HistoryFlags>
  static var options: [Option<HistoryFlags>] {
    Option("history", "DIR", "the folder of the history's reports", \.folder, .text)
    Option(
      "label", "NAME", "the label of the history's reports to use, e.g. a branch or a release (default main)", \.label,
      Reading<Arguments.Value>.asGiven.map { label, _ in try ReportHistory.label(label) })
  }
}

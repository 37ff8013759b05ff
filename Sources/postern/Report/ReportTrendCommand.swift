import GatewayKit
import GatewayReport

/// The command `postern report trend`: it shows how the figures of a history changed.
enum ReportTrendCommand: Command {
  static let name = "report trend"
  static let summary = "show each figure of a history over time, with the band that earlier runs make"
  static let operands = "DIR"
  static let example = "postern report trend runs --html trend.html"
  static let sections = [FlagSection("flags", options)]

  private struct Draft: Sendable {
    var label = HistoryFlags.usualLabel
    var runs = 100
    var last = ReportCompareCommand.usualLast
    var page: OutputFile?
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option(
      "label", "NAME", "the label of the history's reports to show, e.g. a branch or a release (default main)", \.label,
      Reading<Arguments.Value>.asGiven.map { label, _ in try ReportHistory.label(label) })
    Option("runs", "N", "how many of the latest runs to show (default 100)", \.runs, .int(1...ReportHistory.reportsMax))
    Option(
      "last", "N", "how many earlier runs form a run's band (default \(ReportCompareCommand.usualLast))", \.last,
      .int(5...ReportCompareCommand.lastMax))
    Option("html", "FILE", "write an HTML page with a chart for each figure to this file", \.page, .outputFile)
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var draft = Draft()
    try arguments.read(options, into: &draft)
    guard let folder = try arguments.operand() else { throw UsageError("\(name) needs the DIR of a history") }
    let history = try ReportHistory(folder, of: "DIR", label: draft.label)
    let (runs, others) = try history.runs(count: draft.runs)
    let trend = ReportTrend(label: draft.label, runs: runs, last: draft.last)
    try draft.page?.write(trend.html)
    if others > 0 {
      Output.error(
        "\(name): \(others) \(others == 1 ? "report is" : "reports are") of another storm than the latest and left out")
    }
    Output.line(trend.table.joined(separator: "\n"))
    return 0
  }
}

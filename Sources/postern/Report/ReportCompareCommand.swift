import GatewayKit
import GatewayReport

/// The command `postern report compare`: it compares a storm's report with the reports of earlier runs.
enum ReportCompareCommand: Command {
  static let name = "report compare"
  static let summary = "compare a storm's report with earlier ones; exit status 1 if it is worse, or not the same storm"
  static let operands = "[BASELINE...] FILE"
  static let example = """
    postern report compare monday.json tuesday.json wednesday.json reports/storm.json
    """
  static let sections = [FlagSection("flags", options), FlagSection("baselines of a history", history)]

  private struct Draft: Sendable {
    var tolerance: Double?
    var asked: [ComparisonRule.Asked] = []
    var page: OutputFile?
    var printsJSON = false
    var printsSummary = false
    var history = HistoryFlags()
    var last: Int?
  }

  /// The number of reports of a history that are baselines, if no flag says another, and the maximum.
  static let usualLast = 8
  static let lastMax = 50

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option(
      "tolerance", "SHARE",
      "how much worse a figure may be than the baseline's, as a share of that (default: 10% for counts, 100% for times)"
    ) { value, draft in draft.tolerance = try tolerance(value) }
    Option(
      "metric", "NAME",
      "judge only by this metric, of one fleet if it is FLEET:NAME; =SHARE behind it is its own tolerance "
        + "(default: the outcomes)", repeats: true
    ) { value, draft in draft.asked.append(try metric(value)) }
    Option(
      "html", "FILE", "write an HTML page with the charts of all reports, one over the other, to this file", \.page,
      .outputFile)
    Option("json", "print one JSON object instead of the table", \.printsJSON)
    Option("summary", "print Markdown for a pull request instead of the table", \.printsSummary)
  }

  private static let history =
    HistoryFlags.options.map { $0.of(\Draft.history) } + [
      Option(
        "last", "N", "how many of the latest reports of the history are baselines (default \(usualLast))", \Draft.last,
        .int(1...lastMax))
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let draft = try draft(arguments)
    let comparison = try comparison(arguments, draft)
    for case let fleet? in draft.asked.map(\.fleet) { try check(fleet, in: comparison) }
    try draft.page?.write(comparison.html)
    Output.line(
      draft.printsJSON
        ? String(decoding: try comparison.json(), as: UTF8.self)
        : draft.printsSummary ? comparison.summary : comparison.table.joined(separator: "\n"))
    return comparison.passes ? 0 : 1
  }

  private static func comparison(_ arguments: Arguments, _ draft: Draft) throws -> ReportComparison {
    let label = draft.history.label ?? HistoryFlags.usualLabel
    guard let folder = draft.history.folder else {
      guard draft.history.label == nil, draft.last == nil else {
        throw UsageError("--\(draft.last == nil ? "label" : "last") needs --history, whose reports it chooses")
      }
      guard arguments.operands.count >= 2 else {
        throw UsageError(
          "\(name) needs at least two files: the report of each BASELINE, and last that of the new run; or --history DIR"
        )
      }
      var reports = try arguments.operands.map(ReportFile.read)
      let (first, value) = (reports.removeFirst(), reports.removeLast())
      return ReportComparison(first: first, more: reports, value: value, rule(draft))
    }
    guard let path = try arguments.operand() else {
      throw UsageError("\(name) needs the FILE of the new run; the baselines come from --history")
    }
    let history = try ReportHistory(folder, of: "--history", label: label)
    let value = try ReportFile.read(path)
    var baselines = try history.baselines(of: value, last: draft.last ?? usualLast)
    guard !baselines.reports.isEmpty else {
      throw UsageError("--history: '\(folder)' has no other report of \(label) than FILE")
    }
    let first = baselines.reports.removeFirst()
    return ReportComparison(
      first: first, more: baselines.reports, value: value, rule(draft), notes: baselines.notes)
  }

  static func rule(_ arguments: Arguments) throws -> ComparisonRule { rule(try draft(arguments)) }

  private static func rule(_ draft: Draft) -> ComparisonRule {
    ComparisonRule(tolerance: draft.tolerance, asked: draft.asked)
  }

  private static func draft(_ arguments: Arguments) throws -> Draft {
    var draft = Draft()
    try arguments.read(options + history, into: &draft)
    return draft
  }

  /// Throws unless all reports have the fleet.
  private static func check(_ fleet: String, in comparison: ReportComparison) throws {
    let names = comparison.fleets.map(\.name)
    guard !names.contains(where: { $0.utf8.elementsEqual(fleet.utf8) }) else { return }
    throw UsageError(
      "--metric: not all of the reports have a fleet '\(fleet)'"
        + (names.isEmpty ? "" : "; they have \(names.joined(separator: ", "))"))
  }

  private static func metric(_ value: Arguments.Value) throws -> ComparisonRule.Asked {
    let sides = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let words = sides[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(words[words.count - 1])
    guard let metric = Metric.named(name) else {
      let near = Suggestion.near(name, among: Metric.all.map(\.name))
      throw UsageError("\(value.source): '\(name)' names no metric" + Suggestion.question(near))
    }
    guard metric.better != nil else {
      throw UsageError("\(value.source): of '\(metric.name)' it cannot be said which of two is better")
    }
    let own = sides.count < 2 ? nil : Arguments.Value(text: String(sides[1]), source: value.source)
    return ComparisonRule.Asked(
      metric, of: words.count == 2 ? String(words[0]) : nil, tolerance: try own.map(tolerance))
  }

  /// Parses a share, which may exceed one: `200%` is three times as bad.
  private static func tolerance(_ value: Arguments.Value) throws -> Double {
    let isPercentage = value.text.hasSuffix("%")
    let number = Double(isPercentage ? value.text.dropLast() : value.text[...]).map { isPercentage ? $0 / 100 : $0 }
    guard let number, (0...1000).contains(number) else {
      throw UsageError(value.source, value: value.text, expected: "a share, as 0.1 or 10%")
    }
    return number
  }
}

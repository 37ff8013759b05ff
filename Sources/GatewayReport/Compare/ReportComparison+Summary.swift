import GatewayFleet

extension ReportComparison {
  /// The comparison in Markdown for a pull request: the verdict, a row for each figure that matters, and notes. It omits
  /// the addresses of gateways and the machines.
  package var summary: String {
    var lines = [
      "**Storm \(outcome.rawValue)** beside \(baselines.count) \(baselines.count == 1 ? "baseline" : "baselines")"
    ]
    // The table below has the figures.
    if shortcoming != nil || outcome == .different || outcome == .undecided { lines[0] += ": \(Self.plain(verdict))" }
    let shown = judged.filter {
      $0.figure.fails || $0.figure.isNoteworthy || Self.usual.contains($0.figure.metric.name)
    }
    .sorted { ($0.figure.fails ? 0 : 1) < ($1.figure.fails ? 0 : 1) }
    if !shown.isEmpty {
      lines += [
        "", "| figure | \(baselines.count == 1 ? "baseline" : "\(baselines.count) baselines") | new run | change | |",
      ]
      lines += ["|---|---|---|---|---|"]
      lines += shown.prefix(Self.rowsMax).map { name, figure in
        let word = figure.fails ? "**\(figure.word)**" : figure.word
        return
          "| `\(name)` | \(figure.baseText) | \(figure.value?.text ?? "–") | \(figure.change) | \(word) |"
      }
      let rest = judged.count - min(shown.count, Self.rowsMax)
      if rest > 0 { lines += ["", "\(rest) further figures are alike, or do not decide."] }
    }
    let notes = caveats.prefix(Self.notesMax).map { "- note: \(Self.plain($0))" }
    if !notes.isEmpty { lines += [""] + notes }
    if caveats.count > notes.count { lines.append("- and \(caveats.count - notes.count) further notes") }
    return lines.joined(separator: "\n")
  }

  /// The maximum number of rows and of notes, so that a pull request stays readable.
  private static let rowsMax = 24
  private static let notesMax = 8
  /// The figures that a reader expects, whatever they came to.
  private static let usual: Set<String> = ["lost", "connects.failed", "refreshed.share", "time_to_99", "refresh.p99"]

  /// Returns a text from a report without what Markdown would read as a line, a table, a link, a name or markup.
  private static func plain(_ text: String) -> String {
    var plain = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "<", ">", "|", "@", "#": plain += "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control: plain += " "
      default: plain.unicodeScalars.append(scalar)
      }
    }
    return plain
  }
}

extension ComparedFigure {
  /// Whether it decides and is not simply alike.
  fileprivate var isNoteworthy: Bool { tolerance != nil && (verdict == .better || verdict == .worse || missing != nil) }
}

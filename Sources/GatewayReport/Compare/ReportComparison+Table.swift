import GatewayFleet

extension ReportComparison {
  /// The comparison as lines of text for a terminal.
  package var table: [String] {
    var lines = (baselines.map { ("Baseline", $0) } + [("New run ", value)]).map { name, report in
      "\(name)  \(report.startedAt)  \(report.gateway)"
    }
    lines += caveats.map { "! \($0)" }
    let head = ["baseline", "new run", "change", "", ""]
    lines += [""] + TextTable.columns([[""] + head] + rows, leftFrom: 4)
    for fleet in fleets {
      lines += [""] + TextTable.columns([["fleet \(fleet.name)"] + head] + Self.rows(of: fleet.figures), leftFrom: 4)
    }
    return lines + ["", verdict]
  }

  /// A row for each figure: name, both values, the change, the verdict, and the reason.
  var rows: [[String]] { Self.rows(of: figures) }

  static func rows(of figures: [ComparedFigure]) -> [[String]] {
    figures.map { figure in
      [figure.metric.name, figure.baseText, figure.value?.text ?? "–", figure.change, figure.word, figure.reason]
    }
  }
}

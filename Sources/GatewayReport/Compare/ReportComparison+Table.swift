import GatewayFleet

extension ReportComparison {
  /// The comparison as lines of text for a terminal.
  package var table: [String] {
    var lines = ["Baseline  \(base.startedAt)  \(base.gateway)", "New run   \(value.startedAt)  \(value.gateway)"]
    lines += caveats.map { "! \($0)" }
    lines += [""] + TextTable.columns([["", "baseline", "new run", "change", "", ""]] + rows, leftFrom: 4)
    return lines + ["", verdict]
  }

  /// A row for each figure: name, both values, the change, the verdict, and why there is none.
  var rows: [[String]] {
    figures.map { figure in
      [
        figure.metric.name, figure.base?.text ?? "–", figure.value?.text ?? "–", figure.change, figure.word,
        figure.missing ?? figure.tolerance.map { figure.fails ? "more than \(Figures.percent($0))" : "" } ?? "",
      ]
    }
  }
}

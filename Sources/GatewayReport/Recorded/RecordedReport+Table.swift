import GatewayFleet

extension RecordedReport {
  /// The report in short, as lines of text for a terminal: what it says of itself, its thresholds, its figures.
  package var table: [String] {
    var lines = [
      "Storm \(run.map { "\($0) " } ?? "")on \(gateway), \(dialect), \(startedAt), \(Figures.decimal(seconds, places: 1)) s, on \(machine)"
    ]
    lines += caveats.map { "! \($0)" }
    if !thresholds.isEmpty { lines += ["", "Thresholds"] + TextTable.aligned(thresholds.map(\.row)) }
    let rows = Metric.all.compactMap { metric in
      figures[metric.name].flatMap { $0.text == "–" ? nil : [metric.name, $0.text, metric.meaning] }
    }
    return lines + ["", "Figures"] + TextTable.columns(rows, leftFrom: 2) + (advice.map { ["", $0] } ?? [])
  }
}

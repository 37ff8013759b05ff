import GatewayFleet

extension RecordedReport {
  /// A short form of the report as lines of text for a terminal: its header, thresholds and figures.
  package var table: [String] {
    var lines = [
      "Storm \(run.map { "\($0) " } ?? "")on \(gateway), \(dialect), \(startedAt), \(Figures.decimal(seconds, places: 1)) s, on \(machine)"
    ]
    lines += caveats.map { "! \($0)" }
    if !thresholds.isEmpty { lines += ["", "Thresholds"] + TextTable.aligned(thresholds.map(\.row)) }
    let rows = Metric.all.compactMap { metric in
      figures[metric.name].flatMap { $0.text == "–" ? nil : [metric.name, $0.text, metric.meaning] }
    }
    if !fleets.isEmpty { lines += ["", "Fleets"] + TextTable.columns([Self.fleetHead] + fleetRows) }
    return lines + ["", "Figures"] + TextTable.columns(rows, leftFrom: 2) + (advice.map { ["", $0] } ?? [])
  }
}

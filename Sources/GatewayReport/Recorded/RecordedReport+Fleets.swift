import GatewayFleet

extension RecordedReport {
  /// The columns of ``fleetRows``, with the metric of each.
  private static let columnsOfFleets = [
    ("lost", "lost"), ("not let in", "connects.failed"), ("refreshed", "refreshed.share"),
    ("provider calls", "provider.calls"), ("refresh p99", "refresh.p99"), ("recovered after", "recovered.after"),
  ]

  /// The header of ``fleetRows``.
  static var fleetHead: [String] { ["", "clients", "dialect"] + columnsOfFleets.map(\.0) }

  /// A row for each fleet; none for a storm of one.
  var fleetRows: [[String]] {
    fleets.map { fleet in
      [fleet.name, fleet.report.clients, fleet.report.dialect]
        + Self.columnsOfFleets.map { fleet.report.figures[$0.1]?.text ?? "–" }
    }
  }

  /// A line of Markdown for each fleet.
  var fleetLines: [String] {
    fleets.map { fleet in
      let figures = zip(
        Self.columnsOfFleets.map(\.0), Self.columnsOfFleets.map { fleet.report.figures[$0.1]?.text ?? "–" })
      return "- fleet `\(fleet.name)`: \(fleet.report.clients) clients, "
        + figures.map { "\($0) \($1)" }.joined(separator: ", ")
    }
  }
}

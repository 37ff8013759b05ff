import GatewayFleet

extension StormReport {
  /// The columns of the phases, with the metric of each.
  private static let phaseColumns = [
    ("logins", "connects.ok"), ("asked", "refresh.asked"), ("refreshed", "refresh.accepted"), ("cut off", "cut_off"),
    ("back", "returned"), ("provider calls", "provider.calls"), ("refused", "provider.refused"),
    ("refresh p99", "refresh.p99"),
  ]

  /// The header of ``phaseRows``.
  static var phaseHead: [String] { ["", "from", "to"] + phaseColumns.map(\.0) }

  /// A row for each phase of the storm's scenario; none without one.
  var phaseRows: [[String]] {
    (result.phases ?? []).map { phase in
      [phase.name, Figures.seconds(phase.from), Figures.seconds(phase.to)]
        + Self.phaseColumns.map { _, name in
          Metric.named(name).map { Figure($0, phase.result).text } ?? "–"
        }
    }
  }
}

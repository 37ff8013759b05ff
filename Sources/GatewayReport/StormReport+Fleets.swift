internal import GatewayFleet

// A storm of several fleets.

extension StormReport {
  /// The columns of the fleets, with the metric of each.
  private static let columnsOfFleets = [
    ("lost", "lost"), ("of them", "lost.share"), ("refreshed", "refreshed.share"), ("provider calls", "provider.calls"),
    ("per token", "retry.amplification"), ("refresh p99", "refresh.p99"), ("recovered after", "recovered.after"),
  ]

  /// The header of ``fleetRows``.
  var fleetHead: [String] {
    ["", "clients", "dialect"] + Self.columnsOfFleets.map(\.0) + (result.signOuts == nil ? [] : ["signed out"])
  }

  /// A row for each fleet: a fleet of several SDKs has one for its sum, and one for each. None for a storm of one fleet.
  var fleetRows: [[String]] {
    var rows: [[String]] = []
    var groups: [String] = []
    for fleet in fleets {
      if let group = fleet.group, !groups.contains(where: { $0.utf8.elementsEqual(group.utf8) }) {
        groups.append(group)
        let parts = fleets.filter { $0.group?.utf8.elementsEqual(group.utf8) ?? false }
        let clients = parts.reduce(0) { $0 + $1.plan.clients }
        rows.append(row(group, clients, fleet.plan.dialect, result.fleet(named: group) ?? fleet.result))
      }
      rows.append(
        row((fleet.group == nil ? "" : "  ") + fleet.name, fleet.plan.clients, fleet.dialectText, fleet.result))
    }
    return rows
  }

  private func row(_ name: String, _ clients: Int, _ dialect: String, _ part: StormResult) -> [String] {
    [name, Figures.count(clients), dialect]
      + Self.columnsOfFleets.map { _, name in Metric.named(name).map { Figure($0, part).text } ?? "–" }
      + (result.signOuts == nil ? [] : [Figures.count(part.signOuts?.total ?? 0)])
  }

  /// The gateway and the provider of each fleet, and the gateway's times.
  var settingsOfFleets: [[String]] {
    fleets.map { fleet in
      let times = fleet.plan.gateway
      return [
        fleet.name, fleet.gateway,
        "lead \(Figures.duration(times.lead)), spread \(Figures.duration(times.spread)), refresh timeout "
          + "\(Figures.duration(times.timeout)); tokens live \(Figures.duration(fleet.plan.life))",
        fleet.provider,
      ]
    }
  }
}

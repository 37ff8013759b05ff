internal import GatewayCore
import GatewayFleet

extension StormReport {
  var tables: String {
    [
      section("Fleets", fleets.isEmpty ? "" : HTMLText.table(head: fleetHead, rows: fleetRows)),
      section("Phases", phaseRows.isEmpty ? "" : HTMLText.table(head: Self.phaseHead, rows: phaseRows)),
      section("Latency", latencyTable), section("What jitter would have changed", forecastTable),
      section("Clients by behaviour", behaviourTable),
      section("Token provider", tokenTable),
      section(
        "Keys that the storm served", keyRows.isEmpty ? "" : HTMLText.table(head: [], rows: keyRows, numbersFrom: 3)),
      folded("All figures", countTable), section("Reasons", reasonTable),
      section("Plan", fleets.isEmpty ? planTable : ""),
      section(
        "Settings of the gateway",
        HTMLText.table(
          head: [], rows: fleets.isEmpty ? settingRows : settingsOfFleets, numbersFrom: fleets.isEmpty ? 2 : 4)),
    ].joined(separator: "\n")
  }

  private func section(_ title: String, _ content: String) -> String {
    content.isEmpty ? "" : "<section><h2>\(title)</h2>\(content)</section>"
  }

  /// Returns a long section that opens with a click.
  private func folded(_ title: String, _ content: String) -> String {
    content.isEmpty
      ? "" : "<section><details><summary>\(title)</summary><div>\(content)</div></details></section>"
  }

  private var latencyTable: String {
    HTMLText.table(
      head: ["", "count", "min", "p50", "p90", "p99", "max", "mean"],
      rows: latencies.map { name, histogram in
        [name, Figures.count(Int(histogram.count))]
          + [
            histogram.minimum, histogram.quantile(0.5), histogram.quantile(0.9), histogram.quantile(0.99),
            histogram.maximum, histogram.mean,
          ].map { $0.map(Figures.duration) ?? "–" }
      })
      + HTMLText.meanings([
        ("p50, p90, p99", "no longer than this took 50, 90 and 99 of 100; at most 3.2 % too high"),
        ("connect", "from the begin of a connection to the accepted login"),
        ("refresh", "from the gateway's request, or what the wire has in its place, to the accepted token"),
        ("provider", "from the wish for a token to its arrival, the wait for a free place included"),
        (
          "overdue",
          "from the latest moment at which the gateway was to ask, by the token's end and the lead, to the accepted token"
        ),
        (
          "the storm's own lateness",
          "how late its own loops came to what was due; so much of the latencies above may be its own and not the gateway's"
        ),
      ])
  }

  private var forecastTable: String {
    guard forecast != nil else { return "" }
    let notes = forecastNotes.map { "<p>\(Escaping.markup($0))</p>" }.joined()
    return HTMLText.table(head: [], rows: forecastRows, numbersFrom: 5) + notes
  }

  private var behaviourTable: String {
    HTMLText.table(head: [""] + columns.map(\.name), rows: behaviourRows)
      + HTMLText.meanings(columns)
  }

  private var tokenTable: String {
    guard !tokenRows.isEmpty else { return "" }
    let ends = endsText.map { "<p>When the latest tokens end was told by: \(Escaping.markup($0))</p>" } ?? ""
    let calls = callRows.isEmpty ? "" : HTMLText.table(head: Self.callHead, rows: callRows)
    let signOuts = signOutRow.map { "<p>\(Escaping.markup($0.joined(separator: " ")))</p>" } ?? ""
    return HTMLText.table(head: Self.tokenHead, rows: tokenRows) + calls + signOuts + ends
  }

  private var countTable: String {
    let rows = Metric.all.filter { !Self.namesShownAsLatencies.contains($0.name) }.compactMap { metric in
      figure(metric.name) == "–" ? nil : [metric.name, explained(metric.name), metric.meaning]
    }
    return HTMLText.table(head: ["metric", "value", "what it is"], rows: rows, numbersFrom: 3)
  }

  /// The metrics that have a table of their own.
  private static let namesShownAsLatencies = Set(Metric.latencies.map(\.name))

  private var reasonTable: String {
    let groups: [(String, Reasons)] = [
      ("connection failed", result.connects.failed), ("cut off", result.disconnects),
      ("refresh refused by the gateway", result.refreshes.refused),
      ("refused on the way back", result.returns.refused), ("failed on the way back", result.returns.failed),
      ("refresh given up", result.refreshes.givenUp), ("no token from the provider", result.provider.refused),
      ("error", result.errors),
    ]
    let rows = groups.flatMap { name, reasons in
      reasons.sorted.map { [name, $0.reason, Figures.count($0.count)] }
    }
    return rows.isEmpty ? "" : HTMLText.table(head: ["", "reason", "count"], rows: rows, numbersFrom: 2)
  }

  private var planTable: String {
    HTMLText.table(head: [], rows: planRows, numbersFrom: 2)
  }

  private var planRows: [[String]] {
    [
      ["gateway", gateway], ["dialect", dialectText], ["token provider", provider],
      ["clients", "\(Figures.count(plan.clients)) (\(plan.behaviours))"],
      ["rate", "\(Figures.decimal(plan.rate, places: 0)) per second, ramp \(Figures.duration(plan.ramp))"],
      ["hold", Figures.duration(plan.hold)],
      [
        "expiry",
        plan.expiry == .common ? "all together after \(Figures.duration(plan.expiresAfter))" : "each by itself",
      ],
      ["token life", "\(Figures.duration(plan.life)), jitter \(Figures.percent(plan.jitter))"],
      ["waves", "\(plan.waves)"], ["slow clients' delay", Figures.duration(plan.slowDelay)],
      ["processes and loops", "\(plan.processes) × \(plan.loops)"],
      ["source addresses", plan.addresses == 0 ? "the system's choice" : "\(plan.addresses) of 127.0.0.x"],
      [
        "requests to the provider",
        "\(Figures.count(plan.fetches)) at once in each process"
          + (plan.fetchRate.map { ", \(Figures.decimal($0, places: 1)) a second" } ?? ""),
      ],
      ["seed", "\(plan.seed)"],
    ] + arrivalRows.map { [$0[0], $0[1] + ": " + $0[2]] }
  }
}

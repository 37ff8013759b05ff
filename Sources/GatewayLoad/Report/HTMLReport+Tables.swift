internal import GatewayCore

extension StormReport {
  var tables: String {
    [
      section("Latency", latencyTable), section("Clients by behaviour", behaviourTable),
      section("Connections and refreshes", countTable), section("Reasons", reasonTable),
      section("Plan", planTable),
    ].joined(separator: "\n")
  }

  private func section(_ title: String, _ content: String) -> String {
    content.isEmpty ? "" : "<section><h2>\(title)</h2>\(content)</section>"
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
  }

  private var behaviourTable: String {
    HTMLText.table(
      head: [
        "", "clients", "connected", "refreshed", "kept", "lost", "lost as due", "overstayed", "unrefreshed", "late",
      ],
      rows: behaviours.map { behaviour, tally in
        [behaviour.rawValue]
          + [
            tally.clients, tally.connected, tally.refreshed, tally.kept, tally.lostUnexpectedly, tally.lostExpectedly,
            tally.overstayed, tally.unrefreshed, tally.late,
          ].map(Figures.count)
      })
  }

  private var countTable: String {
    let names = [
      "connects.attempted", "connects.ok", "connects.failed", "connects.peak", "refresh.asked", "refresh.answered",
      "refresh.accepted", "refresh.refused", "refresh.timed_out", "refresh.peak", "refresh.peak_to_mean",
      "interrupted", "returned", "return.attempts", "return.attempts_per_client", "return.refused",
      "return.refused_old", "return.failed", "refreshed.share", "time_to_50", "time_to_95", "time_to_99",
      "provider.calls", "provider.refused",
      "provider.peak", "provider.in_flight", "provider.calls_per_expiry", "retry.amplification",
      "gateway.cpu_per_refresh", "gateway.bytes_per_connection",
    ]
    let rows = names.compactMap { name in
      Metric.named(name).flatMap { metric in
        metric.value(result).map { [metric.name, metric.unit.text($0), metric.meaning] }
      }
    }
    return HTMLText.table(head: ["metric", "value", "what it is"], rows: rows, numbersFrom: 3)
  }

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
      [
        "gateway's lead, spread, time-out",
        [plan.gateway.lead, plan.gateway.spread, plan.gateway.timeout].map(Figures.duration).joined(separator: ", "),
      ],
      ["processes and loops", "\(plan.processes) × \(plan.loops)"],
      ["source addresses", plan.sources == 0 ? "the system's choice" : "\(plan.sources) of 127.0.0.x"],
      ["requests to the provider at once", "\(Figures.count(plan.fetches)) in each process"],
      ["seed", "\(plan.seed)"],
    ]
  }
}

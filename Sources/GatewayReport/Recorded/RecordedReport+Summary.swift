import GatewayFleet

extension RecordedReport {
  /// The report in a few lines of Markdown, for a message in a chat: who reads it there may know neither the gateway's
  /// address nor the machine, which it does not name.
  package var summary: String {
    let word = wasInterrupted ? "interrupted" : passes ? "passed" : "failed"
    var lines = ["**Storm \(word)**: \(clients) clients, \(dialect), \(Figures.decimal(seconds, places: 0)) s"]
    let parts = Self.shown.compactMap { name, words in
      figures[name].flatMap { $0.value == nil && !$0.isNever ? nil : "\(words) \($0.text)" }
    }
    if !parts.isEmpty { lines.append("- " + parts.joined(separator: ", ")) }
    for outcome in thresholds where !outcome.holds {
      lines.append("- fails: `\(outcome.threshold)` \(outcome.row[2])")
    }
    lines += caveats.map { "- note: \($0)" }
    if let advice { lines.append("- \(advice)") }
    return lines.joined(separator: "\n")
  }

  private var clients: String { settings["clients"].flatMap { Int($0) }.map(Figures.count) ?? "an unknown number of" }

  private static let shown = [
    ("refreshed.share", "refreshed"), ("lost", "lost"), ("connects.failed", "not let in"),
    ("refresh.half_within", "half of them within"),
    ("time_to_99", "99 % refreshed after"), ("refresh.p99", "refresh p99"), ("outage.p99", "without a connection p99"),
    ("provider.refresh_peak", "provider's peak per second"), ("gateway.cpu_per_refresh", "gateway CPU per refresh"),
  ]
}

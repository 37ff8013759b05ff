import GatewayFleet

extension RecordedReport {
  /// The report in a few lines of Markdown for a chat message. It omits the gateway's address and the machine, since
  /// not every reader of a chat may know them.
  package var summary: String {
    let word = wasInterrupted ? "interrupted" : passes ? "passed" : "failed"
    var lines = ["**Storm \(word)**: \(clients) clients, \(dialect), \(Figures.decimal(seconds, places: 0)) s"]
    let parts = Self.shown.compactMap { name, words in
      figures[name].flatMap { $0.value == nil && !$0.isNever ? nil : "\(words) \($0.text)" }
    }
    if !parts.isEmpty { lines.append("- " + parts.joined(separator: ", ")) }
    lines += fleetLines
    if let reasons { lines.append("- not let in: \(reasons)") }
    for outcome in thresholds where !outcome.holds {
      lines.append("- fails: `\(outcome.threshold)` \(outcome.row[2])")
    }
    lines += caveats.map { "- note: \($0)" }
    if let advice { lines.append("- \(advice)") }
    return lines.joined(separator: "\n")
  }

  /// Why logins failed, with the most frequent reasons first; nil if none failed.
  private var reasons: String? {
    let sorted = failedLogins.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard !sorted.isEmpty else { return nil }
    var parts = sorted.prefix(Self.reasonsMax).map { reason, count in
      "\(Figures.count(count)) by `\(reason.filter { $0 != "`" && !$0.isNewline })`"
    }
    let others = sorted.dropFirst(Self.reasonsMax).count
    if others > 0 { parts.append("and \(others) other \(others == 1 ? "reason" : "reasons")") }
    return parts.joined(separator: ", ")
  }

  private static let reasonsMax = 4

  var clients: String { settings["clients"].flatMap { Int($0) }.map(Figures.count) ?? "an unknown number of" }

  private static let shown = [
    ("refreshed.share", "refreshed"), ("lost", "lost"), ("connects.failed", "not let in"),
    ("refresh.half_within", "half of them within"),
    ("time_to_99", "99 % refreshed after"), ("refresh.p99", "refresh p99"), ("outage.p99", "without a connection p99"),
    ("provider.refresh_peak", "provider's peak per second"), ("gateway.cpu_per_refresh", "gateway CPU per refresh"),
  ]
}

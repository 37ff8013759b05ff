internal import GatewayCore
import GatewayFleet

extension StormReport {
  /// The report as one self-contained HTML page: it has no script, and no font or picture from elsewhere.
  package var html: String {
    HTMLPage.text(
      title: "Storm of \(Figures.count(plan.clients)) clients",
      body: """
        \(header)
        \(tiles)
        \(thresholdSection)
        <section class="charts">
        \(charts.joined(separator: "\n"))
        </section>
        \(tables)
        <footer>Seed \(plan.seed) · \(Escaping.markup(machine.summary))</footer>
        """)
  }

  var header: String {
    let verdict =
      thresholds.isEmpty ? "" : "<b class=\"\(passes ? "pass" : "fail")\">\(passes ? "passed" : "failed")</b>"
    let wave = waveSentence.map { "<p>The wave: \(Escaping.markup($0))</p>" } ?? ""
    let caveat = caveats.map { "<p class=\"caveat\">\(Escaping.markup($0))</p>" }.joined()
    return """
      <header><h1>Storm of \(Figures.count(plan.clients)) clients \(verdict)</h1>
      <p>\(Escaping.markup(startText)) · \(Escaping.markup(gateway)) · \(Escaping.markup(fleets.isEmpty ? dialectText : "\(fleets.count) fleets")) · \(Escaping.markup(Figures.decimal(result.seconds, places: 1))) s\(run.map { " · run \(Escaping.markup($0))" } ?? "")</p>
      \(wave)\(caveat)</header>
      """
  }

  private var tiles: String {
    var tiles = [
      ("refreshed and kept", figure("refreshed.share")), ("lost", figure("lost")),
      ("99 % refreshed after", figure("time_to_99")), ("refresh p99", figure("refresh.p99")),
    ]
    if hasReturns {
      tiles.append(("without a connection p99", figure("outage.p99")))
      tiles.append(("attempts to come back", figure("return.attempts_per_client") + " each"))
    }
    if result.provider.refreshCalls > 0 {
      tiles.append(("provider's peak in the wave", figure("provider.refresh_peak") + " /s"))
    }
    if result.provider.calls > result.provider.refreshCalls {
      tiles.append(("provider's peak at login", figure("provider.login_peak") + " /s"))
    }
    if result.gatewayCPUPerRefresh != nil {
      tiles.append(("gateway CPU per refresh", figure("gateway.cpu_per_refresh")))
      tiles.append(("the storm's own", figure("storm.cpu_per_refresh")))
    }
    if !result.probes.isEmpty {
      tiles.append(("gateway memory per connection", figure("gateway.bytes_per_connection")))
    }
    let items = tiles.map { "<div><b>\(Escaping.markup($0.1))</b><span>\(Escaping.markup($0.0))</span></div>" }
    return "<section class=\"tiles\">\(items.joined())</section>"
  }

  var thresholdSection: String {
    guard !thresholds.isEmpty else { return "" }
    let rows = thresholds.map { outcome in
      let actual = outcome.actual + (outcome.why.map { ": \($0)" } ?? "")
      return "<tr><td><b class=\"\(outcome.holds ? "pass" : "fail")\">\(outcome.holds ? "holds" : "fails")</b></td>"
        + "<td><code>\(Escaping.markup(outcome.threshold))</code></td><td>\(Escaping.markup(actual))</td></tr>"
    }
    return
      "<section><h2>Thresholds</h2><div class=\"scroll\"><table>\(rows.joined(separator: "\n"))</table></div></section>"
  }
}

internal import GatewayCore

extension StormReport {
  /// The report as one HTML page that needs nothing else: no script, no font, no picture from anywhere.
  package var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Storm of \(Figures.count(plan.clients)) clients</title>
    <style>\(HTMLStyle.sheet)</style>
    </head>
    <body>
    \(header)
    \(tiles)
    \(thresholdSection)
    <section class="charts">
    \(charts.joined(separator: "\n"))
    </section>
    \(tables)
    <footer>Seed \(plan.seed) · \(HTMLText.escape(machine.summary))</footer>
    </body>
    </html>

    """
  }

  private var header: String {
    let verdict =
      thresholds.isEmpty ? "" : "<b class=\"\(passes ? "pass" : "fail")\">\(passes ? "passed" : "failed")</b>"
    let caveat = caveat.map { "<p class=\"caveat\">\(HTMLText.escape($0))</p>" } ?? ""
    return """
      <header><h1>Storm of \(Figures.count(plan.clients)) clients \(verdict)</h1>
      <p>\(HTMLText.escape(startText)) · \(HTMLText.escape(gateway)) · \(HTMLText.escape(dialectText)) · \(HTMLText.escape(Figures.decimal(result.seconds, places: 1))) s</p>
      \(caveat)</header>
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
    if result.provider.calls > 0 { tiles.append(("provider's peak", figure("provider.peak") + " /s")) }
    if result.gatewayCPUPerRefresh != nil {
      tiles.append(("gateway CPU per refresh", figure("gateway.cpu_per_refresh")))
    }
    if result.gatewayBytesPerConnection != nil {
      tiles.append(("gateway memory per connection", figure("gateway.bytes_per_connection")))
    }
    let items = tiles.map { "<div><b>\(HTMLText.escape($0.1))</b><span>\(HTMLText.escape($0.0))</span></div>" }
    return "<section class=\"tiles\">\(items.joined())</section>"
  }

  private var thresholdSection: String {
    guard !thresholds.isEmpty else { return "" }
    let rows = thresholds.map { outcome in
      "<tr><td><b class=\"\(outcome.holds ? "pass" : "fail")\">\(outcome.holds ? "holds" : "fails")</b></td>"
        + "<td><code>\(HTMLText.escape(outcome.threshold))</code></td><td class=\"value\">\(HTMLText.escape(outcome.actual))</td></tr>"
    }
    return
      "<section><h2>Thresholds</h2><div class=\"scroll\"><table>\(rows.joined(separator: "\n"))</table></div></section>"
  }

  private var charts: [String] {
    let series = result.series
    let marks = plan.expiry == .common ? [(second: plan.expiresAfter.inSeconds, name: "tokens expire")] : []
    var charts = [
      TimeChart(
        title: "Refreshes per second",
        rows: [
          .init(name: "asked", style: "two", shape: .bars, values: series.asked.perSecond),
          .init(name: "accepted", style: "one", shape: .bars, values: series.accepted.perSecond),
        ], marks: marks
      ).html,
      TimeChart(
        title: "Connected clients",
        rows: [
          .init(name: "connected", style: "one", shape: .area, values: series.connected),
          .init(name: "cut off per second", style: "three", shape: .bars, values: series.losses.perSecond),
        ], marks: marks
      ).html,
    ]
    if result.provider.calls > 0 {
      charts.append(
        TimeChart(
          title: "Token provider",
          rows: [
            .init(name: "calls per second", style: "two", shape: .bars, values: series.providerCalls.perSecond),
            .init(name: "in flight", style: "one", shape: .line, values: series.providerInFlight),
          ], marks: marks
        ).html)
    }
    let refresh = result.behaviours[.wellBehaved]?.refreshLatency ?? LatencyHistogram()
    charts.append(LatencyChart(title: "Refresh: asked to refreshed, well-behaved clients", histogram: refresh).html)
    charts.append(
      LatencyChart(title: "Outage: connection ended to logged in again", histogram: result.latencies.outage).html)
    charts.append(LatencyChart(title: "Connect: begun to logged in", histogram: result.latencies.connect).html)
    charts.append(LatencyChart(title: "Token provider: wanted to given", histogram: result.latencies.provider).html)
    return charts.filter { !$0.isEmpty }
  }
}

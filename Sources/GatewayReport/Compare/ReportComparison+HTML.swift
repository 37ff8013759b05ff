internal import GatewayCore
import GatewayFleet

extension ReportComparison {
  /// The comparison as one self-contained HTML page, whose charts show all storms over each other.
  package var html: String {
    HTMLPage.text(
      title: "Storms compared",
      body: """
        \(header)
        <section class="charts">
        \(charts.filter { !$0.isEmpty }.joined(separator: "\n"))
        </section>
        <section><h2>Figures</h2>
        \(Self.pageTable(figures))
        </section>
        \(fleets.map { "<section><h2>Fleet \(Escaping.markup($0.name))</h2>\(Self.pageTable($0.figures))</section>" }.joined(separator: "\n"))
        """)
  }

  private var header: String {
    let notes = caveats.map { "<p class=\"caveat\">\(Escaping.markup($0))</p>" }.joined()
    return """
      <header><h1>Storms compared <b class="\(passes ? "pass" : "fail")">\(outcome.rawValue)</b></h1>
      \(baselines.map { "<p>baseline \(Escaping.markup("\($0.startedAt) · \($0.gateway) · \($0.dialect)"))</p>" }.joined(separator: "\n"))
      <p>new run \(Escaping.markup("\(value.startedAt) · \(value.gateway) · \(value.dialect)"))</p>
      <p>\(Escaping.markup(verdict))</p>\(notes)</header>
      """
  }

  private static func pageTable(_ figures: [ComparedFigure]) -> String {
    HTMLText.table(
      head: ["metric", "", "baseline", "new run", "change", "why"],
      rows: rows(of: figures).map { row in [row[0], row[4], row[1], row[2], row[3], row[5]] }, numbersFrom: 2)
  }

  private var charts: [String] {
    [
      series("Refreshes accepted per second") { $0.series.accepted.perSecond },
      series("Connected clients at the end of each second") { report in
        report.series.connected(seconds: report.secondsShown)
      },
      series("Calls of the provider per second for refreshes") { $0.series.providerRefreshes },
      latencies("Refresh: % that took no longer, well-behaved clients", \.refreshLatency),
      latencies("Connect: % that took no longer", \.latencies.connect),
      latencies("Token provider: % that took no longer", \.latencies.provider),
      latencies("Outage: % that took no longer", \.latencies.outage),
    ]
  }

  /// Returns a chart of all storms, each counted from its own start and drawn to its own end.
  private func series(_ title: String, _ values: (RecordedReport) -> [Int]) -> String {
    let rows = named.map { name, style, report in
      let counted = values(report)
      let rest = max(0, report.secondsShown - counted.count)
      return TimeChart.Row(name: name, style: style, shape: .line, values: counted + Array(repeating: 0, count: rest))
    }
    guard rows.contains(where: { $0.values.contains { $0 > 0 } }) else { return "" }
    return TimeChart(
      title: title, axis: .init(start: 0, step: 1, count: rows.map(\.values.count).max() ?? 1), rows: rows
    ).html
  }

  private func latencies(_ title: String, _ histogram: KeyPath<RecordedReport, LatencyHistogram>) -> String {
    let rows = named.map { name, style, report in
      DistributionChart.Row(name: name, style: style, histogram: report[keyPath: histogram])
    }
    return DistributionChart(title: title, rows: rows).html
  }

  /// All reports with the baselines first, so that the new run is drawn over them.
  private var named: [(name: String, style: String, report: RecordedReport)] {
    baselines.enumerated().map { index, report in
      (baselines.count > 1 ? "baseline \(index + 1)" : "baseline", "before", report)
    } + [("new run", "good", value)]
  }
}

extension RecordedReport {
  /// The number of seconds in its charts.
  fileprivate var secondsShown: Int { max(series.seconds, Int(seconds.rounded(.up))) }
}

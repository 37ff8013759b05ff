internal import GatewayCore
import GatewayFleet

extension ReportComparison {
  /// The comparison as one HTML page that needs nothing else, its charts those of both storms over each other.
  package var html: String {
    HTMLPage.text(
      title: "Two storms compared",
      body: """
        \(header)
        <section class="charts">
        \(charts.filter { !$0.isEmpty }.joined(separator: "\n"))
        </section>
        <section><h2>Figures</h2>
        \(HTMLText.table(head: ["metric", "", "baseline", "new run", "change", "why"], rows: pageRows, numbersFrom: 2))
        </section>
        """)
  }

  private var header: String {
    let word = passes ? "no worse" : "worse"
    let notes = caveats.map { "<p class=\"caveat\">\(Escaping.markup($0))</p>" }.joined()
    return """
      <header><h1>Two storms compared <b class="\(passes ? "pass" : "fail")">\(word)</b></h1>
      <p>baseline \(Escaping.markup("\(base.startedAt) · \(base.gateway) · \(base.dialect)"))</p>
      <p>new run \(Escaping.markup("\(value.startedAt) · \(value.gateway) · \(value.dialect)"))</p>
      <p>\(Escaping.markup(verdict))</p>\(notes)</header>
      """
  }

  private var pageRows: [[String]] {
    rows.map { row in [row[0], row[4], row[1], row[2], row[3], row[5]] }
  }

  private var charts: [String] {
    [
      series("Refreshes accepted per second") { report, _ in report.series.accepted.perSecond },
      series("Connected clients at the end of each second") { $0.series.connected(seconds: $1) },
      series("Calls of the provider per second for refreshes") { report, _ in report.series.providerRefreshes },
      latencies("Refresh: % that took no longer, well-behaved clients", \.refreshLatency),
      latencies("Connect: % that took no longer", \.latencies.connect),
      latencies("Token provider: % that took no longer", \.latencies.provider),
      latencies("Outage: % that took no longer", \.latencies.outage),
    ]
  }

  /// Both storms counted from their own starts.
  private func series(_ title: String, _ values: (RecordedReport, Int) -> [Int]) -> String {
    let seconds = [base, value].map { max($0.series.seconds, Int($0.seconds.rounded(.up))) }
    let rows = [values(base, seconds[0]), values(value, seconds[1])]
    guard rows.contains(where: { $0.contains { $0 > 0 } }) else { return "" }
    return TimeChart(
      title: title, axis: .init(start: 0, step: 1, count: max(seconds[0], seconds[1])),
      rows: [
        .init(name: "baseline", style: "two", shape: .line, values: rows[0]),
        .init(name: "new run", style: "one", shape: .line, values: rows[1]),
      ]
    ).html
  }

  private func latencies(_ title: String, _ histogram: KeyPath<RecordedReport, LatencyHistogram>) -> String {
    DistributionChart(
      title: title,
      rows: [
        .init(name: "baseline", style: "two", histogram: base[keyPath: histogram]),
        .init(name: "new run", style: "one", histogram: value[keyPath: histogram]),
      ]
    ).html
  }
}

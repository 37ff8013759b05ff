internal import GatewayCore
import GatewayFleet

extension ReportTrend {
  /// The trend as one self-contained HTML page: a chart for each figure, and a table of the runs.
  package var html: String {
    let worse = lines.filter { line in line.points.last.map { $0.isWorse && $0.run == runs.count - 1 } ?? false }
    let note =
      (worse.isEmpty
        ? ""
        : "<p class=\"caveat\">the last run is outside of the band in \(worse.map(\.metric.name).joined(separator: ", "))</p>")
      + (sumNote.map { "<p class=\"caveat\">\(Escaping.markup($0))</p>" } ?? "")
    let charts = (worse + lines.filter { line in !worse.contains { $0.metric.name == line.metric.name } })
      .map { TrendChart(line: $0, runs: runs).html }
    return HTMLPage.text(
      title: "Storms over time",
      body: """
        <header><h1>Storms over time <b class="\(worse.isEmpty ? "pass" : "fail")">\(worse.isEmpty ? "alike" : "outside")</b></h1>
        <p>\(Escaping.markup("\(Figures.count(runs.count)) runs of \(label), \(span)"))</p>\(note)</header>
        <section class="charts">
        \(charts.joined(separator: "\n"))
        </section>
        <p>\(nothing.isEmpty ? "" : "0 in every run: \(nothing.joined(separator: ", "))")</p>
        <section><h2>Runs</h2>
        \(HTMLText.table(head: ["started", "", "lost", "refresh.p99", "time_to_99"], rows: pageRows, numbersFrom: 2))
        </section>
        """)
  }

  /// The latest run first.
  private var pageRows: [[String]] {
    runs.reversed().map { run in
      [run.startedAt, run.passes ? "passed" : "failed"]
        + ["lost", "refresh.p99", "time_to_99"].map { run.figures[$0]?.text ?? "–" }
    }
  }
}

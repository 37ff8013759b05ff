import GatewayFleet

/// The figures of many runs of one storm, in the order of their time, each beside what the runs before it allow.
package struct ReportTrend: Sendable {
  /// A run, as far as a trend needs it.
  package struct Run: Sendable {
    package let startedAt: String
    package let passes: Bool
    let figures: [String: Figure]
    let hasFleets: Bool

    package init(_ report: RecordedReport) {
      startedAt = report.startedAt
      passes = report.passes
      figures = report.figures
      hasFleets = !report.fleets.isEmpty
    }
  }

  /// A figure of one run.
  struct Point: Hashable {
    /// The number of the run.
    let run: Int
    let value: Double
    /// The band of values that earlier runs allow; nil if they are too few.
    let band: ClosedRange<Double>?
    /// Whether it is outside of the band in the worse direction.
    let isWorse: Bool
  }

  /// A metric with its points, in the order of the runs.
  struct Line {
    let metric: Metric
    let points: [Point]

    /// Whether it is 0 in every run.
    var isNothing: Bool { points.allSatisfy { $0.value == 0 } }
  }

  package let label: String
  package let runs: [Run]
  let lines: [Line]
  /// The names of the metrics that are 0 in every run.
  let nothing: [String]

  /// Creates a trend.
  ///
  /// - Parameters:
  ///   - label: The name of the runs' label.
  ///   - runs: The runs, in the order of their time.
  ///   - last: The number of runs before a run that make its band.
  package init(label: String, runs: [Run], last: Int) {
    self.label = label
    self.runs = runs
    let all = Metric.all.filter { $0.better != nil && FigureEvidence(of: $0).isOfTheGateway }.compactMap { metric in
      Self.line(metric, runs, last: last)
    }
    lines = all.filter { !$0.isNothing }
    nothing = all.filter(\.isNothing).map(\.metric.name)
  }

  private static func line(_ metric: Metric, _ runs: [Run], last: Int) -> Line? {
    let values = runs.enumerated().compactMap { number, run in
      (run.figures[metric.name]?.value).flatMap { $0.isFinite ? (run: number, value: $0) : nil }
    }
    guard !values.isEmpty else { return nil }
    func band(before index: Int) -> ClosedRange<Double>? {
      let before = values[max(0, index - last)..<index].map(\.value)
      return before.count < Significance.manyRuns ? nil : Self.band(of: before, metric)
    }
    let points = values.enumerated().map { index, value in
      let band = band(before: index)
      let isOutside = band.map { metric.better == .higher ? value.value < $0.lowerBound : value.value > $0.upperBound }
      return Point(run: value.run, value: value.value, band: band, isWorse: isOutside ?? false)
    }
    return Line(metric: metric, points: points)
  }

  /// Returns the values that are alike to earlier ones: the scatter of those, at least 2 % of their median, and at
  /// least what is chance for a figure of that kind.
  private static func band(of values: [Double], _ metric: Metric) -> ClosedRange<Double> {
    let middle = Significance.median(values)
    let isCost = if case .cost = FigureEvidence(of: metric) { true } else { false }
    let floor: Double =
      switch metric.unit {
      case .duration where isCost: 0
      case .duration: Significance.askedTimeFloor
      case .count: 3 * max(1, middle).squareRoot()
      case .bytes: Significance.memoryFloor / 100
      case .share: 0.0001
      case .ratio: 0
      }
    let reach = max(Significance.reach(of: values)?.reach ?? 0, abs(middle) * Self.toleranceLeast, floor)
    let least = middle - reach
    let most = middle + reach
    let bottom = values.contains { $0 < 0 } ? least : max(0, least)
    return bottom...max(bottom, metric.unit == .share ? min(1, most) : most)
  }

  private static let toleranceLeast = 0.02

  /// The trend as lines of text for a terminal.
  package var table: [String] {
    let rows = lines.map { line in
      let last = line.points.last
      let isOfLastRun = last?.run == runs.count - 1
      return [
        line.metric.name, Figures.count(line.points.count),
        last.map { $0.band.map { Self.text($0, line.metric) } ?? "–" } ?? "–",
        isOfLastRun ? line.metric.unit.text(last?.value ?? 0) : "–",
        isOfLastRun ? last.map { $0.band == nil ? "" : $0.isWorse ? "outside" : "alike" } ?? "" : "missing",
      ]
    }
    var lines = ["\(Figures.count(runs.count)) \(runs.count == 1 ? "run" : "runs") of \(label), \(span)"]
    if runs.count <= Significance.manyRuns {
      lines.append("! \(Significance.manyRuns) runs before a run make its band; \(max(0, runs.count - 1)) are there")
    }
    if let sumNote { lines.append("! \(sumNote)") }
    lines += [""] + TextTable.columns([["", "runs", "band", "last", ""]] + rows, leftFrom: 4)
    return nothing.isEmpty ? lines : lines + ["", "\(nothing.count) further figures are 0 in every run"]
  }

  /// The note that the figures are those of all fleets together; nil for storms of one.
  var sumNote: String? {
    runs.contains(where: \.hasFleets)
      ? "the figures are the sums of all fleets; postern report compare judges each fleet" : nil
  }

  var span: String {
    guard let first = runs.first, let last = runs.last else { return "none" }
    return runs.count == 1 ? first.startedAt : "\(first.startedAt) to \(last.startedAt)"
  }

  static func text(_ band: ClosedRange<Double>, _ metric: Metric) -> String {
    "\(metric.unit.text(band.lowerBound)) … \(metric.unit.text(band.upperBound))"
  }
}

extension FigureEvidence {
  /// Whether the figure says something of the gateway and the token endpoint, not of the storm's own processes.
  fileprivate var isOfTheGateway: Bool {
    if case .generator = self { false } else { true }
  }
}

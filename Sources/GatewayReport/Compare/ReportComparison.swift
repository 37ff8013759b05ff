/// Two reports beside each other, the first the baseline: of yesterday's build and of today's, for instance.
package struct ReportComparison: Sendable {
  package let base: RecordedReport
  package let value: RecordedReport
  /// Every metric that one of them has, in the order of the documentation.
  package let figures: [ComparedFigure]
  /// What to know before one believes the verdict: what the storms were asked to do otherwise.
  package let caveats: [String]

  package init(base: RecordedReport, value: RecordedReport, _ rule: ComparisonRule = ComparisonRule()) {
    self.base = base
    self.value = value
    figures = Metric.all.map { metric in
      ComparedFigure(metric, base: base.figures[metric.name], value: value.figures[metric.name], rule)
    }.filter { $0.base?.value != nil || $0.value?.value != nil || rule.asksFor($0.metric) }
    caveats = Self.caveats(base, value)
  }

  /// Whether the new run is no worse, as far as it was asked. Of half a storm nobody knows.
  package var passes: Bool { value.cutShort == nil && !figures.contains(where: \.fails) }

  /// The comparison in a sentence.
  package var verdict: String {
    if let cutShort = value.cutShort { return "worse: the new run is no whole storm, \(cutShort)" }
    let failing = figures.filter(\.fails)
    guard !failing.isEmpty else {
      let judged = figures.filter { $0.tolerance != nil && $0.verdict != .undecided }
      let better = judged.count { $0.verdict == .better }
      return "no worse: of \(judged.count) figures \(judged.count - better) are alike and \(better) better"
    }
    let named = failing.map { figure in
      figure.verdict == .worse
        ? "\(figure.metric.name) \(figure.base?.text ?? "–") -> \(figure.value?.text ?? "–")"
        : "\(figure.metric.name) is missing"
    }
    return "worse: " + named.joined(separator: ", ")
  }

  private static func caveats(_ base: RecordedReport, _ value: RecordedReport) -> [String] {
    var caveats: [String] = []
    for (whose, report) in [("baseline", base), ("new run", value)] {
      caveats += report.caveats.map { "\(whose): \($0)" }
    }
    let sides: [(name: String, base: String, value: String)] =
      [("dialect", base.dialect, value.dialect), ("machine", base.machine, value.machine)]
      + Set(base.settings.keys).union(value.settings.keys).sorted().map { path in
        ("plan's \(path)", base.settings[path] ?? "absent", value.settings[path] ?? "absent")
      }
    for side in sides where !side.base.utf8.elementsEqual(side.value.utf8) {
      caveats.append("the \(side.name) differs: \(side.base), then \(side.value)")
    }
    return caveats
  }
}

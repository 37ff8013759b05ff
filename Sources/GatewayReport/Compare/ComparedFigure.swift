import GatewayFleet

/// One metric of a storm with the metric of its baselines.
package struct ComparedFigure: Sendable {
  /// The verdict on a figure compared with its baseline.
  package enum Verdict: Hashable, Sendable {
    case worse
    case better
    /// Within the tolerance, or no further apart than two runs may be by chance.
    case alike
    /// One report lacks the figure, or it has no better direction.
    case undecided
  }

  package let metric: Metric
  /// The baseline's figure, or the median of several; nil if no report has the metric.
  package let base: Figure?
  /// The baselines' values, in order.
  package let bases: [Double]
  package let value: Figure?
  /// How much worse it may be, as a share of the baseline's; nil if it does not decide.
  package let tolerance: Double?
  package let verdict: Verdict
  /// Whether it differs by more than the tolerance, but by no more than chance.
  package let isChance: Bool
  /// Whether the comparison fails because of it.
  package let fails: Bool

  init(_ metric: Metric, _ baselines: [RecordedReport], _ report: RecordedReport, _ rule: ComparisonRule) {
    self.metric = metric
    let figures = baselines.compactMap { $0.figures[metric.name] }
    let measured = figures.filter { $0.value != nil }.sorted { ($0.value ?? 0) < ($1.value ?? 0) }
    bases = measured.compactMap(\.value)
    // A baseline with the figure is preferred to one without.
    base = measured.isEmpty ? figures.first : measured[(measured.count - 1) / 2]
    value = report.figures[metric.name]
    let decides = rule.decides(metric, baselines: baselines.count)
    tolerance = decides ? rule.tolerance(of: metric, baselines: baselines.count) : nil
    let judge = FigureJudge(metric, baselines, report, rule)
    (verdict, isChance) = judge.verdict(bases, base, value)
    // A figure that was requested and is missing fails, just as it would fail a threshold. It is not missing if neither
    // side has it.
    let isMissing = (base?.value == nil) != (value?.value == nil) && verdict == .undecided
    // Near the edge it is chance whether the last clients are back in time; the number of missing clients is judged
    // separately.
    let isNever = value?.isNever ?? false
    fails =
      decides && ((verdict == .worse && (!isNever || rule.asksFor(metric))) || (isMissing && rule.asksFor(metric)))
  }

  /// Why there is no verdict, if one report lacks the figure and the other has it.
  package var missing: String? {
    guard (base?.value == nil) != (value?.value == nil) else { return nil }
    let (whose, figure) = base?.value == nil ? ("the baseline", base) : ("the new run", value)
    return "\(whose) has none: \(figure?.why ?? "its report does not name it")"
  }

  /// The baseline's figure for people; for several baselines the minimum and the maximum.
  package var baseText: String {
    guard let least = bases.min(), let most = bases.max(), least < most else { return base?.text ?? "–" }
    return "\(metric.unit.text(least)) … \(metric.unit.text(most))"
  }

  /// The change: `+12.0 %`, `from 0`, `–`.
  package var change: String {
    guard let old = base?.value, let new = value?.value else { return "–" }
    guard new != old else { return "=" }
    if metric.unit == .share { return "\(new > old ? "+" : "")\(Figures.decimal((new - old) * 100, places: 2)) points" }
    guard old != 0 else { return "from 0" }
    return "\(new > old ? "+" : "")\(Figures.decimal((new - old) / abs(old) * 100, places: 1)) %"
  }

  /// The verdict as one word.
  package var word: String {
    switch verdict {
    case .worse: fails ? "WORSE" : "worse"
    case .better: "better"
    case .alike: isChance ? "chance" : "alike"
    case .undecided: missing != nil ? (fails ? "MISSING" : "missing") : ""
    }
  }

  /// The reason for the verdict.
  package var reason: String {
    if let missing { return missing }
    if isChance { return "no more than runs of one storm differ" }
    guard verdict == .worse else { return "" }
    guard let tolerance, fails else { return "does not decide" }
    return bases.count > 1 ? "beyond the baselines' scatter" : "more than \(Figures.percent(tolerance))"
  }
}

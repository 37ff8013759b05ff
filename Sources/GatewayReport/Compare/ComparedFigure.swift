import GatewayFleet

/// One metric of a storm beside its baselines'.
package struct ComparedFigure: Sendable {
  /// The verdict on the figure beside its baseline.
  package enum Verdict: Hashable, Sendable {
    case worse
    case better
    /// Within the tolerance, or no more apart than chance has two runs.
    case alike
    /// One of them does not have the figure, or it cannot be told which is better.
    case undecided
  }

  package let metric: Metric
  /// The baseline's figure, of several the middle one; nil where no report names the metric.
  package let base: Figure?
  /// What the baselines have.
  package let bases: [Double]
  package let value: Figure?
  /// How much worse it may be, as a share of the baseline's; nil where it does not decide.
  package let tolerance: Double?
  package let verdict: Verdict
  /// Whether it differs by more than the tolerance, and yet by no more than chance.
  package let isChance: Bool
  /// Whether the comparison fails on account of it.
  package let fails: Bool

  init(_ metric: Metric, _ baselines: [RecordedReport], _ report: RecordedReport, _ rule: ComparisonRule) {
    self.metric = metric
    let figures = baselines.compactMap { $0.figures[metric.name] }
    let measured = figures.filter { $0.value != nil }.sorted { ($0.value ?? 0) < ($1.value ?? 0) }
    bases = measured.compactMap(\.value)
    // A baseline that has it says more than one that has not.
    base = measured.isEmpty ? figures.first : measured[(measured.count - 1) / 2]
    value = report.figures[metric.name]
    let decides = rule.decides(metric, baselines: baselines.count)
    tolerance = decides ? rule.tolerance(of: metric, baselines: baselines.count) : nil
    let judge = FigureJudge(metric, baselines, report, rule)
    (verdict, isChance) = judge.verdict(bases, base, value)
    // What was asked for and is not there holds no baseline, as it keeps no threshold. Where neither has it, none is missed.
    let isMissing = (base?.value == nil) != (value?.value == nil) && verdict == .undecided
    // Whether the last clients are back in time is chance near the edge; how many are not is judged by itself.
    let isNever = value?.isNever ?? false
    fails =
      decides && ((verdict == .worse && (!isNever || rule.asksFor(metric))) || (isMissing && rule.asksFor(metric)))
  }

  /// Why there is no verdict, where a report lacks what the other has.
  package var missing: String? {
    guard (base?.value == nil) != (value?.value == nil) else { return nil }
    let (whose, figure) = base?.value == nil ? ("the baseline", base) : ("the new run", value)
    return "\(whose) has none: \(figure?.why ?? "its report does not name it")"
  }

  /// The baseline's figure for people; of several the least and the most.
  package var baseText: String {
    guard let least = bases.min(), let most = bases.max(), least < most else { return base?.text ?? "–" }
    return "\(metric.unit.text(least)) … \(metric.unit.text(most))"
  }

  /// How much it has changed: `+12.0 %`, `from 0`, `–`.
  package var change: String {
    guard let old = base?.value, let new = value?.value else { return "–" }
    guard new != old else { return "=" }
    if metric.unit == .share { return "\(new > old ? "+" : "")\(Figures.decimal((new - old) * 100, places: 2)) points" }
    guard old != 0 else { return "from 0" }
    return "\(new > old ? "+" : "")\(Figures.decimal((new - old) / abs(old) * 100, places: 1)) %"
  }

  /// The verdict in a word.
  package var word: String {
    switch verdict {
    case .worse: fails ? "WORSE" : "worse"
    case .better: "better"
    case .alike: isChance ? "chance" : "alike"
    case .undecided: missing != nil ? (fails ? "MISSING" : "missing") : ""
    }
  }

  /// Why that is the verdict.
  package var reason: String {
    if let missing { return missing }
    if isChance { return "no more than runs of one storm differ" }
    guard verdict == .worse else { return "" }
    guard let tolerance, fails else { return "does not decide" }
    return bases.count > 1 ? "beyond the baselines' scatter" : "more than \(Figures.percent(tolerance))"
  }
}

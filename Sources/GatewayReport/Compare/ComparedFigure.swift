import GatewayFleet

/// One metric of two storms: `lost`, 0 in the one and 3 in the other, for instance.
package struct ComparedFigure: Sendable {
  /// The verdict on the figure beside its baseline: it is worse, for instance.
  package enum Verdict: Hashable, Sendable {
    case worse
    case better
    /// Within the tolerance.
    case alike
    /// One of them does not have the figure, or it cannot be told which is better.
    case undecided
  }

  package let metric: Metric
  /// The figures; nil where a report does not name the metric.
  package let base: Figure?
  package let value: Figure?
  /// How much worse it may be, as a share of the baseline's; nil where it does not decide.
  package let tolerance: Double?
  package let verdict: Verdict
  /// Whether the comparison fails on account of it.
  package let fails: Bool

  init(_ metric: Metric, base: Figure?, value: Figure?, _ rule: ComparisonRule) {
    self.metric = metric
    self.base = base
    self.value = value
    tolerance = rule.tolerance(of: metric)
    verdict = Self.verdict(metric, base, value, tolerance ?? rule.tolerance)
    // What was asked for and is not there holds no baseline, as it keeps no threshold. Where neither has it, none is missed.
    let isMissing = (base?.value == nil) != (value?.value == nil) && verdict == .undecided
    fails = tolerance != nil && (verdict == .worse || (isMissing && rule.asksFor(metric)))
  }

  private static func verdict(_ metric: Metric, _ base: Figure?, _ value: Figure?, _ tolerance: Double) -> Verdict {
    guard metric.better != nil, let base, let value else { return .undecided }
    switch (base.value, value.value) {
    case (let old?, let new?):
      if ComparisonRule.isWorse(new, than: old, metric, tolerance: tolerance) { return .worse }
      return ComparisonRule.isWorse(old, than: new, metric, tolerance: tolerance) ? .better : .alike
    case (_?, nil): return value.isNever ? .worse : .undecided
    case (nil, _?): return base.isNever ? .better : .undecided
    case (nil, nil): return base.isNever && value.isNever ? .alike : .undecided
    }
  }

  /// Why there is no verdict, where a report lacks what the other has.
  package var missing: String? {
    guard (base?.value == nil) != (value?.value == nil) else { return nil }
    let (whose, figure) = base?.value == nil ? ("the baseline", base) : ("the new run", value)
    return "\(whose) has none: \(figure?.why ?? "its report does not name it")"
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
    case .alike: "alike"
    case .undecided: missing != nil ? (fails ? "MISSING" : "missing") : ""
    }
  }
}

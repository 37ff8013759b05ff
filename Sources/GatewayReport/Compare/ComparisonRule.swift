/// The rule by which a figure is held against the baseline's: which ones decide, and how much worse each may be.
package struct ComparisonRule: Sendable {
  /// How much worse than the baseline a figure may be, as a share of the baseline's; nil for what is usual for its kind.
  package let tolerance: Double?
  /// The metrics that decide, with tolerances of their own; empty for the outcomes.
  package let asked: [(metric: Metric, tolerance: Double?)]

  package init(tolerance: Double? = nil, asked: [(metric: Metric, tolerance: Double?)] = []) {
    self.tolerance = tolerance
    self.asked = asked
  }

  /// How much worse a metric may be than that of so many baselines, whose scatter says more than what is usual.
  func tolerance(of metric: Metric, baselines: Int) -> Double {
    let usual = baselines > 1 ? Self.besideScatter : FigureEvidence(of: metric).usualTolerance
    return asked.first { $0.metric.name == metric.name }?.tolerance ?? tolerance ?? usual
  }

  private static let besideScatter = 0.1

  /// Whether the comparison may fail on account of a metric.
  func decides(_ metric: Metric, baselines: Int) -> Bool {
    guard metric.better != nil else { return false }
    guard asked.isEmpty else { return asksFor(metric) }
    switch FigureEvidence(of: metric) {
    case .generator: return false
    case .cost: return baselines > 1
    // The counts behind such a ratio are not in the report.
    case .single: return baselines > 1 && !metric.name.hasSuffix(".max") && metric.unit != .ratio
    case .count, .share, .ratio, .quantile, .crossing: return true
    }
  }

  /// Whether somebody asked for that metric, so that it must be there.
  func asksFor(_ metric: Metric) -> Bool { asked.contains { $0.metric.name == metric.name } }

  /// Whether a value is worse than another by more than the tolerance. Where the baseline has 0, or a share all, nothing worse
  /// is within a tolerance.
  static func isWorse(_ value: Double, than base: Double, _ metric: Metric, tolerance: Double) -> Bool {
    guard let better = metric.better else { return false }
    let isHigherBetter = better == .higher && metric.unit != .share
    let (value, base) = (shortcoming(value, metric), shortcoming(base, metric))
    let allowed = abs(base) * tolerance + abs(base) * 1e-9
    return isHigherBetter ? value < base - allowed : value > base + allowed
  }

  /// What is judged of a value. A share is judged by what it lacks: of 99.9 % in place of 99.99 % it is ten times as much.
  static func shortcoming(_ value: Double, _ metric: Metric) -> Double {
    metric.better == .higher && metric.unit == .share ? max(0, 1 - value) : value
  }
}

/// A rule for comparing figures with a baseline: which figures decide, and how much worse each may be.
package struct ComparisonRule: Sendable {
  /// How much worse than the baseline a figure may be, as a share of the baseline's; nil for the default of its kind.
  package let tolerance: Double?
  /// The metrics that decide, with their own tolerances; empty for the outcomes.
  package let asked: [(metric: Metric, tolerance: Double?)]

  package init(tolerance: Double? = nil, asked: [(metric: Metric, tolerance: Double?)] = []) {
    self.tolerance = tolerance
    self.asked = asked
  }

  /// Returns how much worse a metric may be than that many baselines; the scatter of several replaces the default
  /// tolerance.
  func tolerance(of metric: Metric, baselines: Int) -> Double {
    let usual =
      switch baselines {
      case ...1: FigureEvidence(of: metric).usualTolerance
      case ..<Significance.manyRuns: Self.besideScatter
      default: Self.besideMuchScatter
      }
    return asked.first { $0.metric.name == metric.name }?.tolerance ?? tolerance ?? usual
  }

  private static let besideScatter = 0.1
  /// The same from ``Significance/manyRuns`` baselines on.
  private static let besideMuchScatter = 0.02

  /// Returns whether the comparison may fail because of a metric.
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

  /// Returns whether the user requested that metric, so that it must be present.
  func asksFor(_ metric: Metric) -> Bool { asked.contains { $0.metric.name == metric.name } }

  /// Returns whether a value is worse than another by more than the tolerance. If the baseline is 0, or a share of 100
  /// %, any worse value exceeds it.
  static func isWorse(_ value: Double, than base: Double, _ metric: Metric, tolerance: Double) -> Bool {
    guard let better = metric.better else { return false }
    let isHigherBetter = better == .higher && metric.unit != .share
    let (value, base) = (shortcoming(value, metric), shortcoming(base, metric))
    let allowed = abs(base) * tolerance + abs(base) * 1e-9
    return isHigherBetter ? value < base - allowed : value > base + allowed
  }

  /// Returns the part of a value that is judged. A share is judged by what it lacks: 99.9 % lacks ten times as much as
  /// 99.99 %.
  static func shortcoming(_ value: Double, _ metric: Metric) -> Double {
    metric.better == .higher && metric.unit == .share ? max(0, 1 - value) : value
  }
}

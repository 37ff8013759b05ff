/// A rule for comparing figures with a baseline: which figures decide, and how much worse each may be.
package struct ComparisonRule: Sendable {
  /// How much worse than the baseline a figure may be, as a share of the baseline's; nil for the default of its kind.
  package let tolerance: Double?
  /// The metrics that decide; empty for the outcomes.
  package let asked: [Asked]
  /// The fleet whose figures are compared; nil for those of the whole storm.
  private var fleet: String?

  /// A metric that decides.
  package struct Asked: Sendable {
    /// The only fleet whose figure decides; nil for the whole storm and each of its fleets.
    package let fleet: String?
    package let metric: Metric
    /// Nil for the tolerance of the other figures.
    package let tolerance: Double?

    package init(_ metric: Metric, of fleet: String? = nil, tolerance: Double? = nil) {
      self.fleet = fleet
      self.metric = metric
      self.tolerance = tolerance
    }
  }

  package init(tolerance: Double? = nil, asked: [Asked] = []) {
    self.tolerance = tolerance
    self.asked = asked
  }

  /// Returns the same rule for the figures of one fleet.
  func of(fleet: String) -> ComparisonRule {
    var rule = self
    rule.fleet = fleet
    return rule
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
    return asked.first { isAbout($0, metric) }?.tolerance ?? tolerance ?? usual
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
  func asksFor(_ metric: Metric) -> Bool { asked.contains { isAbout($0, metric) } }

  private func isAbout(_ asked: Asked, _ metric: Metric) -> Bool {
    guard asked.metric.name.utf8.elementsEqual(metric.name.utf8) else { return false }
    guard let named = asked.fleet else { return true }
    return fleet.map { $0.utf8.elementsEqual(named.utf8) } == true
  }

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

/// A figure that is held against the baseline, and how much worse it may be: `refresh.p99` by 20 %, for instance.
package struct ComparisonRule: Sendable {
  /// How much worse than the baseline a figure may be, as a share of the baseline's, where nothing else is said.
  package let tolerance: Double
  /// The metrics that decide, with tolerances of their own; empty for all but the longest ones, which are chance.
  package let asked: [(metric: Metric, tolerance: Double?)]

  package static let usualTolerance = 0.1

  package init(tolerance: Double = usualTolerance, asked: [(metric: Metric, tolerance: Double?)] = []) {
    self.tolerance = tolerance
    self.asked = asked
  }

  /// How much worse a metric may be; nil where it does not decide.
  func tolerance(of metric: Metric) -> Double? {
    guard asked.isEmpty else {
      return asked.first { $0.metric.name == metric.name }.map { $0.tolerance ?? tolerance }
    }
    return metric.better == nil || metric.name.hasSuffix(".max") ? nil : tolerance
  }

  /// Whether somebody asked for that metric, so that it must be there.
  func asksFor(_ metric: Metric) -> Bool { asked.contains { $0.metric.name == metric.name } }

  /// Where the baseline has 0, or a share all, nothing worse is within a tolerance: one client lost of none before.
  static func isWorse(_ value: Double, than base: Double, _ metric: Metric, tolerance: Double) -> Bool {
    guard let better = metric.better else { return false }
    // A share is judged by what it lacks: of 99.9 % in place of 99.99 % it is ten times as much.
    let isShare = better == .higher && metric.unit == .share
    let (value, base) = isShare ? (max(0, 1 - value), max(0, 1 - base)) : (value, base)
    let allowed = abs(base) * tolerance + abs(base) * 1e-9
    return better == .higher && !isShare ? value < base - allowed : value > base + allowed
  }
}

import GatewayFleet
import GatewayPlanner
import GatewayReport

/// The figures in the table of a question for each value: the figures of the thresholds first, then the usual ones.
struct PlanColumns {
  private let columns: [(name: String, phase: String?, metric: Metric)]

  private static let usual = [
    "lost.share", "provider.calls", "provider.amplification", "connected.dip", "recovered.after",
  ]

  init(_ scenario: SimulateScenario) {
    let named = scenario.thresholds.map { (name: $0.metric.name, phase: String?.none, metric: $0.metric) }
    let ofPhases = scenario.phaseThresholds.map { phase, threshold in
      (name: "\(phase): \(threshold.metric.name)", phase: String?.some(phase), metric: threshold.metric)
    }
    // The default thresholds have no columns of their own.
    let asked = scenario.ownThresholds == nil ? ofPhases : named + ofPhases
    let others = Self.usual.compactMap(Metric.named).map { (name: $0.name, phase: String?.none, metric: $0) }
    var columns: [(name: String, phase: String?, metric: Metric)] = []
    for column in asked + others where !columns.contains(where: { $0.name.utf8.elementsEqual(column.name.utf8) }) {
      columns.append(column)
    }
    self.columns = columns
  }

  var names: [String] { columns.map(\.name) }

  /// Returns the figures of a result, in the order of ``names``.
  func texts(_ result: StormResult) -> [String] { columns.map { figure($0, result)?.text ?? "–" } }

  func figures(_ result: StormResult) -> [String: Figure] {
    var figures: [String: Figure] = [:]
    for column in columns { figures[column.name] = figure(column, result) }
    return figures
  }

  private func figure(_ column: (name: String, phase: String?, metric: Metric), _ result: StormResult) -> Figure? {
    guard let phase = column.phase else { return Figure(column.metric, result) }
    return result.phases?.first { $0.name.utf8.elementsEqual(phase.utf8) }.map { Figure(column.metric, $0.result) }
  }
}

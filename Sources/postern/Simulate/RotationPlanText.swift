import GatewayCore
import GatewayFleet
import GatewayPlanner
import GatewayReport

/// A table of policies for refresh tokens: whether each holds, and its figures.
struct RotationPlanText {
  let comparison: RotationComparison
  let scenario: SimulateScenario

  private static let names = ["signed_out.share", "signed_out", "lost.share", "provider.calls"]

  var lines: [String] {
    let metrics = Self.names.compactMap(Metric.named)
    let rows = comparison.rows.map { row in
      [Self.title(row), row.trial.passes ? "holds" : "fails"]
        + metrics.map { Figure($0, row.trial.result).text }
    }
    return [verdict] + TextTable.columns([["", ""] + Self.names] + rows, rightFrom: 2)
      + ["  \(comparison.worlds) worlds"]
  }

  private var verdict: String {
    let keeps = scenario.wishes.joined(separator: ", ")
    guard let best = comparison.best else {
      return "rotation: no policy keeps \(keeps); ask for the grace that does: --ask grace"
    }
    return "rotation: \(Self.title(best)) keeps \(keeps) with the fewest calls of the provider"
  }

  static func title(_ row: RotationComparison.Row) -> String {
    let policy = row.replay.map { "\($0.rawValue) \(Figures.duration(row.grace))" } ?? "strict"
    return "\(policy), flight \(row.singleFlight.rawValue)"
  }
}

extension PlanReport {
  /// A policy for refresh tokens with one kind of single flight.
  struct Rotation: Encodable {
    /// The answer to a replay, and its grace in seconds; absent for a provider without a grace.
    let replay: String?
    let graceS: Double?
    let singleFlight: String
    let holds: Bool
    let seeds: Int
    let seedsHolding: Int
    let figures: [String: Figure]

    init(_ row: RotationComparison.Row, _ columns: PlanColumns) {
      replay = row.replay?.rawValue
      graceS = row.replay.map { _ in row.grace.inSeconds }
      singleFlight = row.singleFlight.rawValue
      holds = row.trial.passes
      (seeds, seedsHolding) = (row.trial.seeds, row.trial.holding)
      var figures = columns.figures(row.trial.result)
      for name in ["signed_out", "signed_out.share"] {
        figures[name] = Metric.named(name).map { Figure($0, row.trial.result) }
      }
      self.figures = figures
    }
  }
}

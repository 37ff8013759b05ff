package import GatewayCore
package import GatewayFleet

/// A comparison of what a provider may do with refresh tokens that are shown again, and of how many clients wait for one
/// request.
package struct RotationComparison: Sendable {
  /// One policy with one kind of single flight.
  package struct Row: Sendable {
    /// The answer to a replay within the grace; nil for a provider without a grace.
    package let replay: RotationPolicy.Replay?
    package let grace: Duration
    package let singleFlight: GrantPlan.SingleFlight
    package let trial: Planner.Trial
  }

  package let rows: [Row]
  package let worlds: Int

  /// The number of worlds of a comparison.
  package static let worldsMax = 4 * flights.count * Int(Planner.seeds)
  /// The grace if the scenario has none.
  private static let usualGrace = Duration.seconds(30)
  private static let flights: [GrantPlan.SingleFlight] = [.none, .tab, .device]

  /// Runs the comparison; nil if the scenario's refresh tokens do not rotate.
  package init?(_ planner: Planner) async throws {
    guard let own = planner.settings.provider.rotation else { return nil }
    let grace = own.grace > .zero ? own.grace : Self.usualGrace
    var answer = Planner.Answer()
    var rows: [Row] = []
    for replay in [nil, .refuse, .new, .same] as [RotationPolicy.Replay?] {
      for flight in Self.flights {
        var settings = planner.settings
        var grants = settings.plan.grants ?? GrantPlan()
        grants.singleFlight = flight
        settings.plan.grants = grants
        settings.provider.rotation?.grace = replay == nil ? .zero : grace
        settings.provider.rotation?.replay = replay ?? own.replay
        let trial = try await planner.attempt(settings, Double(rows.count), &answer)
        rows.append(Row(replay: replay, grace: replay == nil ? .zero : grace, singleFlight: flight, trial: trial))
      }
    }
    self.rows = rows
    worlds = answer.runs
  }

  /// The row that keeps the thresholds with the fewest requests to the provider; nil if none does.
  package var best: Row? {
    rows.filter(\.trial.passes).min { $0.trial.result.provider.calls < $1.trial.result.provider.calls }
  }
}

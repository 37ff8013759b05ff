internal import GatewayCore

// The boundaries between the phases of a scenario.

extension Ledger {
  /// Begins the phases whose time has come. Events at the boundary or later belong to the new phase.
  mutating func reach(_ now: Instant) {
    while marks.count < boundaries.count, boundaries[marks.count] <= now { marks.append(result) }
  }

  /// Begins the first `count` phases, regardless of the loop's clock.
  mutating func beginPhases(_ count: Int) {
    while marks.count < min(count, boundaries.count) { marks.append(result) }
  }
}

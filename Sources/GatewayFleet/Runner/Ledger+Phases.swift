internal import GatewayCore

// Where one phase of a scenario ends and the next begins.

extension Ledger {
  /// Begins the phases whose time has come. What is counted at the boundary or later belongs to the new phase.
  mutating func reach(_ now: Instant) {
    while marks.count < boundaries.count, boundaries[marks.count] <= now { marks.append(result) }
  }

  /// Begins the first `count` phases, whatever the loop's clock says.
  mutating func beginPhases(_ count: Int) {
    while marks.count < min(count, boundaries.count) { marks.append(result) }
  }
}

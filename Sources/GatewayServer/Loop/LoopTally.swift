internal import Synchronization

/// The number of connections of one listener that a loop has: counted up where they are accepted, down where they end;
/// the next goes to the loop with the fewest, for instance.
final class LoopTally: Sendable {
  private let connections = Atomic<Int>(0)
  /// What the loop shares with others.
  let allowance: ConnectionAllowance

  /// - Parameter allowance: Counts those of other loops and listeners as well.
  init(in allowance: ConnectionAllowance) {
    self.allowance = allowance
  }

  var count: Int { connections.load(ordering: .relaxed) }

  func connectionAssigned() {
    connections.add(1, ordering: .relaxed)
    allowance.connectionAssigned()
  }

  func connectionEnded() {
    connections.subtract(1, ordering: .relaxed)
    allowance.connectionEnded()
  }
}

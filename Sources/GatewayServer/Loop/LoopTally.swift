internal import Synchronization

/// The number of a listener's connections on one loop: raised when they are accepted, lowered when they end. The next
/// connection goes to the loop with the fewest.
final class LoopTally: Sendable {
  private let connections = Atomic<Int>(0)
  /// The allowance that the loop shares with others.
  let allowance: ConnectionAllowance

  /// Creates a tally.
  ///
  /// - Parameter allowance: The count that includes the connections of other loops and listeners.
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

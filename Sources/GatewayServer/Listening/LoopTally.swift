internal import Synchronization

/// How many connections of one listener a loop has: counted up where they are accepted, down where they end.
final class LoopTally: Sendable {
  private let connections = Atomic<Int>(0)

  var count: Int { connections.load(ordering: .relaxed) }

  func connectionAssigned() {
    connections.add(1, ordering: .relaxed)
  }

  func connectionEnded() {
    connections.subtract(1, ordering: .relaxed)
  }
}

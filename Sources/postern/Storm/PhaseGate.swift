import GatewayFleet
import Synchronization

/// The number of a scenario's phases that every loop of every process counts by. A phase's orders wait for that, so that
/// nothing that they cause is counted to the phase before.
final class PhaseGate: Sendable {
  private let begun = Atomic<Int>(0)

  /// Takes the progress of the whole storm.
  func note(_ progress: StormProgress) {
    begun.max(progress.phases, ordering: .sequentiallyConsistent)
  }

  /// Whether phase number `index` (from 0) has begun everywhere.
  func hasBegun(_ index: Int) -> Bool { begun.load(ordering: .sequentiallyConsistent) > index }
}

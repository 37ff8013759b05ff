import GatewayFleet
import Synchronization

/// The number of phases of a scenario that all loops of all processes have entered. The orders of a phase wait for it, so
/// that their effects are not counted to the phase before.
final class PhaseGate: Sendable {
  private let begun = Atomic<Int>(0)

  /// Notes the progress of the whole storm.
  func note(_ progress: StormProgress) {
    begun.max(progress.phases, ordering: .sequentiallyConsistent)
  }

  /// Returns whether phase number `index` (from 0) has begun everywhere.
  func hasBegun(_ index: Int) -> Bool { begun.load(ordering: .sequentiallyConsistent) > index }
}

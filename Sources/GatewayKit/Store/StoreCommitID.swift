internal import Synchronization

/// The id of one commit, unique over all processes that have the store open. By it a store recognizes a commit that is
/// repeated because its answer was lost.
package struct StoreCommitID: Hashable, Sendable {
  /// A random number that no other process has.
  private static let thisProcess = {
    var generator = SystemRandomNumberGenerator()
    return UInt64.random(in: .min ... .max, using: &generator)
  }()
  private static let last = Atomic<UInt64>(0)

  package let process: UInt64
  package let number: UInt64

  package init(process: UInt64, number: UInt64) {
    self.process = process
    self.number = number
  }

  /// Returns a new id.
  static func next() -> StoreCommitID {
    StoreCommitID(process: thisProcess, number: last.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}

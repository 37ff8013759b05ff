internal import Synchronization

/// The name of one commit, by which a store knows it again when somebody who lost the answer asks a second time: the 17th of
/// this process, for instance. Nobody else gives it, in this process or in another that has the store open.
package struct StoreCommitID: Hashable, Sendable {
  /// Nothing hangs on what it is, but that no other process has it.
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

  /// An id that nobody has been given yet.
  static func next() -> StoreCommitID {
    StoreCommitID(process: thisProcess, number: last.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}

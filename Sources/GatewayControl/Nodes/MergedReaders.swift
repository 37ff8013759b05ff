internal import Synchronization

/// The readers and waiters of the journals of all nodes, and the limit of their number.
final class MergedReaders: Sendable {
  static let countMax = 64
  private let count = Atomic(0)

  /// A reader's place, which it has until it is released.
  final class Place: Sendable {
    private let readers: MergedReaders

    fileprivate init(_ readers: MergedReaders) { self.readers = readers }

    deinit { readers.count.subtract(1, ordering: .relaxed) }
  }

  /// Returns a place for one more; nil if all are taken.
  func enter() -> Place? {
    guard count.add(1, ordering: .relaxed).newValue <= Self.countMax else {
      count.subtract(1, ordering: .relaxed)
      return nil
    }
    return Place(self)
  }
}

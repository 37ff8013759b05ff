import Synchronization

/// A flag that says whether the run is to end before its time, since somebody has typed control and C, say.
final class ConformStop: Sendable {
  private let isSet = Atomic(false)

  var isOrdered: Bool { isSet.load(ordering: .relaxed) }

  func order() { isSet.store(true, ordering: .relaxed) }
}

import Synchronization

/// A flag that stops the run early, e.g. on Ctrl-C.
final class ConformStop: Sendable {
  private let isSet = Atomic(false)

  var isOrdered: Bool { isSet.load(ordering: .relaxed) }

  func order() { isSet.store(true, ordering: .relaxed) }
}

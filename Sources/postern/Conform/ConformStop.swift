import Synchronization

/// A flag that says whether the run is to end early, e.g. since its user typed Control-C.
final class ConformStop: Sendable {
  private let isSet = Atomic(false)

  var isOrdered: Bool { isSet.load(ordering: .relaxed) }

  func order() { isSet.store(true, ordering: .relaxed) }
}

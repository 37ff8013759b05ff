internal import Synchronization

/// The budget of warnings about messages without an answer, so that a fleet that sends one a second does not fill the
/// log.
final class UnansweredWarnings: Sendable {
  private let left = Atomic(8)

  /// Whether one more may be written. From any thread.
  func mayWarn() -> Bool {
    guard left.load(ordering: .relaxed) > 0 else { return false }
    return left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0
  }
}

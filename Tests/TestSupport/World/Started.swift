internal import Synchronization

/// The result of work that was started in virtual time; nil while it goes on.
package final class Started<Answer: Sendable>: Sendable {
  private let stored = Mutex<Answer?>(nil)

  package var value: Answer? { stored.withLock { $0 } }

  package init() {}

  package func end(with value: Answer) {
    stored.withLock { $0 = value }
  }
}

import Glibc
import Synchronization

/// A value that a loop sets and a test reads.
final class Box<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) {
    self.value = Mutex(value)
  }

  func set(_ new: Value) { value.withLock { $0 = new } }

  func get() -> Value { value.withLock { $0 } }

  /// Blocks the thread until the condition holds.
  func wait(until isSo: (Value) -> Bool) {
    while !isSo(get()) { sched_yield() }
  }

  func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
    value.withLock { change(&$0) }
  }
}

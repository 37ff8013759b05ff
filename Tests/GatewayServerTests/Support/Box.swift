import Synchronization

/// A value that a loop sets and a test reads.
final class Box<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) {
    self.value = Mutex(value)
  }

  func set(_ new: Value) { value.withLock { $0 = new } }

  func get() -> Value { value.withLock { $0 } }

  func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
    value.withLock { change(&$0) }
  }
}

internal import Synchronization

/// A reference that one thread replaces while others read it: the keys of a verifier, read anew while logins are judged.
/// Reading it takes no lock.
///
/// `@unchecked Sendable`: the reference is atomic, and what it leads to is Sendable. Everything that it ever led to is
/// kept, since a reader may hold on to it: a few kilobytes each time that keys are read anew.
package final class Replaceable<Value: AnyObject & Sendable>: @unchecked Sendable {
  private let current: Atomic<Unmanaged<Value>>
  private let kept: Mutex<[Value]>

  package init(_ value: Value) {
    current = Atomic(Unmanaged.passUnretained(value))
    kept = Mutex([value])
  }

  package var value: Value { current.load(ordering: .acquiring).takeUnretainedValue() }

  package func replace(with value: Value) {
    kept.withLock { $0.append(value) }
    current.store(Unmanaged.passUnretained(value), ordering: .releasing)
  }
}

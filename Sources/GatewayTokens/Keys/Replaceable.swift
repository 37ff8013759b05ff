internal import Synchronization

/// A reference that one thread replaces while others read it without a lock, e.g. the keys of a verifier.
///
/// `@unchecked Sendable`: the reference is atomic, and the object is Sendable. Every earlier object is kept, because a reader
/// may still use it, until ``retirement()`` says that none does: a few kilobytes for each reload of keys.
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

  /// Returns a function that frees the objects that have been replaced until now. Call it once every reader that may have
  /// taken one of them has returned.
  package func retirement() -> @Sendable () -> Void {
    let current = value
    return { [self] in
      kept.withLock { kept in
        if let index = kept.firstIndex(where: { $0 === current }) { kept.removeFirst(index) }
      }
    }
  }
}

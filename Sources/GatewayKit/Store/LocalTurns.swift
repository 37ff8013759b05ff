internal import Synchronization

/// Queues for exclusive access, one for each key, in the order of arrival. They work within one process. An example is
/// changing a call and telling its members before another change.
package final class LocalTurns<Key: Hashable & Sendable>: Sendable {
  /// The waiting tasks, by the key that another task holds.
  private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])
  /// The number of held keys. If it is 0, no lock is needed to check.
  private let count = Atomic<Int>(0)

  package init() {}

  /// Waits for the turn, which the caller must give back.
  package func take(_ key: Key) async {
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        guard waiting[key] == nil else {
          waiting[key]?.append(continuation)
          return false
        }
        waiting[key] = []
        count.wrappingAdd(1, ordering: .relaxed)
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  /// Ends a turn; the next waiting task gets it.
  package func give(_ key: Key) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      if waiting[key]?.isEmpty == false { return waiting[key]?.removeFirst() }
      if waiting.removeValue(forKey: key) != nil { count.wrappingSubtract(1, ordering: .relaxed) }
      return nil
    }
    next?.resume()
  }

  /// Returns whether a task holds one of these keys.
  func areTaken(_ keys: @autoclosure () -> [Key]) -> Bool {
    guard count.load(ordering: .relaxed) > 0 else { return false }
    let keys = keys()
    return waiting.withLock { waiting in keys.contains { waiting[$0] != nil } }
  }

  /// Waits for the turns of all keys. The keys are sorted and unique, so that no two tasks wait for each other.
  func take(all keys: [Key]) async {
    for key in keys { await take(key) }
  }

  func give(all keys: [Key]) {
    for key in keys { give(key) }
  }
}

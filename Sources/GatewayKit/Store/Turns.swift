internal import Synchronization

/// Queues, one at each of many things, of those who want it for themselves: to change a call and tell its members before
/// anybody else does, for instance. First come, first served; of one process.
package final class Turns<Key: Hashable & Sendable>: Sendable {
  /// Who waits, by the thing that somebody has.
  private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])
  /// How many things somebody has: where that is none, nobody has to ask further.
  private let count = Atomic<Int>(0)

  package init() {}

  /// Waits for the turn, which must be given back.
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

  /// Lets the next come.
  package func give(_ key: Key) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      if waiting[key]?.isEmpty == false { return waiting[key]?.removeFirst() }
      if waiting.removeValue(forKey: key) != nil { count.wrappingSubtract(1, ordering: .relaxed) }
      return nil
    }
    next?.resume()
  }

  /// Does `body` in the turn.
  package func inTurn<Answer, Failure: Error>(
    of key: Key, _ body: () async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    await take(key)
    defer { give(key) }
    return try await body()
  }

  /// Whether somebody has one of these.
  func areTaken(_ keys: @autoclosure () -> [Key]) -> Bool {
    guard count.load(ordering: .relaxed) > 0 else { return false }
    let keys = keys()
    return waiting.withLock { waiting in keys.contains { waiting[$0] != nil } }
  }

  /// Waits for the turns of all, which are in order and each there once, so that no two ever wait for each other.
  func take(all keys: [Key]) async {
    for key in keys { await take(key) }
  }

  func give(all keys: [Key]) {
    for key in keys { give(key) }
  }
}

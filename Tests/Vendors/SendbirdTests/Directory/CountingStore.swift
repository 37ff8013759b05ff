import GatewayCore
import GatewayKit
import Synchronization

/// A store that counts the rows read and written, and the questions it is asked.
final class CountingStore: Store {
  private let inner: any Store
  private let count = Mutex(0)
  private let asked = Mutex(0)

  init(_ inner: any Store) {
    self.inner = inner
  }

  var touched: Int { count.withLock { $0 } }
  /// Each is a trip to a store on another machine.
  var trips: Int { asked.withLock { $0 } }

  func reset() {
    count.withLock { $0 = 0 }
    asked.withLock { $0 = 0 }
  }

  func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    count.withLock { $0 += keys.count }
    asked.withLock { $0 += 1 }
    return try await inner.read(keys, at: now)
  }

  func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    let found = try await inner.scan(range, limit: limit, at: now)
    count.withLock { $0 += found.count }
    // Nothing is asked for nothing.
    if limit > 0 { asked.withLock { $0 += 1 } }
    return found
  }

  func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    count.withLock { $0 += commit.writes.count }
    asked.withLock { $0 += 1 }
    return try await inner.commit(commit, at: now)
  }

  func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] {
    asked.withLock { $0 += 1 }
    return try await inner.tallies(counts)
  }
}

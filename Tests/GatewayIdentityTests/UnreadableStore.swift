import GatewayCore
import GatewayKit
import Synchronization

/// A store that cannot read some of its rows, as one in a damaged file.
final class UnreadableStore: Store {
  private let inner: any Store
  let unreadable = Mutex<Set<StorePath>>([])

  init(_ inner: any Store) {
    self.inner = inner
  }

  func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    try check(keys.map(\.path))
    return try await inner.read(keys, at: now)
  }

  func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    let entries = try await inner.scan(range, limit: limit, at: now)
    try check(entries.map(\.path))
    return entries
  }

  func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    try await inner.commit(commit, at: now)
  }

  func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] { try await inner.tallies(counts) }

  private func check(_ paths: [StorePath]) throws(StoreError) {
    if unreadable.withLock({ !$0.isDisjoint(with: paths) }) { throw .unavailable("a row cannot be read") }
  }
}

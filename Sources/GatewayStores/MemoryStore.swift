package import GatewayCore
package import GatewayKit

/// A store in the memory of one process, which is gone when the process ends.
///
/// It keeps the values themselves and encodes nothing. It runs on the executor it is given, so in a simulated world its answers
/// come in the same order every time.
package actor MemoryStore: Store {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package nonisolated let lines: LocalTurns<StorePath>? = LocalTurns()
  private let executor: any SerialExecutor
  private var shelf = MemoryShelf()
  private var last: UInt64 = 0

  /// Creates an empty store.
  package init(on executor: any SerialExecutor) {
    self.executor = executor
  }

  package func read(_ keys: [StoreKey], at now: WallTime) -> [StoreEntry?] {
    keys.map { key in
      guard let row = shelf.row(key.path), row.isAlive(at: now) else { return nil }
      return StoreEntry(path: key.path, version: row.version, value: row.value)
    }
  }

  package func scan(_ range: StoreRange, limit: Int, at now: WallTime) -> [StoreEntry] {
    shelf.rows(in: range, limit: limit, at: now)
  }

  package func tallies(_ counts: [StoreCount]) -> [Int] {
    counts.map { shelf.tally($0.path) }
  }

  package func commit(_ commit: StoreCommit, at now: WallTime) throws(StoreError) -> Bool {
    last += 1
    let writes = commit.writes.map {
      ShelfWrite(path: $0.path, value: $0.value, expires: $0.expires, counts: $0.counts)
    }
    return try shelf.commit(
      commit.id, commit.checks, writes, version: StoreVersion(last), sweepingUntil: commit.sweepsUntil, at: now)
  }
}

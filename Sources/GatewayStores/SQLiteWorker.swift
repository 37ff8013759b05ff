internal import GatewayCore
internal import GatewayKit

/// The work of a ``SQLiteStore``'s thread: commits in shared transactions, and reads.
// Unchecked Sendable: only the store's serial queue touches it, once it is made.
final class SQLiteWorker: @unchecked Sendable {
  private let shelf: SQLiteShelf
  /// Whether other processes change the file too.
  private let isShared: Bool
  private let trouble: @Sendable (String) -> Void
  private var last: UInt64
  /// A version that commits alone cannot reach, so a file that has it is damaged.
  private static let versionMax = UInt64(1) << 62
  /// The last reported error, until a commit succeeds. The same error is reported only once in a row.
  private var lastTrouble: String?

  init(path: String, isShared: Bool, trouble: @escaping @Sendable (String) -> Void) throws(SQLiteFileError) {
    self.isShared = isShared
    self.trouble = trouble
    let file = try SQLiteFile(path, isShared: isShared)
    do throws(StoreError) {
      shelf = try SQLiteShelf(file)
      last = try Self.lastVersion(shelf)
    } catch {
      throw file.failure(error)
    }
  }

  private static func lastVersion(_ shelf: SQLiteShelf) throws(StoreError) -> UInt64 {
    let last = try shelf.lastVersion()
    guard last < versionMax else {
      throw .unavailable("it is damaged: the number of its last commit cannot be \(last); restore it from a backup")
    }
    return last
  }

  func read(_ paths: [StorePath], at now: WallTime) -> Result<[ShelfRow<[UInt8]>?], StoreError> {
    told {
      () throws(StoreError) in
      guard isShared, paths.count > 1 else { return try rows(paths, at: now) }
      // Another process may commit between two rows.
      try shelf.file.execute("BEGIN")
      let rows: [ShelfRow<[UInt8]>?]
      do throws(StoreError) {
        rows = try self.rows(paths, at: now)
      } catch {
        try? shelf.file.execute("ROLLBACK")
        throw error
      }
      try shelf.file.execute("COMMIT")
      return rows
    }
  }

  private func rows(_ paths: [StorePath], at now: WallTime) throws(StoreError) -> [ShelfRow<[UInt8]>?] {
    var rows: [ShelfRow<[UInt8]>?] = []
    for path in paths { rows.append(try shelf.row(path).flatMap { $0.isAlive(at: now) ? $0 : nil }) }
    return rows
  }

  func scan(
    _ range: StoreRange, limit: Int, at now: WallTime
  ) -> Result<[(path: StorePath, row: ShelfRow<[UInt8]>)], StoreError> {
    told { () throws(StoreError) in try shelf.rows(in: range, limit: limit, at: now) }
  }

  /// Moves the row to the table `damaged`. Returns whether the row still existed.
  func setAside(_ path: StorePath) -> Result<Bool, StoreError> {
    let result = told { () throws(StoreError) in
      try shelf.file.execute("BEGIN IMMEDIATE")
      let isThere = try shelf.setAside(path)
      try shelf.file.commit()
      return isThere
    }
    if case .failure = result { try? shelf.file.execute("ROLLBACK") }
    return result
  }

  func tallies(_ counts: [StorePath]) -> Result<[Int], StoreError> {
    told { () throws(StoreError) in try counts.map { (count) throws(StoreError) in try shelf.tally(count) } }
  }

  /// Commits all in one transaction. Returns the result of each, or the same error for all if the transaction failed.
  func commit(_ commits: [SQLiteCommit]) -> [Result<Bool, StoreError>] {
    let before = last
    let results = told { () throws(StoreError) in try transact(commits) }
    switch results {
    case .success(let results):
      lastTrouble = nil
      return results
    case .failure(let error):
      // SQLite may have ended the transaction with the error.
      try? shelf.file.execute("ROLLBACK")
      last = before
      shelf.done.forget(after: StoreVersion(before))
      return Array(repeating: .failure(error), count: commits.count)
    }
  }

  private func transact(_ commits: [SQLiteCommit]) throws(StoreError) -> [Result<Bool, StoreError>] {
    try shelf.file.execute("BEGIN IMMEDIATE")
    if isShared { last = try Self.lastVersion(shelf) }
    let before = last
    var results: [Result<Bool, StoreError>] = []
    results.reserveCapacity(commits.count)
    var shelf = shelf
    for commit in commits {
      last += 1
      do throws(StoreError) {
        results.append(
          .success(
            try shelf.commit(
              commit.id, commit.checks, commit.writes, version: StoreVersion(last), sweepingUntil: commit.sweepsUntil,
              at: commit.now)))
      } catch .full(let count) {
        results.append(.failure(.full(count)))
      }
    }
    try shelf.setLastVersion(last)
    if let now = commits.last?.now { try shelf.keepDone(after: before, to: last, at: now) }
    try shelf.file.commit()
    return results
  }

  private func told<Answer>(_ body: () throws(StoreError) -> Answer) -> Result<Answer, StoreError> {
    do throws(StoreError) {
      return .success(try body())
    } catch {
      switch error {
      case .unavailable(let text), .unknown(let text):
        if text != lastTrouble { trouble("\(shelf.file.path): \(text)") }
        lastTrouble = text
      case .full, .contended: break
      }
      return .failure(error)
    }
  }
}

internal import Dispatch
package import GatewayCore
package import GatewayKit
internal import Synchronization

/// A store in an SQLite file, for one process at a time, or for several that share it. An accepted commit survives the end of
/// the process and a power cut.
///
/// One thread does all the work. It takes every waiting request and answers the reads first. Then it does all the commits in
/// one transaction and answers them when that is on the disk, so many commits share one sync. If the disk accepts nothing,
/// every commit of the transaction fails.
package final class SQLiteStore: Store {
  /// The maximum number of commits that share a transaction.
  private static let batchMax = 1024

  package let lines: LocalTurns<StorePath>? = LocalTurns()
  package let outlivesProcess = true
  private let waiting = Mutex(Waiting())
  private let queue = DispatchQueue(label: "postern.store")
  private let worker: SQLiteWorker
  private let path: String
  private let setsDamagedAside: Bool
  private let trouble: @Sendable (String) -> Void
  /// The damaged rows that were reported, each once.
  private let toldOf = Mutex<Set<StorePath>>([])
  private static let toldOfMax = 1_000

  private struct Waiting {
    var requests: [SQLiteRequest] = []
    /// Whether the thread will check for requests again before it stops.
    var isServed = false
  }

  /// Opens the file, or creates it.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - isShared: Whether other processes may open the file too, if they share it.
  ///   - setsDamagedAside: Whether a row that cannot be read is moved to the table `damaged` and then treated as absent.
  ///   - trouble: A function that is called with each reason why the store cannot do its work.
  package init(
    path: String, isShared: Bool = false, setsDamagedAside: Bool = false,
    trouble: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(SQLiteFileError) {
    worker = try SQLiteWorker(path: path, isShared: isShared, trouble: trouble)
    self.path = path
    self.setsDamagedAside = setsDamagedAside
    self.trouble = trouble
  }

  package func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    let rows = try await withCheckedContinuation { continuation in
      ask(.read(keys.map(\.path), at: now, continuation))
    }.get()
    var entries: [StoreEntry?] = []
    entries.reserveCapacity(keys.count)
    for (key, row) in zip(keys, rows) {
      guard let row else {
        entries.append(nil)
        continue
      }
      entries.append(try await entry(row, at: key.path, of: key.type))
    }
    return entries
  }

  package func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    let rows = try await withCheckedContinuation { continuation in
      ask(.scan(range, limit: limit, at: now, continuation))
    }.get()
    var entries: [StoreEntry] = []
    entries.reserveCapacity(rows.count)
    for (path, row) in rows {
      if let entry = try await entry(row, at: path, of: range.type) { entries.append(entry) }
    }
    return entries
  }

  package func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    var writes: [ShelfWrite<[UInt8]>] = []
    writes.reserveCapacity(commit.writes.count)
    for write in commit.writes {
      let bytes = try write.value.map { (value) throws(StoreError) in try StoredJSON.encode(value) }
      writes.append(ShelfWrite(path: write.path, value: bytes, expires: write.expires, counts: write.counts))
    }
    return try await withCheckedContinuation { continuation in
      let commit = SQLiteCommit(
        id: commit.id, checks: commit.checks, writes: writes, sweepsUntil: commit.sweepsUntil, now: now)
      ask(.commit(commit, continuation))
    }.get()
  }

  package func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] {
    try await withCheckedContinuation { continuation in ask(.tallies(counts.map(\.path), continuation)) }.get()
  }

  private func ask(_ request: SQLiteRequest) {
    let isServed = waiting.withLock { waiting in
      waiting.requests.append(request)
      defer { waiting.isServed = true }
      return waiting.isServed
    }
    if !isServed { queue.async { self.serve() } }
  }

  private func serve() {
    while let requests = takeAll() {
      var commits: [(SQLiteCommit, SQLiteRequest.Answer<Bool>)] = []
      for request in requests {
        switch request {
        case .read(let paths, let now, let answer): answer.resume(returning: worker.read(paths, at: now))
        case .scan(let range, let limit, let now, let answer):
          answer.resume(returning: worker.scan(range, limit: limit, at: now))
        case .setAside(let path, let answer): answer.resume(returning: worker.setAside(path))
        case .tallies(let counts, let answer): answer.resume(returning: worker.tallies(counts))
        case .commit(let commit, let answer): commits.append((commit, answer))
        }
      }
      var rest = commits[...]
      while !rest.isEmpty {
        let batch = rest.prefix(Self.batchMax)
        for ((_, answer), result) in zip(batch, worker.commit(batch.map(\.0))) { answer.resume(returning: result) }
        rest = rest.dropFirst(Self.batchMax)
      }
    }
  }

  private func takeAll() -> [SQLiteRequest]? {
    waiting.withLock { waiting in
      guard !waiting.requests.isEmpty else {
        waiting.isServed = false
        return nil
      }
      defer { waiting.requests = [] }
      return waiting.requests
    }
  }

  // MARK: Values

  /// Returns the row with its value, or nil if it could not be read and was set aside.
  private func entry(
    _ row: ShelfRow<[UInt8]>, at path: StorePath, of type: any StoreValue.Type
  ) async throws(StoreError) -> StoreEntry? {
    do {
      return StoreEntry(path: path, version: row.version, value: try StoredJSON.decode(row.value, as: type))
    } catch {
      try await miss(path, error)
      return nil
    }
  }

  /// Sets aside a row that cannot be read. Throws if `setsDamagedAside` is false.
  private func miss(_ path: StorePath, _ error: any Error) async throws(StoreError) {
    let row = "the row \(path) cannot be read: \(StoredJSON.reason(error))"
    guard setsDamagedAside else {
      tell(
        path,
        "\(self.path): \(row); restore the file from a backup, or start with --store-set-damaged-aside, which moves such "
          + "rows to the table damaged and goes on without them")
      throw .unavailable(row)
    }
    let isMoved = try await withCheckedContinuation { ask(.setAside(path, $0)) }.get()
    if isMoved { tell(path, "\(self.path): \(row); it was moved to the table damaged, and is as if it had never been") }
  }

  private func tell(_ path: StorePath, _ text: String) {
    let isNew = toldOf.withLock { $0.count < Self.toldOfMax && $0.insert(path).inserted }
    if isNew { trouble(text) }
  }
}

/// A commit with encoded values, so that the store's thread need not encode them.
struct SQLiteCommit: Sendable {
  var id: StoreCommitID
  var checks: [StoreCommit.Check]
  var writes: [ShelfWrite<[UInt8]>]
  var sweepsUntil: WallTime?
  var now: WallTime
}

/// A request to the store's thread, with the continuation that waits for the answer.
enum SQLiteRequest: Sendable {
  typealias Answer<Value> = CheckedContinuation<Result<Value, StoreError>, Never>

  case read([StorePath], at: WallTime, Answer<[ShelfRow<[UInt8]>?]>)
  case setAside(StorePath, Answer<Bool>)
  case tallies([StorePath], Answer<[Int]>)
  case scan(StoreRange, limit: Int, at: WallTime, Answer<[(path: StorePath, row: ShelfRow<[UInt8]>)]>)
  case commit(SQLiteCommit, Answer<Bool>)
}

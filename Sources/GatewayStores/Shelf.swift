internal import GatewayCore
internal import GatewayKit

/// The rows of a storage engine, e.g. a dictionary or a table of SQLite. The rules of a commit are written once, as an
/// extension.
protocol Shelf {
  /// A value in the shelf's own form.
  associatedtype Value: Sendable

  func row(_ path: StorePath) throws(StoreError) -> ShelfRow<Value>?
  mutating func put(_ row: ShelfRow<Value>, at path: StorePath) throws(StoreError)
  mutating func remove(_ path: StorePath) throws(StoreError)
  /// Returns the rows that expired longest ago, at most `limit`.
  func expired(at now: WallTime, limit: Int) throws(StoreError) -> [StorePath]
  /// Returns the tally of a count: the sum of its rows' weights.
  func tally(_ count: StorePath) throws(StoreError) -> Int
  mutating func setTally(_ count: StorePath, _ tally: Int) throws(StoreError)
  /// The commits of the last minute.
  var done: DoneCommits { get set }
}

/// A row on a shelf: the value with its version, expiry and counts.
struct ShelfRow<Value: Sendable>: Sendable {
  var version: StoreVersion
  var expires: WallTime?
  /// The counts that include the row.
  var counts: [ShelfCount]
  var value: Value

  func isAlive(at now: WallTime) -> Bool {
    expires.map { now < $0 } ?? true
  }
}

/// A count that includes a row, and the weight that the row adds to it.
struct ShelfCount: Sendable {
  var path: StorePath
  var weight: Int
}

/// A row to write or delete, in the shelf's own form.
struct ShelfWrite<Value: Sendable>: Sendable {
  var path: StorePath
  /// The new value; nil deletes the row.
  var value: Value?
  var expires: WallTime?
  var counts: [StoreCount]
}

extension Shelf {
  /// The number of expired rows that every commit removes, besides twice as many as it writes.
  private static var sweepMin: Int { 16 }
  private static var sweepWhenFull: Int { 256 }

  /// Does all writes of a commit, or none. Returns false if a row has changed since it was read. A commit that is already done
  /// is not done again, and returns true.
  mutating func commit(
    _ id: StoreCommitID, _ checks: [StoreCommit.Check], _ writes: [ShelfWrite<Value>], version: StoreVersion,
    sweepingUntil limit: WallTime? = nil, at now: WallTime
  ) throws(StoreError) -> Bool {
    guard !done.contains(id) else { return true }
    for check in checks {
      let row = try row(check.path)
      let found = row.flatMap { $0.isAlive(at: now) ? $0.version : nil } ?? .absent
      guard found == check.version else { return false }
    }
    let steady = min(now, limit ?? now)
    _ = try sweep(at: steady, limit: Self.sweepMin + 2 * writes.count)
    while let count = try excess(writes) {
      guard try sweep(at: now, limit: Self.sweepWhenFull) else { throw .full(count) }
    }
    for write in writes {
      if let old = try row(write.path) {
        try remove(write.path)
        try leave(old.counts)
      }
      guard let value = write.value else { continue }
      let counts = write.counts.map { ShelfCount(path: $0.path, weight: $0.weight) }
      let row = ShelfRow(version: version, expires: write.expires, counts: counts, value: value)
      try put(row, at: write.path)
      for count in counts { try add(count.weight, to: count.path) }
    }
    done.note(id, version, at: steady)
    return true
  }

  /// Returns a count that the writes would raise above its bound.
  private func excess(_ writes: [ShelfWrite<Value>]) throws(StoreError) -> StoreCount? {
    guard writes.contains(where: { $0.value != nil && !$0.counts.isEmpty }) else { return nil }
    var growth: [StorePath: Int] = [:]
    var raised: [StoreCount] = []
    for write in writes {
      if let old = try row(write.path) {
        for count in old.counts { growth[count.path, default: 0] -= count.weight }
      }
      guard write.value != nil else { continue }
      for count in write.counts {
        growth[count.path, default: 0] += count.weight
        raised.append(count)
      }
    }
    for count in raised {
      guard let more = growth[count.path], more > 0 else { continue }
      // A damaged file can hold any number.
      let (sum, overflow) = try tally(count.path).addingReportingOverflow(more)
      if overflow || sum > count.atMost { return count }
    }
    return nil
  }

  mutating func leave(_ counts: [ShelfCount]) throws(StoreError) {
    for count in counts { try add(-count.weight, to: count.path) }
  }

  private mutating func add(_ more: Int, to count: StorePath) throws(StoreError) {
    let (sum, overflow) = try tally(count).addingReportingOverflow(more)
    try setTally(count, overflow ? (more < 0 ? 0 : .max) : max(0, sum))
  }

  /// Removes expired rows, at most `limit`. Returns whether there were any.
  private mutating func sweep(at now: WallTime, limit: Int) throws(StoreError) -> Bool {
    let paths = try expired(at: now, limit: limit)
    for path in paths {
      guard let row = try row(path) else { continue }
      try remove(path)
      try leave(row.counts)
    }
    return !paths.isEmpty
  }
}

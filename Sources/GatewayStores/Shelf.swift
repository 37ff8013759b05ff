internal import GatewayCore
internal import GatewayKit

/// The place where an engine keeps its rows: a dictionary, for instance, or a table of SQLite. What a commit means is
/// written once, on top of it.
protocol Shelf {
  /// A value as this shelf keeps it.
  associatedtype Value: Sendable

  func row(_ path: StorePath) throws(StoreError) -> ShelfRow<Value>?
  mutating func put(_ row: ShelfRow<Value>, at path: StorePath) throws(StoreError)
  mutating func remove(_ path: StorePath) throws(StoreError)
  /// The rows that have expired longest ago, at most `limit`.
  func expired(at now: WallTime, limit: Int) throws(StoreError) -> [StorePath]
  /// How many rows are in a count.
  func tally(_ count: StorePath) throws(StoreError) -> Int
  mutating func setTally(_ count: StorePath, _ tally: Int) throws(StoreError)
  /// What has been committed lately.
  var done: DoneCommits { get set }
}

/// A row on its shelf: the value with its version, when it expires, and the counts that it is in; version 7, until
/// noon, for instance.
struct ShelfRow<Value: Sendable>: Sendable {
  var version: StoreVersion
  var expires: WallTime?
  /// The counts that the row is in.
  var counts: [ShelfCount]
  var value: Value

  func isAlive(at now: WallTime) -> Bool {
    expires.map { now < $0 } ?? true
  }
}

/// A count that a row is in, and how much it adds: 1 to the members of a call, for instance.
struct ShelfCount: Sendable {
  var path: StorePath
  var weight: Int
}

/// A row to write, in the shelf's own form: a deletion has no value, for instance.
struct ShelfWrite<Value: Sendable>: Sendable {
  var path: StorePath
  /// Nil deletes.
  var value: Value?
  var expires: WallTime?
  var counts: [StoreCount]
}

extension Shelf {
  /// How many expired rows go with every commit, beside twice as many as it writes.
  private static var sweepMin: Int { 16 }
  private static var sweepWhenFull: Int { 256 }

  /// Does what a commit asks, or nothing: false if a row is no longer as it was read. What was done before is not done again.
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

  /// A count that the writes would raise above its bound.
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
      // What is on a disk may be any number.
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

  /// Whether there were rows that have expired; they are gone then.
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

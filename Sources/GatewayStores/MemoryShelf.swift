internal import GatewayCore
internal import GatewayKit

/// Rows in dictionaries, with the Swift values themselves, not their JSON.
struct MemoryShelf: Shelf {
  private var rows: [StorePath: ShelfRow<any StoreValue>] = [:]
  private var paths = SortedKeys<StorePath>()
  private var deadlines = SortedKeys<Deadline>()
  private var tallies: [StorePath: Int] = [:]
  var done = DoneCommits()

  private struct Deadline: Comparable {
    var time: WallTime
    var path: StorePath

    static func < (lhs: Deadline, rhs: Deadline) -> Bool {
      lhs.time == rhs.time ? lhs.path < rhs.path : lhs.time < rhs.time
    }
  }

  func row(_ path: StorePath) -> ShelfRow<any StoreValue>? { rows[path] }

  /// Returns the rows of the range that have not expired, in order.
  func rows(in range: StoreRange, limit: Int, at now: WallTime) -> [StoreEntry] {
    var found: [StoreEntry] = []
    guard limit > 0 else { return found }
    paths.visit(from: range.lower, below: range.upper, isBackwards: range.isBackwards) { path in
      if let row = rows[path], row.isAlive(at: now) {
        found.append(StoreEntry(path: path, version: row.version, value: row.value))
      }
      return found.count < limit
    }
    return found
  }

  mutating func put(_ row: ShelfRow<any StoreValue>, at path: StorePath) {
    rows[path] = row
    paths.insert(path)
    if let time = row.expires { deadlines.insert(Deadline(time: time, path: path)) }
  }

  mutating func remove(_ path: StorePath) {
    guard let row = rows.removeValue(forKey: path) else { return }
    paths.remove(path)
    if let time = row.expires { deadlines.remove(Deadline(time: time, path: path)) }
  }

  func expired(at now: WallTime, limit: Int) -> [StorePath] {
    var found: [StorePath] = []
    guard let first = deadlines.first, first.time <= now else { return found }
    deadlines.visit(from: first) { deadline in
      guard deadline.time <= now, found.count < limit else { return false }
      found.append(deadline.path)
      return true
    }
    return found
  }

  func tally(_ count: StorePath) -> Int { tallies[count] ?? 0 }

  mutating func setTally(_ count: StorePath, _ tally: Int) {
    tallies[count] = tally == 0 ? nil : tally
  }
}

internal import GatewayCore
internal import GatewayKit

/// Rows in a database file, with their values as JSON. Only one thread may use it at a time.
final class SQLiteShelf: Shelf {
  /// The key of the last commit's number among the counts; the path of a count is never empty.
  private static let lastVersion = StorePath(bytes: [])

  let file: SQLiteFile
  private let select: SQLiteStatement
  private let selectRange: SQLiteStatement
  private let selectRangeBackwards: SQLiteStatement
  private let insert: SQLiteStatement
  private let delete: SQLiteStatement
  private let selectExpired: SQLiteStatement
  private let selectTally: SQLiteStatement
  private let insertTally: SQLiteStatement
  private let deleteTally: SQLiteStatement
  private let insertDone: SQLiteStatement
  private let deleteDone: SQLiteStatement
  var done = DoneCommits()

  init(_ file: SQLiteFile) throws(StoreError) {
    self.file = file
    select = try file.statement("SELECT version, expires, counts, value FROM entry WHERE key = ?1")
    let range = """
      SELECT version, expires, counts, value, key FROM entry
      WHERE key >= ?1 AND key < ?2 AND (expires IS NULL OR expires > ?3) ORDER BY key
      """
    selectRange = try file.statement("\(range) LIMIT ?4")
    selectRangeBackwards = try file.statement("\(range) DESC LIMIT ?4")
    insert = try file.statement(
      "INSERT OR REPLACE INTO entry(key, version, expires, counts, value) VALUES(?1,?2,?3,?4,?5)")
    delete = try file.statement("DELETE FROM entry WHERE key = ?1")
    selectExpired = try file.statement("SELECT key FROM entry WHERE expires <= ?1 ORDER BY expires LIMIT ?2")
    selectTally = try file.statement("SELECT number FROM tally WHERE key = ?1")
    insertTally = try file.statement("INSERT OR REPLACE INTO tally(key, number) VALUES(?1, ?2)")
    deleteTally = try file.statement("DELETE FROM tally WHERE key = ?1")
    insertDone = try file.statement("INSERT OR REPLACE INTO done(version, time, ids) VALUES(?1, ?2, ?3)")
    deleteDone = try file.statement("DELETE FROM done WHERE version < ?1")
    let selectDone = try file.statement("SELECT version, time, ids FROM done ORDER BY version")
    while try selectDone.step() {
      let version = StoreVersion(UInt64(bitPattern: selectDone.integer(0)))
      let time = WallTime(nanoseconds: selectDone.integer(1))
      for id in Self.ids(selectDone.bytes(2)) { done.note(id, version, at: time) }
    }
  }

  func row(_ path: StorePath) throws(StoreError) -> ShelfRow<[UInt8]>? {
    defer { select.reset() }
    select.bind(1, path.bytes)
    return try select.step() ? Self.row(select) : nil
  }

  /// Returns the rows of the range that have not expired, in order.
  func rows(
    in range: StoreRange, limit: Int, at now: WallTime
  ) throws(StoreError) -> [(path: StorePath, row: ShelfRow<[UInt8]>)] {
    let select = range.isBackwards ? selectRangeBackwards : selectRange
    defer { select.reset() }
    select.bind(1, range.lower.bytes)
    select.bind(2, range.upper.bytes)
    select.bind(3, now.nanoseconds)
    select.bind(4, Int64(max(0, limit)))
    var found: [(path: StorePath, row: ShelfRow<[UInt8]>)] = []
    while try select.step() { found.append((StorePath(bytes: select.bytes(4)), Self.row(select))) }
    return found
  }

  private static func row(_ statement: SQLiteStatement) -> ShelfRow<[UInt8]> {
    ShelfRow(
      version: StoreVersion(UInt64(bitPattern: statement.integer(0))),
      expires: statement.isNull(1) ? nil : WallTime(nanoseconds: statement.integer(1)),
      counts: counts(statement.bytes(2)), value: statement.bytes(3))
  }

  /// Moves the row to the table `damaged`. Returns false if the row no longer exists.
  func setAside(_ path: StorePath) throws(StoreError) -> Bool {
    guard let row = try row(path) else { return false }
    try file.execute(SQLiteFile.damaged)
    let move = try file.statement(
      "INSERT INTO damaged SELECT key, version, expires, counts, value FROM entry WHERE key = ?1")
    move.bind(1, path.bytes)
    try move.run()
    try remove(path)
    var shelf = self
    try shelf.leave(row.counts)
    return true
  }

  func put(_ row: ShelfRow<[UInt8]>, at path: StorePath) throws(StoreError) {
    insert.bind(1, path.bytes)
    insert.bind(2, Int64(bitPattern: row.version.number))
    insert.bind(3, row.expires?.nanoseconds)
    insert.bind(4, Self.bytes(row.counts))
    insert.bind(5, row.value)
    try insert.run()
  }

  func remove(_ path: StorePath) throws(StoreError) {
    delete.bind(1, path.bytes)
    try delete.run()
  }

  func expired(at now: WallTime, limit: Int) throws(StoreError) -> [StorePath] {
    defer { selectExpired.reset() }
    selectExpired.bind(1, now.nanoseconds)
    selectExpired.bind(2, Int64(limit))
    var found: [StorePath] = []
    while try selectExpired.step() { found.append(StorePath(bytes: selectExpired.bytes(0))) }
    return found
  }

  func tally(_ count: StorePath) throws(StoreError) -> Int {
    defer { selectTally.reset() }
    selectTally.bind(1, count.bytes)
    return try selectTally.step() ? Int(selectTally.integer(0)) : 0
  }

  func setTally(_ count: StorePath, _ tally: Int) throws(StoreError) {
    guard tally != 0 else {
      deleteTally.bind(1, count.bytes)
      return try deleteTally.run()
    }
    insertTally.bind(1, count.bytes)
    insertTally.bind(2, Int64(tally))
    try insertTally.run()
  }

  /// Returns the number of the last commit that is on the disk.
  func lastVersion() throws(StoreError) -> UInt64 {
    UInt64(bitPattern: Int64(try tally(Self.lastVersion)))
  }

  func setLastVersion(_ version: UInt64) throws(StoreError) {
    try setTally(Self.lastVersion, Int(Int64(bitPattern: version)))
  }

  /// Saves the commits done after `version`, up to `last`, and deletes the forgotten ones.
  func keepDone(after version: UInt64, to last: UInt64, at now: WallTime) throws(StoreError) {
    let ids = done.ids(after: StoreVersion(version))
    guard !ids.isEmpty, let oldest = done.oldest else { return }
    insertDone.bind(1, Int64(bitPattern: last))
    insertDone.bind(2, now.nanoseconds)
    insertDone.bind(3, Self.bytes(ids))
    try insertDone.run()
    deleteDone.bind(1, Int64(bitPattern: oldest.number))
    try deleteDone.run()
  }
}

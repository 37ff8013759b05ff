internal import CSQLite
internal import GatewayKit
internal import Glibc

/// The reason why a file cannot be used as a store, as text for the operator.
package struct SQLiteFileError: LastingFailure, Hashable {
  package let description: String
  /// Whether the error lasts until an operator acts, e.g. because the file is damaged or the disk is full.
  package let isLasting: Bool

  init(description: String, isLasting: Bool = false) {
    self.description = description
    self.isLasting = isLasting
  }
}

/// The database file of a ``SQLiteStore``. It is checked when it is opened, and locked for this process until the process ends,
/// unless it is shared: then only processes that share it too may open it.
final class SQLiteFile {
  /// The mark in the file's header of a database of this program: `Post`.
  private static let applicationID: Int64 = 0x506F_7374
  /// The version of the tables of ``schema``.
  private static let schemaVersion: Int64 = 2
  private static let schema = """
    BEGIN IMMEDIATE;
    CREATE TABLE entry(
      key BLOB PRIMARY KEY, version INTEGER NOT NULL, expires INTEGER, counts BLOB NOT NULL, value BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX entry_expires ON entry(expires) WHERE expires IS NOT NULL;
    CREATE TABLE tally(key BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
    PRAGMA application_id=\(applicationID);
    PRAGMA user_version=\(schemaVersion);
    COMMIT;
    """

  /// The table for rows that could not be read, which were moved there unchanged for an operator. Created with the first such
  /// row.
  static let damaged = """
    CREATE TABLE IF NOT EXISTS damaged(
      key BLOB NOT NULL, version INTEGER NOT NULL, expires INTEGER, counts BLOB NOT NULL, value BLOB NOT NULL
    )
    """

  /// The table for the commits of the last minute; the commits of one transaction are one row. It is newer than the schema's
  /// version: a file without it gets it, and a program that doesn't know it ignores it.
  private static let done =
    "CREATE TABLE IF NOT EXISTS done(version INTEGER PRIMARY KEY, time INTEGER NOT NULL, ids BLOB NOT NULL)"

  private let handle: OpaquePointer
  let path: String
  private let isShared: Bool
  /// How long a process waits while another writes.
  private static let patience: Int32 = 5_000

  /// Opens the file, or creates it. Throws if this process or another one has it open already, unless all share it.
  init(_ path: String, isShared: Bool = false) throws(SQLiteFileError) {
    self.path = path
    self.isShared = isShared
    // A write fails beyond the system's limit for file sizes; the signal need not end the process.
    signal(SIGXFSZ, SIG_IGN)
    // Only the owner may read it, because it contains user ids. The log beside it gets the same permissions.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw SQLiteFileError(
        description: "\(path): cannot be opened for writing: \(String(cString: strerror(errno))); choose another file")
    }
    close(descriptor)
    var opened: OpaquePointer?
    // SQLite does not take a name that begins with a colon as a file name.
    let code = sqlite3_open_v2(
      path.hasPrefix(":") ? "./\(path)" : path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else { throw SQLiteFileError(description: "\(path): no memory to open it") }
    handle = opened
    guard code == SQLITE_OK else { throw Self.error(path, opened) }
    try prepare()
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  private func prepare() throws(SQLiteFileError) {
    do throws(StoreError) {
      if isShared {
        sqlite3_busy_timeout(handle, Self.patience)
      } else {
        // The lock is held from the first write on. The system releases it however the process ends.
        try execute("PRAGMA locking_mode=EXCLUSIVE")
      }
      let mode = try single("PRAGMA journal_mode=WAL")
      guard mode == "wal" else { throw .unavailable("it has no write-ahead log: its journal is '\(mode)'") }
      try execute("PRAGMA synchronous=FULL")
      let application = try number("PRAGMA application_id")
      let version = try number("PRAGMA user_version")
      if application == 0, version == 0, try number("SELECT count(*) FROM sqlite_schema") == 0 {
        try create()
      } else {
        guard application == Self.applicationID else { throw .unavailable("it is a database of another program") }
        guard version == Self.schemaVersion else {
          throw .unavailable(
            "it is of another version of postern: its tables are version \(version), "
              + "this one knows \(Self.schemaVersion)")
        }
      }
      try execute(Self.done)
      // Takes the lock if nothing was written.
      try execute("BEGIN IMMEDIATE; COMMIT")
      let health = try single("PRAGMA quick_check(1)")
      guard health == "ok" else { throw .unavailable("\(Self.damage(path)): \(health)") }
    } catch {
      throw failure(error)
    }
  }

  /// Creates the tables. Of several processes that share the file the first does.
  private func create() throws(StoreError) {
    do throws(StoreError) {
      try execute(Self.schema)
    } catch {
      // In a transaction that another process's came before, the tables exist.
      let isFirst = sqlite3_get_autocommit(handle) != 0
      if !isFirst { try execute("ROLLBACK") }
      guard isShared, try number("PRAGMA user_version") == Self.schemaVersion else { throw error }
    }
  }

  /// Returns the reason why the file cannot be used, from an error of the last call.
  func failure(_ error: StoreError) -> SQLiteFileError {
    let passes = [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM]
    return SQLiteFileError(
      description: "\(path): \(error)", isLasting: !passes.contains(sqlite3_errcode(handle) & 0xFF))
  }

  private static func damage(_ path: String) -> String {
    "it is damaged (restore it from a backup, or what can be read of it: sqlite3 \(path) .recover | sqlite3 NEW-FILE)"
  }

  private static func error(_ path: String, _ handle: OpaquePointer) -> SQLiteFileError {
    let code = sqlite3_errcode(handle) & 0xFF
    return SQLiteFileError(
      description: "\(path): \(words(handle, path, isShared: false))",
      isLasting: [SQLITE_NOTADB, SQLITE_CORRUPT].contains(code))
  }

  /// Returns the last error as text for an operator.
  private static func words(_ handle: OpaquePointer, _ path: String, isShared: Bool) -> String {
    switch sqlite3_errcode(handle) & 0xFF {
    case SQLITE_BUSY where isShared:
      "another process that does not share it has it open, or one that does has been writing for 5 s; end a process that "
        + "hangs or has no --node-name"
    case SQLITE_BUSY, SQLITE_LOCKED: "another process has it open; end that process, or name another file"
    case SQLITE_NOTADB: "it is no SQLite database"
    case SQLITE_CORRUPT: damage(path)
    case SQLITE_READONLY: "it cannot be written"
    case SQLITE_FULL: "the disk is full; free some space"
    default: String(cString: sqlite3_errmsg(handle))
    }
  }

  /// The error of the last call.
  var error: StoreError { .unavailable(Self.words(handle, path, isShared: isShared)) }

  func execute(_ sql: String) throws(StoreError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error }
  }

  /// Ends a transaction. Throws `StoreError.unknown` if the disk fails during that.
  func commit() throws(StoreError) {
    do throws(StoreError) {
      try execute("COMMIT")
    } catch {
      guard case .unavailable(let text) = error, sqlite3_errcode(handle) & 0xFF == SQLITE_IOERR else { throw error }
      throw .unknown(text)
    }
  }

  func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
    var made: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil) == SQLITE_OK,
      let made
    else { throw error }
    return SQLiteStatement(made, of: self)
  }

  private func single(_ sql: String) throws(StoreError) -> String {
    let statement = try statement(sql)
    guard try statement.step() else { return "" }
    return String(decoding: statement.bytes(0), as: UTF8.self)
  }

  private func number(_ sql: String) throws(StoreError) -> Int64 {
    let statement = try statement(sql)
    return try statement.step() ? statement.integer(0) : 0
  }
}

internal import CSQLite
internal import GatewayKit

/// A prepared statement, which is bound, stepped and reset for each use.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let file: SQLiteFile

  init(_ handle: OpaquePointer, of file: SQLiteFile) {
    self.handle = handle
    self.file = file
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Steps to the next row. Returns false if there is none.
  func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw file.error
    }
  }

  /// Runs the statement to its end, ignores its rows and resets it.
  func run() throws(StoreError) {
    defer { reset() }
    while try step() {}
  }

  func reset() {
    sqlite3_reset(handle)
  }

  func bind(_ index: Int32, _ number: Int64?) {
    if let number { sqlite3_bind_int64(handle, index, number) } else { sqlite3_bind_null(handle, index) }
  }

  /// Binds a copy of the bytes.
  func bind(_ index: Int32, _ bytes: [UInt8]) {
    // An empty array may have no address, and no address means NULL.
    guard !bytes.isEmpty else {
      sqlite3_bind_zeroblob(handle, index, 0)
      return
    }
    _ = bytes.withUnsafeBytes {
      // SQLITE_TRANSIENT: a macro with a cast, which Swift does not import.
      sqlite3_bind_blob64(
        handle, index, $0.baseAddress, UInt64($0.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}

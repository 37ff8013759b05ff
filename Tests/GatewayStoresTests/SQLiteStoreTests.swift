import Foundation
import GatewayCore
import GatewayKit
import GatewayStores
import TestSupport
import Testing

struct SQLiteStoreTests {
  private let file = TemporaryStore()
  private let now = WallTime(seconds: 1_000)
  private let ann = Note.table.key("ann")

  /// Opens the file when its former owner has released it.
  private func open() async throws -> SQLiteStore {
    for _ in 0..<100_000 {
      do throws(SQLiteFileError) {
        return try file.open()
      } catch {
        guard error.description.contains("another process has it open") else { throw error }
        await Task.yield()
      }
    }
    return try file.open()
  }

  private func error() async -> String {
    do {
      _ = try await open()
      return "opened"
    } catch {
      return "\(error)"
    }
  }

  /// Overwrites bytes of the file.
  private func overwrite(_ bytes: [UInt8], at offset: Int) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: file.path))
    data.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    try data.write(to: URL(fileURLWithPath: file.path))
  }

  @Test
  func `a SQLite store has its rows, counts, expiries and rising versions after it is opened again`() async throws {
    let count = StoreCount("tests.one", atMost: 1, of: "notes")
    var before = StoreVersion.absent
    do {
      let store = try await open()
      #expect(try await store.write([.init(ann, "é\0\"", expires: now + .seconds(9), in: [count])], at: now))
      before = try #require(try await store.read([ann], at: now)[0]).version
    }
    let store = try await open()
    #expect(try await store.note(ann, at: now) == "é\0\"")
    #expect(try await store.note(ann, at: now + .seconds(9)) == nil)
    let other = Note.table.key("bob")
    await #expect(throws: StoreError.full(count)) { try await store.write([.init(other, "", in: [count])], at: now) }
    #expect(try await store.write([.init(other, "", in: [count])], at: now + .seconds(9)))
    #expect(try #require(try await store.read([other], at: now)[0]).version > before)
  }

  @Test
  func `a SQLite store knows which commits were applied after it is opened again`() async throws {
    let commit = StoreCommit(writes: [.init(ann, "one")])
    do {
      let store = try await open()
      #expect(try await store.commit(commit, at: now))
      #expect(try await store.write([.init(ann, "two")], at: now))
    }
    let store = try await open()
    #expect(try await store.commit(commit, at: now + .seconds(59)))
    #expect(try await store.note(ann, at: now) == "two")
    #expect(try await store.write([.init(Note.table.key("bob"), "")], at: now + .seconds(60)))
    #expect(try await store.commit(commit, at: now + .seconds(60)))
    #expect(try await store.note(ann, at: now) == "one")
  }

  @Test
  func `a SQLite file that another process has open is refused with its reason`() async throws {
    let store = try await open()
    let error = #expect(throws: SQLiteFileError.self) { try file.open() }
    #expect(error?.description == "\(file.path): another process has it open; end that process, or name another file")
    #expect(try await store.write([.init(ann, "")], at: now))
  }

  @Test
  func `a SQLite store is refused with its reason if the file is foreign, newer, damaged, a folder or unreachable`()
    async throws
  {
    do {
      let store = try await open()
      let notes = (0..<2_000).map { StoreCommit.Write(Note.table.key("\($0)"), "some text that takes room") }
      #expect(try await store.write(notes, at: now))
    }
    #expect(await error() == "opened")
    // In the header of a SQLite file: the version of its tables at 60, its application at 68.
    try overwrite([0, 0, 0, 1], at: 60)
    #expect(await error().contains("its tables are version 1, this one knows 2"))
    try overwrite([0, 0, 0, 2, 0, 0, 0, 0, 1, 2, 3, 4], at: 60)
    #expect(await error().hasSuffix("it is a database of another program"))
    try overwrite(Array("Post".utf8), at: 68)
    #expect(await error() == "opened")
    try overwrite(Array(repeating: 0xAB, count: 9_000), at: 3 * 4096 + 100)
    #expect(await error().contains("it is damaged"))
    try overwrite(Array("no database".utf8), at: 0)
    #expect(await error().hasSuffix("it is no SQLite database"))
    let folder = #expect(throws: SQLiteFileError.self) { try SQLiteStore(path: "/") }
    #expect(folder?.description == "/: cannot be opened for writing: Is a directory; choose another file")
    let missing = #expect(throws: SQLiteFileError.self) { try SQLiteStore(path: file.path + "/none/store") }
    #expect(missing?.description.contains("cannot be opened for writing") == true)
  }

  @Test
  func `a SQLite store reports an error for rows that it cannot read, and answers about the others`() async throws {
    let store = try await open()
    #expect(try await store.write([.init(ann, "")], at: now))
    let key = StoreTable<OtherNote>("tests.note").key("ann")
    await #expect(throws: StoreError.self) { try await store.read([key], at: now) }
    #expect(try await store.note(ann, at: now) == "")
  }

  private struct OtherNote: StoreValue {
    var number: Int
  }
}

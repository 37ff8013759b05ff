import GatewayCore
import GatewayKit
import GatewayStores
import TestSupport
import TestTraits
import Testing

/// Two stores on one file, as two processes have them.
struct SharedSQLiteTests {
  private let file = TemporaryStore()
  private let now = WallTime(seconds: 1_000)
  private let ann = Note.table.key("ann")

  private func open(isShared: Bool = true) throws(SQLiteFileError) -> SQLiteStore {
    try SQLiteStore(path: file.path, isShared: isShared)
  }

  @Test
  func `one process reads what the other commits, and versions rise over both`() async throws {
    let stores = [try open(), try open()]
    var last = StoreVersion.absent
    for number in 0..<20 {
      let (writer, reader) = (stores[number % 2], stores[(number + 1) % 2])
      let check = StoreCommit.Check(ann.path, last)
      #expect(try await writer.write([.init(ann, "\(number)")], if: [check], at: now))
      #expect(try await reader.write([.init(ann, "stale")], if: [check], at: now) == false, "the other changed it")
      let found = try #require(try await reader.read([ann], at: now)[0])
      let text = try found.value(as: Note.self).text
      #expect(found.version > last && text == "\(number)")
      last = found.version
    }
  }

  @Test
  func `a count is bounded over both processes`() async throws {
    let stores = [try open(), try open()]
    let count = StoreCount("tests.two", atMost: 2, of: "notes")
    for (store, name) in zip(stores, ["a", "b"]) {
      #expect(try await store.write([.init(Note.table.key(name), "", in: [count])], at: now))
    }
    for store in stores {
      await #expect(throws: StoreError.full(count)) {
        try await store.write([.init(Note.table.key("c"), "", in: [count])], at: now)
      }
    }
  }

  @Test
  func `transactions of two processes on one row are all done, each once`() async throws {
    let stores = [try open(), try open()]
    let (ann, now) = (ann, now)
    try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          try await stores[number % 2].transact(at: now) {
            (transaction: inout StoreTransaction<StoreError>) async throws(StoreError) in
            let known = try await transaction.get(ann, as: Note.self)?.text ?? ""
            transaction.put(ann, Note(text: known + "."))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await stores[0].note(ann, at: now)?.utf8.count == 200)
  }

  @Test
  func `rows that one commit writes are read together by the other process`() async throws {
    let (writer, reader) = (try open(), try open())
    let (keys, now) = (["a", "b"].map { Note.table.key($0) }, now)
    async let writing: Void = {
      for number in 0..<300 { _ = try await writer.write(keys.map { .init($0, "\(number)") }, at: now) }
    }()
    for _ in 0..<300 {
      let versions = try await reader.read(keys, at: now).map { $0?.version }
      #expect(versions[0] == versions[1])
    }
    try await writing
  }

  @Test(.long)
  func `a file that processes share cannot be opened for one process alone, and the reverse`() throws {
    do {
      let shared = try open()
      #expect(throws: SQLiteFileError.self) { try open(isShared: false) }
      withExtendedLifetime(shared) {}
    }
    let other = TemporaryStore()
    let alone = try other.open()
    #expect(throws: SQLiteFileError.self) { try SQLiteStore(path: other.path, isShared: true) }
    withExtendedLifetime(alone) {}
  }
}

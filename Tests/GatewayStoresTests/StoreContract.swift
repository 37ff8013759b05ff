import GatewayCore
import GatewayKit
import TestSupport
import Testing

struct StoreContract {
  private let now = WallTime(seconds: 1_000)
  private let ann = Note.table.key("ann")
  private let bob = Note.table.key("bob")

  @Test(arguments: StoreCase.all)
  func `a store keeps what is committed, and gives each row a rising version`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    #expect(try await store.read([ann], at: now)[0] == nil)
    #expect(try await store.write([.init(ann, "one"), .init(bob, "two")], at: now))
    #expect(try await store.note(ann, at: now) == "one")
    let first = try #require(try await store.read([bob], at: now)[0])
    #expect(try first.value(as: Note.self).text == "two" && first.path == bob.path)
    #expect(try await store.write([.init(bob, "three")], at: now))
    let second = try #require(try await store.read([ann, bob], at: now)[1])
    #expect(second.version > first.version && first.version > .absent)
    #expect(try await store.write([.removal(of: ann)], at: now))
    #expect(try await store.read([ann, bob], at: now).map { $0 == nil } == [true, false])
  }

  @Test(arguments: StoreCase.all)
  func `a store commits nothing if a row has changed since it was read`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    #expect(try await store.write([.init(ann, "one")], if: [.init(ann.path, .absent)], at: now))
    #expect(try await !store.write([.init(ann, "two")], if: [.init(ann.path, .absent)], at: now))
    let version = try #require(try await store.read([ann], at: now)[0]).version
    #expect(
      try await !store.write(
        [.init(ann, "two"), .init(bob, "two")], if: [.init(ann.path, version), .init(bob.path, version)], at: now))
    #expect(try await store.note(ann, at: now) == "one")
    #expect(try await store.note(bob, at: now) == nil)
    #expect(try await store.write([.init(ann, "two")], if: [.init(ann.path, version)], at: now))
    #expect(try await !store.write([.init(ann, "three")], if: [.init(ann.path, version)], at: now))
    #expect(try await store.note(ann, at: now) == "two")
  }

  @Test(arguments: StoreCase.all)
  func `a store forgets a row at its expiry, not before`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let end = now + .seconds(10)
    #expect(try await store.write([.init(ann, "one", expires: end), .init(bob, "two")], at: now))
    let version = try #require(try await store.read([ann], at: now)[0]).version
    let justBefore = end - .nanoseconds(1)
    #expect(try await store.note(ann, at: justBefore) == "one")
    #expect(try await store.scan(Note.table.range(), limit: 9, at: justBefore).count == 2)
    #expect(try await store.note(ann, at: end) == nil)
    #expect(try await store.scan(Note.table.range(), limit: 9, at: end).map(\.path) == [bob.path])
    #expect(try await !store.write([.init(ann, "two")], if: [.init(ann.path, version)], at: end))
    #expect(try await store.write([.init(ann, "two")], if: [.init(ann.path, .absent)], at: end))
    #expect(try await store.note(ann, at: end + .seconds(1_000_000)) == "two")
  }

  @Test(arguments: StoreCase.all)
  func `a store counts a row with the weight that it was written with, until the row is deleted`(_ engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    let bytes = { StoreCount("tests.bytes", atMost: 10, of: "bytes", weight: $0) }
    #expect(try await store.write([.init(ann, "ann", in: [bytes(6)])], at: now))
    await expectFull(bytes(5)) { try await store.write([.init(bob, "bob", in: [bytes(5)])], at: now) }
    #expect(try await store.write([.init(bob, "bob", expires: now + .seconds(5), in: [bytes(4)])], at: now))
    await expectFull(bytes(7)) { try await store.write([.init(ann, "Ann", in: [bytes(7)])], at: now) }
    #expect(try await store.write([.init(ann, "Ann", in: [bytes(1)])], at: now))
    #expect(try await store.tallies([StoreCount("tests.none", atMost: 1, of: ""), bytes(9)]) == [0, 5])
    #expect(try await store.write([.init(ann, "Ann", in: [bytes(6)])], at: now))
    #expect(try await store.write([.init(ann, "Ann", in: [bytes(10)])], at: now + .seconds(5)))
    #expect(try await store.write([.removal(of: ann), .init(bob, "bob", in: [bytes(10)])], at: now + .seconds(5)))
  }

  @Test(arguments: StoreCase.all)
  func `a store keeps each count within its bound, and counts what it has`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let two = StoreCount("tests.two", atMost: 2, of: "notes")
    let three = StoreCount("tests.three", "part", atMost: 3, of: "parts")
    let keys = (0..<5).map { Note.table.key("\($0)") }
    #expect(try await store.write([.init(keys[0], "0", in: [two, three])], at: now))
    #expect(try await store.write([.init(keys[1], "1", expires: now + .seconds(5), in: [two, three])], at: now))
    await expectFull(two) {
      try await store.write([.init(bob, "bob"), .init(keys[2], "2", in: [three, two])], at: now)
    }
    #expect(try await store.note(bob, at: now) == nil)
    #expect(try await store.note(keys[2], at: now) == nil)
    #expect(try await store.write([.init(keys[0], "again", in: [two, three])], at: now))
    // One is removed, and one added in the same step.
    #expect(try await store.write([.init(keys[2], "2", in: [two]), .removal(of: keys[0])], at: now))
    await expectFull(two) { try await store.write([.init(keys[3], "3", in: [two])], at: now) }
    #expect(try await store.write([.init(keys[3], "3", in: [two])], at: now + .seconds(5)))
    await expectFull(two) { try await store.write([.init(keys[4], "4", in: [two])], at: now + .seconds(5)) }
    // A rewritten row belongs to the counts of its last write.
    #expect(try await store.write([.init(keys[3], "3")], at: now + .seconds(5)))
    #expect(try await store.write([.init(keys[4], "4", in: [two])], at: now + .seconds(5)))
  }

  @Test(arguments: StoreCase.all)
  func `a store keeps a row that only a moved clock has expired until its room is needed`(_ engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    let count = StoreCount("tests.swept", atMost: 2, of: "notes")
    #expect(try await store.write([.init(ann, "one", expires: now + .seconds(10), in: [count])], at: now))
    let ahead = now + .seconds(1_000)
    func write(_ number: Int, in counts: [StoreCount] = []) async throws {
      var commit = StoreCommit(writes: [.init(Note.table.key("other \(number)"), "", in: counts)])
      commit.sweepsUntil = now + .seconds(1)
      #expect(try await store.commit(commit, at: ahead))
    }
    for number in 0..<20 { try await write(number) }
    #expect(try await store.note(ann, at: ahead) == nil)
    #expect(try await store.note(ann, at: now + .seconds(1)) == "one")
    for number in 20..<22 { try await write(number, in: [count]) }
    #expect(try await store.note(ann, at: now + .seconds(1)) == nil)
  }

  @Test(arguments: StoreCase.all)
  func `a store makes room from many expired rows`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let count = StoreCount("tests.many", atMost: 1000, of: "notes")
    let end = now + .seconds(1)
    #expect(
      try await store.write((0..<1000).map { .init(Note.table.key("\($0)"), "", expires: end, in: [count]) }, at: now))
    await expectFull(count) { try await store.write([.init(ann, "", in: [count])], at: now) }
    let others = (0..<1000).map { StoreCommit.Write(Note.table.key("new \($0)"), "", in: [count]) }
    #expect(try await store.write(others, at: end))
    let all = try await store.scan(Note.table.range(), limit: 5000, at: end).map(\.path)
    #expect(all.count == 1000)
    #expect(try await store.scan(Note.table.range().backwards, limit: 5000, at: end).map(\.path) == all.reversed())
    await expectFull(count) { try await store.write([.init(ann, "", in: [count])], at: end) }
  }

  @Test(arguments: StoreCase.all)
  func `a store visits each row of a range once, in pages, until it is told to stop`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    for number in 0..<6 { #expect(try await store.write([.init(Note.table.key("x\(number)"), "\(number)")], at: now)) }
    for (size, pages) in [(1, [1, 1, 1, 1, 1, 1, 0]), (3, [3, 3, 0]), (4, [4, 2]), (7, [6])] {
      var seen: [(count: Int, texts: [String])] = []
      try await store.visit(Note.table.range(), pageSize: size, at: now) { (page) throws(StoreError) in
        seen.append((page.count, try page.map { (entry) throws(StoreError) in try entry.value(as: Note.self).text }))
        return true
      }
      #expect(seen.map(\.count) == pages)
      #expect(seen.flatMap(\.texts) == ["0", "1", "2", "3", "4", "5"])
    }
    var last: [StorePath] = []
    try await store.visit(Note.table.range().backwards, pageSize: 2, at: now) { (page) throws(StoreError) in
      last += page.map(\.path)
      return last.count < 4
    }
    #expect(last == (2..<6).reversed().map { Note.table.key("x\($0)").path })
  }

  @Test(arguments: StoreCase.all)
  func `a store scans a range in the order of its keys, part by part, whatever they contain`(_ engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    let parts = ["", "\0", "\0\0", "\u{1}", "\u{1}\u{1}", "a", "a\0b", "a\u{1}", "aa", "b", "é", "e\u{301}", "😀"]
    for part in parts.reversed() {
      #expect(try await store.write([.init(Note.table.key("x", part), part)], at: now))
      #expect(try await store.write([.init(Note.table.key("x\0", part), "other")], at: now))
    }
    #expect(try await store.write([.init(Note.table.key("xa"), "other")], at: now))
    #expect(try await store.write([.init(StoreTable<Note>("tests.not").key("x", "a"), "other")], at: now))
    let expected = parts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let found = try await store.scan(Note.table.range("x"), limit: 100, at: now)
    #expect(try found.map { try $0.value(as: Note.self).text.utf8.map(\.self) } == expected.map { Array($0.utf8) })
    #expect(try await store.scan(Note.table.range("x"), limit: 3, at: now).map(\.path) == found.prefix(3).map(\.path))
    let backwards = Note.table.range("x").backwards
    #expect(try await store.scan(backwards, limit: 100, at: now).map(\.path) == found.map(\.path).reversed())
    #expect(try await store.scan(backwards, limit: 3, at: now).map(\.path) == found.suffix(3).map(\.path).reversed())
    for (number, entry) in found.enumerated() {
      #expect(
        try await store.scan(backwards.after(entry.path), limit: 2, at: now).map(\.path)
          == found.prefix(number).suffix(2).map(\.path).reversed())
      #expect(
        try await store.scan(Note.table.range("x").after(entry.path), limit: 2, at: now).map(\.path)
          == found.dropFirst(number + 1).prefix(2).map(\.path))
    }
    #expect(try await store.scan(backwards, limit: 0, at: now).isEmpty)
    #expect(try await store.scan(Note.table.range("x"), limit: 0, at: now).isEmpty)
    #expect(try await store.scan(Note.table.range("y"), limit: 3, at: now).isEmpty)
    #expect(try await store.write([.removal(of: Note.table.key("x", "a"))], at: now))
    #expect(try await store.scan(Note.table.range("x"), limit: 100, at: now).count == parts.count - 1)
  }

  @Test(arguments: StoreCase.all)
  func `a store applies a commit id once within a minute, however often it is sent`(_ engine: StoreCase) async throws {
    while true {
      let store = try engine.make()
      let one = StoreCount("tests.one", atMost: 1, of: "notes")
      let refused = StoreCommit(checks: [.init(ann.path, .absent)], writes: [.init(ann, "one")])
      let first = StoreCommit(
        checks: [.init(ann.path, .absent)], writes: [.init(ann, "one"), .init(bob, "", in: [one])])
      let begun = ContinuousClock.now
      let outcomes = [
        try await store.commit(first, at: now), try await store.write([.init(ann, "two")], at: now),
        try await store.commit(first, at: now), try await store.commit(first, at: now + .seconds(59)),
      ]
      // Redis also forgets it after three minutes of its own time, which may pass on a machine that is too busy.
      guard ContinuousClock.now - begun < .seconds(150) else { continue }
      #expect(outcomes == [true, true, true, true])
      #expect(try await store.note(ann, at: now) == "two")
      // A refused commit was not made: it is tried again.
      #expect(try await !store.commit(refused, at: now))
      #expect(try await store.write([.removal(of: ann)], at: now))
      #expect(try await store.commit(refused, at: now))
      let crowd = StoreCommit(writes: [.init(ann, "crowd", in: [one])])
      await expectFull(one) { try await store.commit(crowd, at: now) }
      #expect(try await store.write([.removal(of: bob)], at: now))
      #expect(try await store.commit(crowd, at: now))
      // After a minute it is forgotten, and its check finds the row.
      #expect(try await store.write([.removal(of: bob)], at: now + .seconds(60)))
      #expect(try await !store.commit(first, at: now + .seconds(60)))
      return
    }
  }

  @Test(arguments: StoreCase.all)
  func `five hundred concurrent changes of one row all apply, nearly all at the second try`(_ engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    let (key, now) = (ann, now)
    let outcomes = await withTaskGroup(of: (isRefused: Bool, runs: Int).self) { group in
      for number in 0..<500 {
        group.addTask {
          var runs = 0
          do throws(GatewayError) {
            try await store.transact(at: now) {
              (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> Void in
              runs += 1
              let count = try await transaction.get(key, as: Note.self).flatMap { Int($0.text) } ?? 0
              transaction.put(key, Note(text: "\(count + 1)"))
              // If the first in the line fails, the next one starts.
              if number % 5 == 0, runs > 1 { throw .notFound }
            }
            return (false, runs)
          } catch {
            return (true, runs)
          }
        }
      }
      return await group.reduce(into: (refusals: 0, runs: 0)) { sums, outcome in
        sums.refusals += outcome.isRefused ? 1 : 0
        sums.runs += outcome.runs
      }
    }
    #expect(outcomes.refusals > 0 && outcomes.runs <= 1500, "\(outcomes)")
    #expect(try await store.note(ann, at: now) == "\(500 - outcomes.refusals)")
  }

  @Test(arguments: StoreCase.all)
  func `concurrent changes of several rows never wait for ever`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let (keys, now) = ((0..<5).map { Note.table.key("\($0)") }, now)
    await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          var generator = SeededGenerator(seed: UInt64(number))
          let mine = Array(keys.shuffled(using: &generator).prefix(3))
          _ = try? await store.transact(at: now) {
            (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> Void in
            for key in mine {
              let count = try await transaction.get(key, as: Note.self).flatMap { Int($0.text) } ?? 0
              transaction.put(key, Note(text: "\(count + 1)"))
            }
          }
        }
      }
    }
    let counts = try await store.read(keys, at: now).map { try $0?.value(as: Note.self).text ?? "" }
    #expect(counts.compactMap { Int($0) }.reduce(0, +) == 600)
  }

  private func expectFull(_ count: StoreCount, _ body: () async throws -> Bool) async {
    let error = await #expect(throws: StoreError.self) { _ = try await body() }
    #expect(error == .full(count))
  }
}

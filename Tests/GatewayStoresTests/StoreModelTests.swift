import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

/// A model of a store in its simplest form.
private struct StoreModel {
  struct Row {
    var text: String
    var expires: WallTime?
    var counts: [StoreCount]
    var version = 0
  }

  var rows: [StorePath: Row] = [:]
  var commits = 0

  func row(_ path: StorePath, at now: WallTime) -> Row? {
    rows[path].flatMap { row in row.expires.map { now < $0 } ?? true ? row : nil }
  }

  /// Returns the row's version in the model at that time.
  func version(_ path: StorePath, at now: WallTime) -> Int { row(path, at: now)?.version ?? 0 }

  enum Outcome { case done, conflict, full }

  mutating func commit(
    _ checks: [(path: StorePath, version: Int)], _ writes: [(path: StorePath, row: Row?)], at now: WallTime
  ) -> Outcome {
    guard checks.allSatisfy({ version($0.path, at: now) == $0.version }) else { return .conflict }
    var next = rows
    commits += 1
    for (path, row) in writes {
      next[path] = row
      next[path]?.version = commits
    }
    let before = Self.tallies(rows, at: now)
    let after = Self.tallies(next, at: now)
    let isFull = writes.contains { _, row in
      row?.counts.contains { after[$0.path, default: 0] > max($0.atMost, before[$0.path, default: 0]) } ?? false
    }
    guard !isFull else { return .full }
    rows = next
    return .done
  }

  private static func tallies(_ rows: [StorePath: Row], at now: WallTime) -> [StorePath: Int] {
    var tallies: [StorePath: Int] = [:]
    for row in rows.values where row.expires.map({ now < $0 }) ?? true {
      for count in row.counts { tallies[count.path, default: 0] += count.weight }
    }
    return tallies
  }
}

struct StoreModelTests {
  private func counts(weight: Int) -> [StoreCount] {
    [
      StoreCount("tests.a", atMost: 6, of: "a", weight: weight),
      StoreCount("tests.b", "x", atMost: 4, of: "b", weight: weight),
      StoreCount("tests.b", "y", atMost: 9, of: "b", weight: weight),
    ]
  }

  @Test(.long, arguments: StoreCase.all, [1, 2] as [UInt64])
  func `a store answers ten thousand random transactions like the model`(_ engine: StoreCase, seed: UInt64)
    async throws
  {
    let store = try engine.make()
    var generator = SeededGenerator(seed: seed)
    var model = StoreModel()
    var now = WallTime(seconds: 1_000)
    let keys = (0..<20).map { Note.table.key($0 < 10 ? "low" : "high", "\($0)") }
    var outcomes: [StoreModel.Outcome: Int] = [:]
    for step in 0..<5_000 {
      if Int.random(in: 0..<3, using: &generator) == 0 { now = now + .seconds(1) }
      // Something that was read earlier: sometimes it has changed since, or is claimed to have.
      let read = Array(keys.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator)))
      let entries = try await store.read(read, at: now)
      for (key, entry) in zip(read, entries) {
        #expect(try entry?.value(as: Note.self).text == model.row(key.path, at: now)?.text, "step \(step)")
      }
      if Int.random(in: 0..<4, using: &generator) == 0 { now = now + .seconds(1) }
      let isLie = Int.random(in: 0..<10, using: &generator) == 0
      let checks = zip(read, entries).map { key, entry in
        StoreCommit.Check(key.path, isLie ? StoreVersion(1 << 40) : entry?.version ?? .absent)
      }
      let known = read.map { (path: $0.path, version: isLie ? -1 : model.version($0.path, at: now)) }
      let haveExpired = zip(read, entries).contains { $1 != nil && model.row($0.path, at: now) == nil }
      var writes: [(path: StorePath, row: StoreModel.Row?)] = []
      var commit = StoreCommit(checks: checks)
      for key in keys.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)) {
        guard Int.random(in: 0..<4, using: &generator) > 0 else {
          writes.append((key.path, nil))
          commit.writes.append(.removal(of: key))
          continue
        }
        let life = Int.random(in: 0...8, using: &generator)
        let expires = life == 0 ? nil : now + .seconds(life)
        let weight = Int.random(in: 1...3, using: &generator)
        let mine = counts(weight: weight).filter { _ in Bool.random(using: &generator) }
        writes.append((key.path, StoreModel.Row(text: "\(step)", expires: expires, counts: mine)))
        commit.writes.append(.init(key, "\(step)", expires: expires, in: mine))
      }
      let expected = haveExpired ? .conflict : model.commit(known, writes, at: now)
      outcomes[expected, default: 0] += 1
      var outcome: StoreModel.Outcome
      do throws(StoreError) {
        outcome = try await store.commit(commit, at: now) ? .done : .conflict
      } catch {
        guard case .full = error else { throw error }
        outcome = .full
      }
      try #require(outcome == expected, "step \(step)")
      let scanned = try await store.scan(Note.table.range("low"), limit: 7, at: now)
      let alive = keys[..<10].map(\.path).sorted().filter { model.row($0, at: now) != nil }
      try #require(scanned.map(\.path) == Array(alive.prefix(7)), "step \(step)")
      let last = try await store.scan(Note.table.range("low").backwards, limit: 7, at: now)
      try #require(last.map(\.path) == alive.suffix(7).reversed(), "step \(step)")
    }
    // Each answer occurred often.
    #expect(outcomes.values.allSatisfy { $0 > 200 } && outcomes.count == 3, "\(outcomes)")
  }
}

import GatewayCore
import GatewayKit
import Synchronization
import TestSupport
import Testing

@testable import GatewayIdentity

/// What every engine does with the rows of webhooks that wait.
@Suite(.timeLimit(.minutes(2)))
struct WebhookRowsContract {
  private static let now = WallTime(seconds: 1_800_000_000)
  private static let first = NodeBoot(node: 0, boot: 7)
  private static let other = NodeBoot(node: 1, boot: 3)
  private static let third = NodeBoot(node: 2, boot: 0)

  private static func webhook(_ text: String) -> Webhook {
    Webhook(
      "vendor", of: "app", to: "https://a.example/é?x=1", about: "channel", Array(text.utf8),
      rule: WebhookRule(timeout: .seconds(1), attemptsMax: 3, repeated: .none), notes: ["id", ""]
    ) { _, _, _ in [] }
  }

  private static func rows(_ store: any Store, _ life: NodeBoot, _ seconds: Double = 0) -> WebhookRows {
    WebhookRows(store, of: life, at: now + .seconds(seconds))
  }

  /// Adds webhooks a second apart, beginning at that second, and writes them.
  private static func add(_ texts: [String], to rows: WebhookRows, at second: Double = 0) async throws -> [WebhookRows
    .ID]
  {
    let ids = try texts.enumerated().map { index, text in
      try #require(rows.add(webhook(text), at: now + .seconds(second + Double(index))))
    }
    try await write(rows)
    return ids
  }

  private static func write(_ rows: WebhookRows) async throws {
    guard rows.beginsWriting() else { return }
    while !rows.endsWriting() { try await rows.write(at: now) }
  }

  private static func claim(_ rows: WebhookRows, _ dead: DeadBoots = .everybody) async throws -> [WebhookRows.Leftover]
  {
    var (found, leftovers) = ([WebhookRows.Leftover](), try await rows.claim(dead, at: now))
    while let page = try await rows.next(of: &leftovers, at: now) {
      for row in page { rows.adopt(row) }
      found += page
    }
    rows.finish(leftovers)
    return found
  }

  private static func bodies(_ rows: [WebhookRows.Leftover]) -> [String] { rows.map { $0.webhook?.body ?? "damaged" } }

  /// The numbers of rows of webhooks and of owners.
  private static func sizes(_ store: any Store) async throws -> [Int] {
    [
      try await store.scan(WebhookRows.webhooks.range(), limit: 1_000, at: now).count,
      try await store.scan(WebhookRows.owners.range(), limit: 1_000, at: now).count,
    ]
  }

  @Test(arguments: StoreCase.all)
  func `the webhooks of a dead process are read whole, in order, with their failed attempts`(engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    let rows = Self.rows(store, Self.first)
    let texts = (0..<150).map { "{\"text\":\"\($0) é \u{0}\\\" 🎉\"}" }
    let ids = try await Self.add(texts, to: rows)
    rows.note(2, of: Self.webhook(texts[0]), madeAt: Self.now, at: ids[0])
    for id in ids[10..<20] { rows.remove(id) }
    try await Self.write(rows)
    #expect(rows.count == 140)
    let next = Self.rows(store, Self.first.next, 60)
    let found = try await Self.claim(next)
    #expect(Self.bodies(found) == Array(texts[..<10] + texts[20...]))
    let one = try #require(found.first?.webhook)
    #expect(one == StoredWebhook(Self.webhook(texts[0]), attempts: 2, madeAt: Self.now))
    #expect(found.dropFirst().allSatisfy { $0.webhook?.attempts == 0 })
    for row in found { next.remove(row.id) }
    try await Self.write(next)
    #expect(try await Self.sizes(store) == [0, 0] && next.count == 0)
  }

  @Test(arguments: StoreCase.all)
  func `the webhooks of a living process stay its own`(engine: StoreCase) async throws {
    let store = try engine.make()
    _ = try await Self.add(["a"], to: Self.rows(store, Self.first))
    _ = try await Self.add(["b"], to: Self.rows(store, Self.other))
    let rows = Self.rows(store, Self.third)
    #expect(try await Self.claim(rows, DeadBoots(before: [])).isEmpty)
    #expect(Self.bodies(try await Self.claim(rows, DeadBoots(before: [Self.other.next]))) == ["b"])
    #expect(try await Self.claim(rows, DeadBoots(before: [Self.other.next])).isEmpty, "they are in its queue")
    #expect(try await Self.claim(Self.rows(store, Self.other.next, 9), DeadBoots(before: [Self.other.next])).isEmpty)
  }

  @Test(arguments: StoreCase.all)
  func `of several processes that take over at once, one gets all webhooks of a life`(engine: StoreCase) async throws {
    let store = try engine.make()
    let texts = (0..<70).map(String.init)
    _ = try await Self.add(texts, to: Self.rows(store, Self.first))
    let dead = DeadBoots(before: [Self.first.next])
    let found = try await withThrowingTaskGroup(of: [String].self) { group in
      for node in 1..<9 {
        group.addTask {
          Self.bodies(try await Self.claim(Self.rows(store, NodeBoot(node: node, boot: 0)), dead))
        }
      }
      return try await group.reduce(into: [[String]]()) { if !$1.isEmpty { $0.append($1) } }
    }
    #expect(found == [texts])
  }

  @Test(arguments: StoreCase.all)
  func `a process that dies while it takes over leaves everything to the next, oldest first`(engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    _ = try await Self.add((0..<50).map { "first \($0)" }, to: Self.rows(store, Self.first))
    let second = Self.rows(store, Self.other, 100)
    _ = try await second.claim(DeadBoots(before: [Self.first.next]), at: Self.now)
    _ = try await Self.add((0..<50).map { "second \($0)" }, to: second, at: 1_000)
    let found = Self.bodies(try await Self.claim(Self.rows(store, Self.third), DeadBoots(before: [Self.other.next])))
    #expect(found == (0..<50).map { "first \($0)" } + (0..<50).map { "second \($0)" })
  }

  @Test(arguments: StoreCase.all)
  func `a take-over that the store interrupts goes on where it was`(engine: StoreCase) async throws {
    let store = FaultyStore(try engine.make(), nil)
    let texts = (0..<300).map(String.init)
    _ = try await Self.add(texts, to: Self.rows(store, Self.first))
    let rows = Self.rows(store, Self.other)
    var leftovers = try await rows.claim(.everybody, at: Self.now)
    let page = try #require(try await rows.next(of: &leftovers, at: Self.now))
    for row in page { rows.adopt(row) }
    store.fault = .away
    await #expect(throws: StoreError.self) {
      while try await rows.next(of: &leftovers, at: Self.now) != nil {}
    }
    rows.abandon(leftovers)
    await #expect(throws: StoreError.self) { _ = try await rows.claim(.everybody, at: Self.now) }
    store.fault = nil
    #expect(Self.bodies(page + (try await Self.claim(rows))) == texts)
  }

  private struct Garbage: StoreValue {
    var vendor = 7
  }

  @Test(arguments: ["SQLite", "Redis"])
  func `rows of another form are read as damaged, and the others as they are`(name: String) async throws {
    let store = try #require(StoreCase.all.first { $0.testDescription == name }).make()
    let rows = Self.rows(store, Self.first)
    let ids = try await Self.add((0..<5).map(String.init), to: rows)
    let odd = ids.prefix(2).map { StoreCommit.Write(WebhookRows.key($0), Garbage()) }
    #expect(
      try await store.settle(
        StoreCommit(writes: odd + [StoreCommit.Write(WebhookRows.key(of: 77), Garbage())]), at: Self.now))
    let next = Self.rows(store, Self.first.next, 1)
    let found = try await Self.claim(next)
    #expect(Self.bodies(found) == ["damaged", "damaged", "2", "3", "4"])
    for row in found { next.remove(row.id) }
    try await Self.write(next)
    #expect(try await Self.sizes(store) == [0, 0])
  }

  @Test func `a row that the engine cannot read is deleted, and no other`() async throws {
    let store = UnreadableStore(try #require(StoreCase.all.first).make())
    let rows = Self.rows(store, Self.first)
    let ids = try await Self.add((0..<90).map(String.init), to: rows)
    let bad: Set<Int> = [0, 1, 40, 41, 43, 89]
    store.unreadable.withLock { $0 = Set(bad.map { WebhookRows.key(ids[$0]).path }) }
    let found = try await Self.claim(Self.rows(store, Self.other))
    #expect(Self.bodies(found) == (0..<90).filter { !bad.contains($0) }.map(String.init))
    #expect(try await Self.sizes(store) == [84, 1])
  }

  @Test func `a webhook that is delivered before it is written, or is too large, has no row`() async throws {
    let store = FaultyStore()
    let rows = Self.rows(store, Self.first)
    let id = try #require(rows.add(Self.webhook("a"), at: Self.now))
    rows.remove(id)
    #expect(!rows.beginsWriting() && store.commitCount == 0)
    #expect(rows.add(Self.webhook(String(repeating: "a", count: WebhookRows.bodyBytesMax + 1)), at: Self.now) == nil)
    #expect(rows.isIdle)
  }

  @Test(arguments: 1...20)
  func `with lost commits and answers no webhook that waits is lost, and none is left when all are delivered`(
    seed: UInt64
  ) async throws {
    let store = FaultyStore(.lossy)
    var random = SeededGenerator(seed: seed)
    let rows = Self.rows(store, Self.first)
    var waiting: [(text: String, id: WebhookRows.ID)] = []
    for number in 0..<300 {
      let id = try #require(rows.add(Self.webhook("\(number)"), at: Self.now + .seconds(number)))
      waiting.append(("\(number)", id))
      if Bool.random(using: &random) {
        rows.remove(waiting.remove(at: Int.random(in: waiting.indices, using: &random)).id)
      }
      if number % 7 == 0, let one = waiting.randomElement(using: &random) {
        rows.note(1, of: Self.webhook(one.text), madeAt: Self.now, at: one.id)
      }
      store.fault = number % 50 < 10 ? .away : .lossy
      if number % 3 == 0, rows.beginsWriting() {
        try? await rows.write(at: Self.now)
        if !rows.endsWriting() { rows.state.withLock { $0.isWriting = false } }
      }
    }
    store.fault = nil
    try await Self.write(rows)
    let next = Self.rows(store, Self.other)
    let found = try await Self.claim(next)
    #expect(Self.bodies(found) == waiting.map(\.text))
    for row in found { next.remove(row.id) }
    try await Self.write(next)
    #expect(try await Self.sizes(store) == [0, 0])
  }
}

import GatewayCore
import GatewayRuntime
import GatewaySimulator
import Synchronization
import Testing

struct JournalTests {
  private static let users = ["ann", "bob", "cleo", "e\u{301}", "\u{e9}"].map { UserID($0) }

  /// A journal of a given size on its own loop, whose time the test controls.
  private struct Scene {
    let world = SimulatedWorld(keepsTrace: false)
    let journal: Journal

    init(records: Int) {
      journal = Journal(on: world.loop.eventLoop, bytes: records * 64)
    }

    func onLoop<Answer>(_ body: (Journal) throws -> Answer) rethrows -> Answer {
      try world.loop.eventLoop.asCurrent { try body(journal) }
    }
  }

  @Test(arguments: [(64, 1), (1_000, 8), (4 << 20, 65_536), (0, 1)])
  func `the journal keeps a power of two of records of 64 bytes`(bytes: Int, records: Int) {
    let world = SimulatedWorld(keepsTrace: false)
    #expect(Journal(on: world.loop.eventLoop, bytes: bytes).capacity == records)
  }

  /// One record in a list of all.
  private struct Entry {
    let number: UInt64
    let event: JournalEvent
    let user: UserID
    let connection: ConnectionID

    func isMeant(by query: Journal.Query) -> Bool {
      guard number > query.after else { return false }
      if let user = query.user, user != self.user { return false }
      if let connection = query.connection, connection != self.connection { return false }
      return query.kinds.isEmpty || query.kinds.contains(event.kind)
    }
  }

  private static let events: [JournalEvent] = [
    .connectionOpened(), .loginAsked, .tokenExpired, .ordered(.expire), .providerAsked,
  ]

  private static func query(upTo last: UInt64, _ generator: inout SeededGenerator) -> Journal.Query {
    var query = Journal.Query(limit: Int.random(in: 1...40, using: &generator))
    query.after = UInt64.random(in: 0...last, using: &generator)
    if Bool.random(using: &generator) { query.user = users.randomElement(using: &generator)! }
    if Bool.random(using: &generator) { query.kinds = [events.randomElement(using: &generator)!.kind] }
    if Bool.random(using: &generator) { query.connection = ConnectionID(loop: 0, serial: 2) }
    return query
  }

  @Test(arguments: UInt64(1)...6)
  func `the journal gives what a list of all records would give, through ten laps`(seed: UInt64) {
    let scene = Scene(records: 32)
    var generator = SeededGenerator(seed: seed)
    var all: [Entry] = []
    for number in UInt64(1)...320 {
      let entry = Entry(
        number: number, event: Self.events.randomElement(using: &generator)!,
        user: Self.users.randomElement(using: &generator)!,
        connection: ConnectionID(loop: 0, serial: UInt64.random(in: 1...3, using: &generator)))
      all.append(entry)
      scene.onLoop { journal in
        let user = journal.hold(entry.user)
        journal.write(entry.event, by: entry.connection, user: user)
        journal.release(user)
      }
      let kept = all.suffix(32)
      let query = Self.query(upTo: number, &generator)
      let meant = kept.filter { $0.isMeant(by: query) }
      let wanted = meant.prefix(query.limit)
      let page = scene.onLoop { $0.page(query) }
      #expect(page.lines.map(\.number) == wanted.map(\.number))
      #expect(page.lines.map(\.event) == wanted.map(\.event))
      #expect(page.lines.map(\.user) == wanted.map(\.user))
      #expect(page.lines.map(\.connection) == wanted.map(\.connection))
      let first = kept.first?.number ?? 1
      #expect(page.missed == (first > query.after + 1 ? first - query.after - 1 : 0))
      let isCut = meant.count > query.limit
      #expect(page.next == (isCut ? meant[meant.startIndex + query.limit].number - 1 : number))
      let counts = scene.onLoop { $0.counts(of: entry.user) }
      let own = kept.filter { $0.user == entry.user }.map { ($0.event.kind, 1) }
      #expect(counts == Dictionary(own, uniquingKeysWith: +))
    }
  }

  @Test
  func `the journal forgets exactly the users that no record and no connection names any more`() {
    let scene = Scene(records: 16)
    scene.onLoop { journal in
      let ann = journal.hold(UserID("ann"))
      for number in 0..<10_000 { journal.write(.providerAsked, of: UserID("user-\(number)")) }
      #expect(journal.userCount < 3_000)
      journal.write(.loginAsked, user: ann)
      let names = journal.page(Journal.Query()).lines.map { $0.user?.rawValue }
      #expect(names == (9_985..<10_000).map { "user-\($0)" } + ["ann"])
    }
  }

  @Test
  func `the journal's times count from its beginning`() throws {
    let scene = Scene(records: 8)
    scene.world.advance(by: .seconds(5))
    scene.onLoop { $0.begin() }
    scene.world.advance(by: .milliseconds(1_500))
    let line = try scene.onLoop { journal in
      journal.write(.loginAsked)
      return try #require(journal.page(Journal.Query()).lines.first)
    }
    #expect(line.at == .milliseconds(1_500) && line.wallTime == scene.world.wallTime)
    #expect(line.user == nil && line.connection == nil && line.dialect == nil)
  }

  // MARK: Waiting

  /// The result of a wait, and its time.
  private final class Heard: Sendable {
    let outcomes = Mutex<[Journal.Outcome]>([])
    func hear(_ outcome: Journal.Outcome) { outcomes.withLock { $0.append(outcome) } }
    var met: [Bool] { outcomes.withLock { $0.map(\.isMet) } }
    var numbers: [[UInt64]] { outcomes.withLock { $0.map { $0.page.lines.map(\.number) } } }
  }

  private func wait(_ scene: Scene, _ heard: Heard, count: Int = 2, after: UInt64 = 0) throws {
    let query = Journal.Query(after: after, user: UserID("ann"), kinds: [.loginAsked])
    _ = try scene.onLoop { try $0.wait(for: query, count: count, within: .seconds(5)) { heard.hear($0) } }
  }

  private func login(_ scene: Scene, _ user: String) { scene.onLoop { $0.write(.loginAsked, of: UserID(user)) } }

  @Test
  func `a wait for the journal is met at once if the lines are there`() throws {
    let (scene, heard) = (Scene(records: 16), Heard())
    for user in ["ann", "bob", "ann", "ann"] { login(scene, user) }
    try wait(scene, heard)
    #expect(heard.met == [true] && heard.numbers == [[1, 3]])
  }

  @Test
  func `a wait for the journal is met as soon as there are enough lines, also after a lap`() throws {
    let (scene, heard) = (Scene(records: 4), Heard())
    login(scene, "ann")
    try wait(scene, heard)
    for _ in 0..<9 { login(scene, "bob") }
    scene.onLoop { $0.write(.tokenExpired, of: UserID("ann")) }
    #expect(heard.met.isEmpty)
    login(scene, "ann")
    #expect(heard.met == [true] && heard.numbers == [[1, 12]])
    login(scene, "ann")
    scene.world.advance(by: .seconds(10))
    #expect(heard.met.count == 1, "it was told twice")
  }

  @Test
  func `a wait for the journal that is not met ends when its time has passed, and not before`() throws {
    let (scene, heard) = (Scene(records: 16), Heard())
    login(scene, "ann")
    try wait(scene, heard)
    scene.world.advance(by: .milliseconds(4_999))
    #expect(heard.met.isEmpty)
    scene.world.advance(by: .milliseconds(1))
    #expect(heard.met == [false] && heard.numbers == [[1]])
    try wait(scene, heard, count: 1, after: 1)
    scene.onLoop { $0.end() }
    #expect(heard.met == [false, false])
    try wait(scene, heard)
    #expect(heard.met == [false, false, false], "nobody waits for a journal that has ended")
  }

  @Test
  func `the journal bounds the number of waits`() throws {
    let (scene, heard) = (Scene(records: 16), Heard())
    for _ in 0..<Journal.waitersMax { try wait(scene, heard) }
    #expect(throws: GatewayError.self) { try wait(scene, heard) }
    for _ in 0..<2 { login(scene, "ann") }
    #expect(heard.met == [Bool](repeating: true, count: Journal.waitersMax))
    try wait(scene, heard, after: 2)
  }
}

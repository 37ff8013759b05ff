package import GatewayCore
internal import Synchronization

/// A gateway: its loops with their tables, its dialects, and the orders that go to all of them.
///
/// Holds no state that changes but a flag for draining and a count of orders. All else is in the tables, each on its loop.
package final class Gateway: Sendable {
  package let configuration: GatewayConfiguration
  package let tables: [LoopTable]
  /// The first one answers for paths that no dialect has.
  ///
  /// `nonisolated(unsafe)`: written by ``open(with:)`` and ``close()``, when no loop has a connection.
  package private(set) nonisolated(unsafe) var bindings: [DialectBinding] = []
  private let drains = Atomic(false)
  /// The number of orders to spread a wave.
  let spreadCount = Atomic<UInt64>(0)
  private let line: AnnouncementLine
  let unanswered = UnansweredWarnings()
  let keeper: (any RevocationKeeper)?
  /// Written with ``bindings``, when no loop has a connection.
  private(set) nonisolated(unsafe) var objector: (any TokenObjector)?
  /// Written with ``bindings`` too.
  private(set) nonisolated(unsafe) var attendant: (any ConnectionAttendant)?
  /// Written when no loop has a connection too, with ``bindings``.
  private(set) nonisolated(unsafe) var spoken = SpokenDialects([])

  /// Whether a client is admitted at a time; nil for always. Written when no loop has a connection.
  private(set) nonisolated(unsafe) var mayAdmit: (@Sendable (Instant) -> Bool)?

  /// The other processes that are nodes of this gateway; nil if there can be none. Written when no loop has a connection too.
  private(set) nonisolated(unsafe) var nodes: NodeLink?

  /// A gateway that vendors can use. It admits no client before it is opened with their wire formats. With a `keeper`
  /// its revocations outlive it.
  ///
  /// - Precondition: 1 to 256 loops, and just one where there is a journal; they are numbered from 0.
  package init(configuration: GatewayConfiguration, loops: [EventLoop], keeper: (any RevocationKeeper)? = nil) {
    self.keeper = keeper
    precondition((1...ConnectionID.loops).contains(loops.count) && loops.enumerated().allSatisfy { $0 == $1.index })
    precondition(configuration.journalBytes == nil || loops.count == 1, "a journal is of one loop")
    var configuration = configuration
    configuration.traces?.loops = loops.count
    self.configuration = configuration
    tables = loops.map { [configuration] in LoopTable(loop: $0, configuration: configuration) }
    line = AnnouncementLine(loops: loops.count)
  }

  /// Takes the wire formats that it serves from here on, each as `decorate` makes it, and who else may refuse a token that a
  /// request shows. Once, before anything listens.
  ///
  /// - Parameter attendant: Keeps something for each connection; nil for nobody.
  /// - Precondition: 1 to 255 of them.
  package func open(
    with bindings: [DialectBinding], objector: (any TokenObjector)? = nil, attendant: (any ConnectionAttendant)? = nil,
    decorate: (DialectBinding) -> DialectBinding = { $0 }
  ) {
    precondition(self.bindings.isEmpty && (1...Int(UInt8.max)).contains(bindings.count))
    self.bindings = bindings.map(decorate)
    self.objector = objector
    self.attendant = attendant
    spoken = SpokenDialects(bindings)
    for table in tables { table.count(bindings) }
  }

  /// Has every upgrade refused with 503, and no token taken as good, at times for which `mayAdmit` returns false, e.g. because
  /// another process has the store. Once, before anything listens.
  package func admit(while mayAdmit: @escaping @Sendable (Instant) -> Bool) {
    self.mayAdmit = mayAdmit
    for table in tables { table.mayAdmit = mayAdmit }
  }

  /// Makes it one of several nodes that receive each other's announcements, and perform each other's orders. Once, after
  /// ``open(with:objector:decorate:)`` and before anything listens.
  ///
  /// - Parameters:
  ///   - bus: The channel between them.
  ///   - names: Returns the processes that surely are or may be nodes now, by their lives; this one too.
  ///   - heard: A function that is called on the first loop with each note of a vendor of another node.
  ///   - missed: A function that is called on the first loop when messages may have been missed.
  package func join(
    _ bus: any Bus, names: @escaping @Sendable () -> [NodeBoot: String],
    heard: @escaping @Sendable (VendorNote) -> Void, missed: @escaping @Sendable () -> Void
  ) {
    nodes = NodeLink(
      bus, life: configuration.life, on: tables[0].loop, names: names, heard: heard, missed: missed)
    // Other nodes' clients may use a dialect that no client has used here.
    spoken.noteAll()
    bus.open(self)
  }

  /// Releases its wire formats, since vendors and the gateway refer to each other. Call it when there is no connection
  /// and no request, and none can come.
  package func close() {
    bindings = []
    objector = nil
    attendant = nil
    nodes = nil
    spoken = SpokenDialects([])
  }

  /// Whether new sockets are refused because the gateway closes.
  package var isDraining: Bool { drains.load(ordering: .relaxed) }

  /// Returns the dialect that words the error for a path without an answer.
  package func dialect(owning path: String) -> any Dialect {
    bindings[number(owning: path)].dialect
  }

  func number(owning path: String) -> Int {
    bindings.lastIndex { $0.dialect.owns(path: path) } ?? 0
  }

  package func table(on loop: EventLoop) -> LoopTable {
    tables[loop.index]
  }

  /// The table that would have the connection; nil if its name is not one of this process's.
  package func table(of id: ConnectionID) -> LoopTable? {
    id.node == configuration.life.node && id.loop < tables.count ? tables[id.loop] : nil
  }

  // MARK: Fan-out

  /// Sends the announcement to the audience on every loop of every node, without waiting for them. All loops receive
  /// all announcements in one order. From any thread.
  package func announce(_ announcement: Announcement) {
    guard !announcement.frames.isEmpty else { return }
    // With other nodes, this one receives it through the bus, when they do.
    if let nodes { nodes.bus.send(.announcement(announcement)) } else { tell(announcement) }
  }

  /// Tells the audience on every loop of this process: on the caller's at once, on the others soon.
  func tell(_ announcement: Announcement) {
    let idle = line.add(announcement)
    let here = EventLoop.current.flatMap { loop in tables.first { $0.loop === loop } }
    // A loop that is receiving something receives this after it.
    let now = here?.isHearing == false ? here : nil
    for index in idle where tables[index] !== now {
      tables[index].loop.execute { [self] in hear(on: tables[index]) }
    }
    if let now { hear(on: now) }
  }

  /// Does what has been announced to the loop and not been done. Only on it.
  private func hear(on table: LoopTable) {
    table.isHearing = true
    for announcement in line.take(table.loop.index) { table.deliver(announcement) }
    table.isHearing = false
  }

  package func frames(_ words: (any Dialect) -> Frame?) -> [DialectFrame] {
    spoken.frames(words)
  }

  // MARK: Orders

  /// Stores the tokens that an order is about to expire, so that they stay expired after the gateway's end.
  private func keepExpiries(
    of event: SessionEvent, _ meant: @escaping @Sendable (LoopTable) -> [Connection]
  ) async throws(GatewayError) {
    guard event == .expireNow, let keeper else { return }
    let now = await tables[0].perform { $0.loop.wallTime }
    var kept: Set<TokenFingerprint> = []
    // A session that was refreshed while tokens were written has another token by now, which the order will expire.
    for _ in 0..<Self.keepingRoundsMax {
      let before = kept.count
      for table in tables {
        let tokens = await table.perform { meant($0).compactMap(\.expirable) }.filter { !kept.contains($0.fingerprint) }
        guard !tokens.isEmpty else { continue }
        try await keeper.keep(tokens, at: now)
        kept.formUnion(tokens.map(\.fingerprint))
      }
      if kept.count == before { return }
    }
  }

  /// How often the gateway checks again for sessions whose tokens must be stored.
  private static let keepingRoundsMax = 8

  /// Lets a token count as expired on every loop. Only on `table`'s loop, where it does at once.
  func expire(_ token: ExpiredToken, from table: LoopTable) {
    for other in tables where other !== table {
      other.loop.execute { other.expire(token) }
    }
    table.expire(token)
  }

  /// Gives an operator's event to sessions of this process. Returns how many those are; nil if there is no such connection.
  func controlHere(_ target: OrderTarget, _ event: SessionEvent) async throws(GatewayError) -> Int? {
    switch target {
    case .connection(let id):
      guard let table = self.table(of: id) else { return nil }
      try await keepExpiries(of: event) { [$0.connection(id)].compactMap(\.self) }
      return await table.perform { table in
        guard let connection = table.connection(id) else { return nil }
        connection.control(event)
        return 1
      }
    case .user(let user):
      try await keepExpiries(of: event) { $0.connections(of: user) }
      return await sum { table in
        let connections = table.connections(of: user)
        for connection in connections { connection.control(event) }
        return connections.count
      }
    case .everybody:
      try await keepExpiries(of: event) { $0.inOrder }
      return await sum { table in
        let connections = table.inOrder
        LoopTable.inSlices(connections, on: table.loop) { $0.control(event) }
        return connections.count
      }
    }
  }

  /// Refuses new sockets from now on, tells every client, and closes each at a different time within `window`. Returns
  /// when none is left.
  package func drain(over window: Duration) async {
    drains.store(true, ordering: .relaxed)
    for table in tables {
      await table.perform { table in
        LoopTable.inSlices(table.inOrder, on: table.loop) { connection in
          let delay = Duration.nanoseconds(Int64(Double(window.nanoseconds) * table.loop.nextShare()))
          connection.control(.drain(until: table.loop.now + delay))
        }
      }
    }
    for table in tables { await table.whenEmpty() }
  }

  // MARK: Questions

  /// The figures of all loops together.
  package func metrics() async -> LoopMetrics {
    var merged = LoopMetrics(dialects: bindings.map(\.dialect.name))
    for table in tables {
      merged.merge(await table.perform { $0.metrics })
      merged.turns.merge(await table.perform { $0.loop.transport.turns })
    }
    return merged
  }

  /// How many connections are in each phase of an open one.
  package func phases() async -> [String: UInt64] {
    await phasesByDialect().flatMap(\.counts).reduce(into: [:]) { $0[$1.phase.name, default: 0] += $1.count }
  }

  /// How many connections of each dialect are in each phase of an open one.
  package func phasesByDialect() async -> [(dialect: String, counts: [(phase: Session.PhaseKind, count: UInt64)])] {
    let kinds = Session.PhaseKind.allCases
    var sums = [Int](repeating: 0, count: bindings.count * kinds.count)
    for table in tables {
      for (place, count) in await table.perform({ $0.phases }).enumerated() { sums[place] += count }
    }
    var names: [String] = []
    for binding in bindings where !names.contains(binding.dialect.name) { names.append(binding.dialect.name) }
    return names.map { name in
      let own = bindings.indices.filter { bindings[$0].dialect.name == name }
      let counts = kinds.filter { $0 != .closed }.map { kind in
        (phase: kind, count: UInt64(own.reduce(0) { $0 + sums[$1 * kinds.count + kind.rawValue] }))
      }
      return (name, counts)
    }
  }

  /// Logs an order for the operator. Only from a loop of the gateway.
  package func log(_ level: LogLevel, _ name: String, _ fields: @autoclosure () -> [LogEvent.Field]) {
    currentTable.log.write(level, name, fields())
  }

  /// Does `body` on every loop that may have a session that is meant.
  func sum(
    over sessions: SessionFilter = SessionFilter(), _ body: @escaping @Sendable (LoopTable) -> Int
  ) async -> Int {
    var sum = 0
    for table in tables where sessions.mayTakeIn(loop: table.loop.index) { sum += await table.perform(body) }
    return sum
  }
}

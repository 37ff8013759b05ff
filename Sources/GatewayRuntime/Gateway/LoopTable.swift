package import GatewayCore

/// One loop's table: its connections by user and call, its copy of the revocations, its metrics.
///
/// `@unchecked Sendable`: touched only on its loop. Other threads reach it by ``perform(_:)``.
package final class LoopTable: @unchecked Sendable {
  package let loop: EventLoop
  /// The loop whose time measures the silence of peers.
  package let transport: EventLoop
  package let configuration: GatewayConfiguration
  /// When it was made, in the network's time.
  package let openedAt: Instant
  package private(set) var connections: [UInt64: Connection] = [:]
  /// How many connections are in each phase: by the number of the binding, and then by that of the phase.
  @exclusivity(unchecked) package private(set) var phases: [Int]
  /// How many users of each kind are logged in: by the number of the binding, and then by the kind's place among all.
  @exclusivity(unchecked) package private(set) var kinds: [Int]
  /// When the tokens end that its sessions live by.
  @exclusivity(unchecked) var horizon = ExpiryHorizon()
  /// The orders under way that ask for tokens before a wave comes.
  var spreads: [WaveSpreader] = []
  /// The connections of each user who is logged in.
  private var users: [UserID: SerialSet] = [:]
  /// The connections of each session at the application's login.
  var sessions = LoginSessionIndex()
  /// The connections that watch each call.
  private var calls: [CallID: SerialSet] = [:]
  /// The session policy for bindings without one of their own.
  let sessionPolicy: SharedSessionPolicy
  package internal(set) var revocations: Revocations
  /// The tokens that an operator let expire before their time. A client that comes back with one is refused as with an
  /// expired token, not as with a revoked one; that is all that sets them apart from ``revocations``.
  var expired: Revocations
  @exclusivity(unchecked) package var metrics: LoopMetrics
  /// The number of connections that the gateway has closed because an answer or a login did not come in time, counted
  /// at the close.
  package private(set) var cutOffs: UInt64 = 0
  /// The loop's part of the log.
  package let log: LoopLog
  /// The events in order, if a journal is kept.
  let journal: Journal?
  /// The traces; nil for none.
  package let traces: LoopTraces?
  /// How many connections it has had.
  private var count: UInt64 = 0
  /// The treatment of silent peers for bindings without one of their own.
  let liveness: Liveness
  /// The last encoded refresh request, reused when all peers of a binding get the same one.
  @exclusivity(unchecked) var lastRefreshRequest: RefreshRequest?
  /// The array that effects are gathered in, lent to one connection at a time so that an event allocates none.
  @exclusivity(unchecked) var scratch: [SessionEffect] = []
  /// Whether tokens may be taken as good at that time; nil for always.
  var mayAdmit: (@Sendable (Instant) -> Bool)?
  /// The number of logged tokens with an odd expiry.
  var doubtsTold = 0
  /// Whether the loop is just delivering announcements to its connections.
  var isHearing = false
  /// The timers for silent peers, by the serial numbers of their connections: where sessions live in another time than
  /// the network. Elsewhere a connection has one timer for all.
  private var silenceTimers: [UInt64: SilenceTimer] = [:]
  /// The callers that wait for the last connection to end.
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// The table of a gateway with this configuration, which `loop` alone touches.
  init(loop: EventLoop, configuration: GatewayConfiguration) {
    self.loop = loop
    transport = loop.transport
    openedAt = loop.transport.now
    self.configuration = configuration
    sessionPolicy = SharedSessionPolicy(configuration.session)
    liveness = configuration.liveness
    metrics = LoopMetrics(dialects: [])
    log = LoopLog(configuration.log, on: loop)
    journal = configuration.journalBytes.map {
      Journal(on: loop, bytes: $0, payloadBytes: configuration.journalPayloadBytes)
    }
    traces = configuration.traces.map { LoopTraces($0, on: loop.transport) }
    (phases, kinds) = ([], [])
    revocations = Revocations(countMax: configuration.revocationsMax)
    expired = Revocations(countMax: configuration.revocationsMax)
  }

  /// Makes room for the figures of the gateway's bindings. Before there is any connection.
  func count(_ bindings: [DialectBinding]) {
    metrics = LoopMetrics(dialects: bindings.map(\.dialect.name))
    journal?.wires = bindings.map(JournalWire.init)
    phases = [Int](repeating: 0, count: bindings.count * Session.PhaseKind.allCases.count)
    kinds = [Int](repeating: 0, count: bindings.count * UserKind.allCases.count)
  }

  /// Runs `body` on the table's loop: at once if that is the caller's.
  package nonisolated(nonsending) func perform<Answer: Sendable>(
    _ body: @escaping @Sendable (LoopTable) -> Answer
  ) async -> Answer {
    if loop.isCurrent { return body(self) }
    return await withCheckedContinuation { continuation in
      loop.execute { continuation.resume(returning: body(self)) }
    }
  }

  // MARK: Connections

  func nextID() -> ConnectionID {
    count += 1
    return ConnectionID(configuration.life, loop: loop.index, count: count)
  }

  /// The connection of that name; nil if it is not one of the loop's.
  package func connection(_ id: ConnectionID) -> Connection? {
    // The serial number alone names connections of other loops and nodes too.
    guard let connection = connections[id.serial], connection.id == id else { return nil }
    return connection
  }

  func add(_ connection: Connection, _ phase: Session.PhaseKind) {
    connections[connection.id.serial] = connection
    if hasTwoClocks { silenceTimers[connection.id.serial] = SilenceTimer(for: connection) }
    phases[Self.place(phase, connection.bindingNumber)] += 1
  }

  /// Keeps the count of phases true; asking every connection would stop the loop for each scrape of the metrics.
  func countMove(from before: Session.PhaseKind, to after: Session.PhaseKind, of binding: UInt8) {
    guard before != after else { return }
    phases[Self.place(before, binding)] -= 1
    phases[Self.place(after, binding)] += 1
  }

  func countEnd(of phase: Session.PhaseKind, of binding: UInt8) {
    phases[Self.place(phase, binding)] -= 1
  }

  /// The gateway closes a connection. Its end comes later, with the peer's answer, and may not come before a move of time ends.
  func countClose(_ reason: CloseReason) {
    if reason == .refreshTimeout || reason == .loginTimeout { cutOffs += 1 }
  }

  private static func place(_ phase: Session.PhaseKind, _ binding: UInt8) -> Int {
    Int(binding) * Session.PhaseKind.allCases.count + phase.rawValue
  }

  private static func place(_ kind: UserKind, _ binding: UInt8) -> Int {
    Int(binding) * UserKind.allCases.count + kind.place
  }

  /// Counts when a session's token ends in place of when the one before did; the distant future is not counted.
  func countExpiry(from before: Instant, to after: Instant) {
    if before != .distantFuture { horizon.remove(before) }
    if after != .distantFuture { horizon.add(after, at: loop.now) }
  }

  /// Whether sessions live in another time than the network.
  var hasTwoClocks: Bool { transport !== loop }

  /// Returns the wake-up for the peer's silence; nil if the session's own wake-up serves for both.
  func silenceWakeup(of connection: Connection) -> Wakeup? {
    silenceTimers[connection.id.serial]?.wakeup
  }

  func remove(_ connection: Connection) {
    connections[connection.id.serial] = nil
    if let timer = silenceTimers.removeValue(forKey: connection.id.serial) {
      transport.deadlines.remove(timer.wakeup)
    }
    guard connections.isEmpty else { return }
    for continuation in waiters { continuation.resume() }
    waiters = []
  }

  /// Suspends until no connection is left.
  nonisolated(nonsending) func whenEmpty() async {
    await withCheckedContinuation { continuation in
      loop.execute { [self] in
        if connections.isEmpty { continuation.resume() } else { waiters.append(continuation) }
      }
    }
  }

  // MARK: Users

  func logIn(_ user: UserID, _ kind: UserKind, _ id: ConnectionID, of binding: UInt8) {
    kinds[Self.place(kind, binding)] += 1
    _ = users[user, default: SerialSet()].insert(id.serial)
  }

  func logOut(_ user: UserID, _ kind: UserKind, _ id: ConnectionID, of binding: UInt8) {
    kinds[Self.place(kind, binding)] -= 1
    sessions.set(nil, id.serial)
    users[user]?.remove(id.serial)
    if users[user]?.isEmpty == true { users[user] = nil }
  }

  package func isConnected(_ user: UserID) -> Bool {
    users[user] != nil
  }

  package func connections(of user: UserID) -> [Connection] {
    users[user]?.sorted.compactMap { connections[$0] } ?? []
  }

  /// Returns the logged-in connections that match the filter.
  func connections(in filter: SessionFilter) -> [Connection] {
    let candidates: [Connection]
    if let named = filter.connections {
      candidates = named.sorted().compactMap(connection)
    } else {
      candidates = filter.user.map { connections(of: $0) } ?? inOrder
    }
    return candidates.filter { $0.isTakenIn(by: filter) }
  }

  // MARK: Calls

  func watch(_ call: CallID, _ id: ConnectionID) {
    _ = calls[call, default: SerialSet()].insert(id.serial)
  }

  func unwatch(_ call: CallID, _ id: ConnectionID) {
    calls[call]?.remove(id.serial)
    if calls[call]?.isEmpty == true { calls[call] = nil }
  }

  /// Sends the announcement to its audience on this loop.
  func deliver(_ announcement: Announcement) {
    for connection in connections(in: announcement.audience) {
      guard connection.id != announcement.except else {
        connection.hearOwnNews()
        continue
      }
      guard let words = announcement.frame(in: connection.dialect.name) else { continue }
      if words.endings == nil {
        connection.hear(words.frame)
      } else if let frame = connection.user.flatMap(words.frame(for:)) {
        connection.hear(frame)
      }
    }
  }

  private func connections(in audience: Audience) -> [Connection] {
    switch audience {
    case .call(let call):
      calls[call]?.sorted.compactMap { connections[$0] } ?? []
    case .users(let names):
      serials(of: names).sorted().compactMap { connections[$0] }
    case .callAndUsers(let call, let names):
      serials(of: names).union(calls[call]?.sorted ?? []).sorted().compactMap { connections[$0] }
    case .connection(let id):
      connection(id).map { [$0] } ?? []
    }
  }

  private func serials(of names: Set<UserID>) -> Set<UInt64> {
    names.reduce(into: []) { $0.formUnion(users[$1]?.sorted ?? []) }
  }

  /// Returns the users of this loop that are in the call.
  func users(in call: CallID) -> Set<UserID> {
    Set((calls[call]?.sorted ?? []).compactMap { connections[$0]?.user })
  }

  /// How many receive it, on this loop.
  func hearers(of call: CallID) -> Int { calls[call]?.count ?? 0 }

  /// All connections, in the order in which they came.
  package var inOrder: [Connection] {
    connections.keys.sorted().compactMap { connections[$0] }
  }

  /// How many connections an order to all reaches before there is I/O again.
  static let sliceCount = 64

  /// Calls `body` for each, in slices with I/O between them, so that an order to all delays no other work.
  static func inSlices(
    _ connections: [Connection], on loop: EventLoop, from start: Int = 0,
    _ body: @escaping @Sendable (Connection) -> Void
  ) {
    let end = min(start + sliceCount, connections.count)
    for connection in connections[start..<end] { body(connection) }
    guard end < connections.count else { return }
    loop.execute { inSlices(connections, on: loop, from: end, body) }
  }
}

internal import GatewayControl
internal import GatewayCore
internal import GatewayKit
internal import GatewayRedis
internal import GatewayRuntime
internal import GatewayServer
internal import GatewaySpace
internal import GatewayStores

/// The store of a process, and the process's place among the processes with that store. A process without a node's name
/// has the store for itself.
struct StoreMembership: Sendable {
  let store: any Store
  /// The life of this process, which is in the names of its connections.
  let life: NodeBoot
  /// The lives that were over when this one began.
  let dead: DeadBoots
  /// The lease among the processes that share the store; nil if this one has it for itself.
  let node: NodeLease?
  private let keeper: NodeKeeper?
  /// The store, if it has a lease of its own.
  private let leased: RedisStore?
  /// The channel between the processes, and the turns that they take; nil if they have none.
  private let bus: RedisBus?
  private let ownTurns: RedisTurns?

  /// Opens the store, and begins a life in it.
  ///
  /// - Parameter lost: A function that is called when others have declared this process dead.
  static func open(
    _ settings: GatewaySettings, on loops: [SocketLoop], _ troubles: StoreTroubles,
    lost: @escaping @Sendable () -> Void
  ) async throws -> StoreMembership {
    let store = try await settings.store.open(
      on: loops[0].events, links: loops.map { SocketLinks(on: $0) }, isShared: settings.nodeName != nil,
      setsDamagedAside: settings.setsDamagedAside
    ) { troubles.note($0) }
    let leased = store as? RedisStore
    let loop = loops[0].events
    do {
      guard let name = settings.nodeName else {
        let life = settings.store == .memory ? .first : try await troubles.naming { try await alone(store, loop) }
        return StoreMembership(
          store: store, life: life, dead: .everybody, node: nil, keeper: nil, leased: leased, bus: nil)
      }
      let lease = try await troubles.naming { try await take(name, store, loop) }
      let log = settings.space.configuration.log
      let keeper = NodeKeeper(lease, on: loop) { news in
        switch news {
        case .lost:
          log?.note(
            .error, "node_lost",
            [
              "node": name,
              "hint": "this process did not renew its lease for 10 s; others have ended what it had, so it ends",
            ])
          lost()
        case .takenOver(let name, let life):
          log?.note(.warning, "node_taken_over", ["node": name, "slot": String(life.node), "boot": String(life.boot)])
        }
      }
      keeper.begin()
      let bus = settings.store.bus(as: lease.life, on: SocketLinks(on: loops[0])) { reason in
        log?.note(.warning, "announcements_missed", ["error": reason])
      }
      return StoreMembership(
        store: lease.fencedStore, life: lease.life, dead: lease.dead, node: lease, keeper: keeper, leased: leased,
        bus: bus)
    } catch {
      await leased?.close()
      throw error
    }
  }

  private static func alone(_ store: any Store, _ loop: EventLoop) async throws -> NodeBoot {
    try await on(loop) { try await NodeLease.alone(in: store, at: loop.wallTime) }
  }

  private static func take(_ name: String, _ store: any Store, _ loop: EventLoop) async throws -> NodeLease {
    try await on(loop) { try await NodeLease.take(name, in: store, on: loop) }
  }

  private static func on<Answer: Sendable>(
    _ loop: EventLoop, _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    let outcome = await LoopStage(loop: loop).perform { () async -> Result<Answer, any Error> in
      do { return .success(try await body()) } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  private init(
    store: any Store, life: NodeBoot, dead: DeadBoots, node: NodeLease?, keeper: NodeKeeper?, leased: RedisStore?,
    bus: RedisBus?
  ) {
    self.bus = bus
    ownTurns = bus.map { RedisTurns($0) }
    (self.store, self.life, self.dead) = (store, life, dead)
    (self.node, self.keeper, self.leased) = (node, keeper, leased)
  }

  /// The turns of all processes; nil without others, or without a channel between them.
  var turns: (any Turns)? { ownTurns }

  /// The topic of the note by which a process says that it has started: the numbers of its life, and its name.
  private static let topic = "gateway.node"

  /// Makes a gateway receive the announcements of other processes, if they have a channel. Before it is prepared.
  func join(_ space: Space) async throws {
    guard let bus, let node else { return }
    space.join(bus, names: { node.names }) { note in
      guard note.topic == Self.topic else { return }
      let parts = note.text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2)
      let numbers = parts.prefix(2).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
      guard parts.count == 3, numbers.count == 2 else { return }
      node.meet(NodeBoot(node: numbers[0], boot: numbers[1]), String(decoding: parts[2], as: UTF8.self))
    }
    try await bus.start(
      saying: .note(VendorNote(Self.topic, "\(node.life.node) \(node.life.boot) \(node.name)")))
  }

  /// Returns the processes that share the store, by their numbers.
  func nodes(of gateway: Gateway) async -> [NodeBody] {
    let sessions = await gateway.sessionsByNode()
    guard let node else {
      return [
        NodeBody(slot: life.node, name: nil, boot: life.boot, state: .live, sessions: sessions[life], isThis: true)
      ]
    }
    return node.names.sorted { $0.key.node < $1.key.node }.map { other, name in
      NodeBody(
        slot: other.node, name: name, boot: other.boot,
        state: bus == nil || sessions[other] != nil ? .live : .silent, sessions: sessions[other],
        isThis: other == life)
    }
  }

  /// Writes the figures of the channel and of the turns to the page of metrics.
  func write(to page: inout PrometheusText) {
    let counts = bus?.figures ?? BusCounts()
    page.counters(
      "postern_bus_messages_total", "Messages between the processes of a store.", label: "outcome",
      ["sent": counts.sent, "received": counts.received, "lost": counts.lost, "refused": counts.refused])
    page.counter("postern_bus_gaps_total", "Times that messages may have been missed.", Double(counts.gaps))
    page.counter(
      "postern_bus_late_total", "Answers sent before the process's own messages came back, after the longest wait.",
      Double(counts.late))
    let turns = ownTurns?.figures ?? TurnCounts()
    page.counters(
      "postern_turn_requests_total", "Turns on a channel or call that the process asked for among the processes.",
      label: "outcome", ["taken": turns.taken, "failed": turns.failed, "lost": turns.lost])
    page.counter("postern_turn_waits_total", "Turns for which other processes were waited for.", Double(turns.waited))
    page.counter(
      "postern_turn_wait_seconds_total", "Seconds from the requests for turns to the turns.", turns.time.inSeconds)
  }

  /// Has a prepared gateway admit clients only while the process surely has its leases, end what other processes left, and
  /// do what they revoked.
  func begin(_ space: Space) async {
    guard leased != nil || node != nil else { return }
    space.gateway.admit { [leased, node] now in
      leased?.isHeld(at: now) ?? true && node?.isHeld(at: now) ?? true
    }
    await keeper?.sweep { dead in try await space.takeOver(dead) }
    await keeper?.hear { try await space.learnRevocations() }
  }

  /// Gives the leases back.
  func end() async {
    ownTurns?.end()
    bus?.end()
    await keeper?.end()
    await leased?.close()
  }
}

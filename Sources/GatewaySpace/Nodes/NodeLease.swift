package import GatewayCore
package import GatewayKit
package import GatewayRuntime
internal import Synchronization

/// The lease by which a process is one of several that share a store: its number, its life, and until when it may admit
/// clients.
///
/// A lease is renewed by a write. Another process judges it by whether that write comes, in its own time, so no clock of one
/// machine is compared with that of another.
package final class NodeLease: Sendable {
  /// How long a lease lasts after a renewal.
  package static let life = Duration.seconds(10)
  static let interval = Duration.seconds(2)
  /// The last part of a lease, in which the process admits no more clients.
  private static let margin = Duration.seconds(2)
  private static let glance = Duration.milliseconds(500)

  package let name: String
  package let life: NodeBoot
  /// The lives that were over when it was taken, and had perhaps left something.
  package let dead: DeadBoots
  let register: NodeRegister
  let check: StoreCommit.Check
  /// In nanoseconds of the loop's clock.
  private let until: Atomic<Int64>
  private let known: Mutex<[NodeBoot: String]>

  private init(
    _ name: String, _ life: NodeBoot, dead: DeadBoots, _ register: NodeRegister, _ check: StoreCommit.Check,
    since: Instant, rows: [NodeRow?]
  ) {
    known = Mutex(Self.names(rows).merging([life: name]) { _, own in own })
    (self.name, self.life, self.dead, self.register, self.check) = (name, life, dead, register, check)
    until = Atomic((since + Self.life - Self.margin).nanoseconds)
  }

  /// Returns whether the process surely counts as alive, so that it may admit clients. From any thread.
  package func isHeld(at now: Instant) -> Bool { now.nanoseconds < until.load(ordering: .relaxed) }

  /// Holds it for as long as a renewal that was begun at `since` lets it.
  func renew(since: Instant) {
    until.store((since + Self.life - Self.margin).nanoseconds, ordering: .relaxed)
  }

  /// Gives the lease up.
  func lose() { until.store(.min, ordering: .relaxed) }

  /// The names of the processes that share the store and do not count as dead, by their lives; this one too. A process that
  /// has started is found within two seconds, or by ``meet(_:_:)``.
  package var names: [NodeBoot: String] { known.withLock { $0 } }

  /// Takes note of the processes that these rows name.
  func see(_ rows: [NodeRow?]) {
    let names = Self.names(rows)
    known.withLock { $0 = names.merging([life: name]) { _, own in own } }
  }

  /// Takes note of a process that has just started.
  package func meet(_ other: NodeBoot, _ name: String) {
    known.withLock { known in
      for before in known.keys where before.isBefore(other) { known[before] = nil }
      known[other] = name
    }
  }

  private static func names(_ rows: [NodeRow?]) -> [NodeBoot: String] {
    var names: [NodeBoot: String] = [:]
    for (node, row) in rows.enumerated() {
      if let row, row.state == .live { names[row.life(of: node)] = row.name.text }
    }
    return names
  }

  /// The store for everything that the process does: none of its commits is done once it counts as dead.
  package var fencedStore: any Store { FencedStore(register.store, self) }

  /// Takes a lease under that name. If a process with the name has a lease, waits for its end, which a running process
  /// postpones. Only from a task on the loop.
  ///
  /// - Throws: ``NodeError``, or a `StoreError`.
  package static func take(_ name: String, in store: any Store, on loop: EventLoop) async throws -> NodeLease {
    let register = NodeRegister(store: store)
    var seen: (life: NodeBoot, beats: Int, since: Instant)?
    while true {
      let sent = loop.now
      switch try await register.take(Name(name), at: loop.wallTime) {
      case .full: throw NodeError.full
      case .nameInUse(let life, let row):
        if let known = seen, known.life != life || known.beats != row.beats { throw NodeError.nameInUse(name) }
        let since = seen?.since ?? sent
        seen = (life, row.beats, since)
        if sent - since >= Self.life, try await register.bury(life, beats: row.beats, at: loop.wallTime) { continue }
        await loop.sleep(until: loop.now + glance, as: "the lease of another process with this one's name")
        guard !loop.hasEnded else { throw StoreError.unavailable("the process ends") }
      case .taken(let life, let rows):
        // The boot is new, so no process has declared it dead.
        guard let check = try await register.fenceCheck(of: life, at: loop.wallTime) else { continue }
        return NodeLease(name, life, dead: dead(rows, own: life), register, check, since: sent, rows: rows)
      }
    }
  }

  /// Returns the life of a process that has the store for itself, and needs no lease.
  package static func alone(in store: any Store, at now: WallTime) async throws(StoreError) -> NodeBoot {
    try await NodeRegister(store: store).takeAlone(at: now)
  }

  private static func dead(_ rows: [NodeRow?], own: NodeBoot) -> DeadBoots {
    // Its own life has done nothing yet: what names it is of a version that knew no lives.
    var ends = [own.next]
    for (node, row) in rows.enumerated() where node != own.node {
      guard let row else { continue }
      ends.append(row.state == .live ? row.life(of: node) : row.life(of: node).next)
    }
    return DeadBoots(before: ends, isEverybody: !rows.contains { $0?.state == .live })
  }
}

/// The reason why a process cannot share a store, with what to do.
package enum NodeError: LastingFailure, Hashable {
  case nameInUse(String)
  case full

  package var description: String {
    switch self {
    case .nameInUse(let name):
      "--node-name \(name): a process of this name is running on this store; end it, or choose another name"
    case .full: "\(NodeBoot.nodes) processes share this store, as many as may; end one of them"
    }
  }

  package var isLasting: Bool { false }
}

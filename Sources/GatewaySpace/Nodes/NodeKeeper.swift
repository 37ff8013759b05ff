package import GatewayCore
internal import GatewayKit
package import GatewayRuntime

/// Renews the lease of a process, and watches the other processes of its store: when one has died, it cleans up after
/// it.
package actor NodeKeeper {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A message to the operator.
  package enum News: Sendable {
    /// This process did not renew its lease in time, and another has declared it dead. It can commit nothing any more.
    case lost
    /// Another process has died, and what it left has been ended.
    case takenOver(name: String, life: NodeBoot)
  }

  /// Another process's lease as it was seen first.
  private struct Sight {
    let life: NodeBoot
    let beats: Int
    let since: Instant
  }

  /// The longest time between two looks in which it has seen everything.
  private static let blink = Duration.seconds(6)

  private let lease: NodeLease
  private let loop: EventLoop
  private let tell: @Sendable (News) -> Void
  /// Ends what dead lives left; nil before the gateway is prepared.
  private var takeOver: (@Sendable (DeadBoots) async throws -> Void)?
  /// Does what other processes ordered; nil before the gateway is prepared.
  private var learn: (@Sendable () async throws -> Void)?
  private var isLearning = false
  private var seen: [Int: Sight] = [:]
  private var lastLook = Instant.zero
  /// The boots whose leftovers are being cleaned up.
  private var underWay: Set<NodeBoot> = []
  private var hasEnded = false

  package init(_ lease: NodeLease, on loop: EventLoop, tell: @escaping @Sendable (News) -> Void) {
    (self.lease, self.loop, self.tell) = (lease, loop, tell)
  }

  /// Renews the lease from here on. From any thread.
  package nonisolated func begin() {
    LoopStage(loop: loop).start { await self.run() }
  }

  /// Ends what others left from here on, by `takeOver`.
  package func sweep(by takeOver: @escaping @Sendable (DeadBoots) async throws -> Void) {
    self.takeOver = takeOver
  }

  /// Does what other processes ordered from here on, by `learn`, after each renewal.
  package func hear(by learn: @escaping @Sendable () async throws -> Void) {
    self.learn = learn
  }

  /// Gives the lease back. The other processes, or the next life of this one, end the calls that it left.
  package func end() async {
    guard !hasEnded else { return }
    hasEnded = true
    lease.lose()
    try? await lease.register.end(lease.life, at: loop.wallTime)
  }

  private func run() async {
    while true {
      await loop.sleep(until: loop.now + NodeLease.interval, as: "the renewal of a node's lease")
      guard !hasEnded, !loop.hasEnded else { return }
      let sent = loop.now
      do throws(StoreError) {
        guard try await lease.register.beat(lease.life, at: loop.wallTime) else { return lose() }
        guard !hasEnded else { return }
        lease.renew(since: sent)
        hear()
        try await look()
      } catch {
        // No process can renew a lease while the store is away, so that time does not count against any.
        seen = [:]
      }
    }
  }

  /// Begins to do what other processes ordered, unless that is under way. The renewal does not wait for it.
  private func hear() {
    guard let learn, !isLearning else { return }
    isLearning = true
    Task.immediate(executorPreference: loop) {
      // If the store is away, the next renewal begins it again.
      try? await learn()
      isLearning = false
    }
  }

  private func lose() {
    guard !hasEnded else { return }
    hasEnded = true
    lease.lose()
    tell(.lost)
  }

  private func look() async throws(StoreError) {
    let begun = loop.now
    let rows = try await lease.register.rows(at: loop.wallTime)
    lease.see(rows)
    // A process that was stopped, or had no answer, has missed what others did.
    if begun - lastLook > Self.blink { seen = [:] }
    lastLook = begun
    for (node, row) in rows.enumerated() where node != lease.life.node {
      guard let row else { continue }
      let life = row.life(of: node)
      switch row.state {
      case .free, .alone: seen[node] = nil
      case .ended: end(life, row.name)
      case .live:
        guard let known = seen[node], known.life == life, known.beats == row.beats else {
          seen[node] = Sight(life: life, beats: row.beats, since: loop.now)
          continue
        }
        guard begun - known.since > NodeLease.life else { continue }
        if try await lease.register.bury(life, beats: row.beats, at: loop.wallTime) { end(life, row.name) }
      }
    }
  }

  /// Begins to end what the life left. If that fails, the next look begins it again.
  private func end(_ life: NodeBoot, _ name: Name) {
    guard let takeOver, underWay.insert(life).inserted else { return }
    Task.immediate(executorPreference: loop) {
      do {
        try await takeOver(DeadBoots(before: [life.next]))
        try await lease.register.free(life, at: loop.wallTime)
        tell(.takenOver(name: name.text, life: life))
      } catch {
        // The store is away. The row says that the work is not done.
      }
      underWay.remove(life)
    }
  }
}

internal import GatewayCore
package import GatewayKit
internal import Synchronization

/// The turns of the nodes that share a prefix of keys.
///
/// They are leases by the clock of the Redis server. Each has a queue of nodes, in the order in which they asked.
///
/// It uses the bus's connection, behind the announcements: a node that is granted a turn has received what its earlier holders
/// announced.
///
/// `@unchecked Sendable`: what is not behind a lock is touched only on the loop of the bus.
package final class RedisTurns: Turns, @unchecked Sendable {
  private typealias Outcome = Result<HeldTurn, StoreError>

  /// A task that waits.
  private struct Wait {
    let order: UInt64
    let since: Instant
    /// The turn was granted, and the node receives what is announced.
    var isGranted = false
    var hasQueued = false
    let continuation: CheckedContinuation<Outcome, Never>
  }

  /// The longest that a task waits.
  private static let patience = Duration.seconds(30)

  private let bus: RedisBus
  private let lifeBytes: [UInt8]
  private let lease: Duration
  private let counts = Mutex(TurnCounts())

  private var waits: [StorePath: Wait] = [:]
  private var waitCount: UInt64 = 0
  /// The turns that the node has, and when each was renewed.
  private var held: [StorePath: (turn: HeldTurn, since: Instant)] = [:]
  /// The turns that Redis perhaps has not taken back.
  private var ungiven: [StorePath: (turn: HeldTurn, since: Instant)] = [:]
  private var isTicking = false
  private var hasEnded = false

  /// Creates the turns of a node.
  ///
  /// - Parameters:
  ///   - bus: The node's bus.
  ///   - lease: How long a turn lasts that is not renewed. It is renewed after two fifths of it; a node that waits asks again
  ///     after a fifth, and has lost its place after three fifths.
  package init(_ bus: RedisBus, lease: Duration = .seconds(5)) {
    (self.bus, self.lease) = (bus, lease)
    lifeBytes = TurnGrant.bytes(of: bus.life)
    bus.loop.execute { [weak self] in
      bus.hearGrants { [weak self] grant in self?.take(grant.path, grant.number) }
    }
  }

  /// The numbers of turns until now.
  package var figures: TurnCounts { counts.withLock { $0 } }

  // MARK: Taking

  package func take(_ path: StorePath) async throws(StoreError) -> HeldTurn {
    let outcome = await withCheckedContinuation { continuation in
      // Behind the release of an earlier turn.
      bus.afterSent { [self] in begin(path, continuation) }
    }
    return try outcome.get()
  }

  private func begin(_ path: StorePath, _ continuation: CheckedContinuation<Outcome, Never>) {
    guard !hasEnded, waits[path] == nil, held[path] == nil else {
      return continuation.resume(returning: .failure(hasEnded ? .unavailable("the process ends") : .contended))
    }
    waitCount += 1
    waits[path] = Wait(order: waitCount, since: bus.loop.now, continuation: continuation)
    // If Redis has not taken it back, it is granted again with the same number.
    ungiven[path] = nil
    ask(path, waitCount)
    tick()
  }

  private func ask(_ path: StorePath, _ order: UInt64) {
    var arguments = self.arguments(path)
    arguments.append(milliseconds(lease))
    arguments.append(milliseconds(lease * 3 / 5))
    bus.call(.takeTurn, arguments) { [weak self] answer in
      guard let self, waits[path]?.order == order else { return }
      switch answer {
      case .success(.array(let parts)):
        guard parts.count == 2, case .integer(let number) = parts[0], case .integer(let last) = parts[1], number >= 0,
          last >= 0
        else { return end(path, with: .failure(.unavailable("Redis answers as no Redis does"))) }
        if number > 0 { return take(path, UInt64(number), after: UInt64(last)) }
        waits[path]?.hasQueued = true
      case .success(.error(let text)): end(path, with: .failure(.unavailable("Redis refuses: \(text)")))
      case .success: end(path, with: .failure(.unavailable("Redis answers as no Redis does")))
      case .failure(let failure): end(path, with: .failure(.unavailable(failure.reason)))
      }
    }
  }

  /// Takes a turn that was granted, once the node has received that message; it may be granted more than once.
  private func take(_ path: StorePath, _ number: UInt64, after last: UInt64 = 0) {
    let turn = HeldTurn(path, StoreVersion(number))
    guard let wait = waits[path] else {
      // No task waits for it any more.
      if held[path]?.turn.number != turn.number { give(back: turn) }
      return
    }
    guard !wait.isGranted else { return }
    waits[path]?.isGranted = true
    bus.reach(last) { [weak self] in
      guard let self, waits[path]?.order == wait.order else { return }
      end(path, with: .success(turn))
    }
  }

  private func end(_ path: StorePath, with outcome: Outcome) {
    guard let wait = waits.removeValue(forKey: path) else { return }
    let now = bus.loop.now
    counts.withLock { counts in
      switch outcome {
      case .success:
        counts.taken += 1
        counts.waited += wait.hasQueued ? 1 : 0
        counts.time += now - wait.since
      case .failure: counts.failed += 1
      }
    }
    if case .success(let turn) = outcome { held[path] = (turn, now) }
    wait.continuation.resume(returning: outcome)
  }

  // MARK: Giving

  package func give(_ turn: HeldTurn) {
    bus.afterSent { [self] in
      if held[turn.path]?.turn === turn { held[turn.path] = nil }
      if !turn.isLost { give(back: turn) }
    }
  }

  private func give(back turn: HeldTurn) {
    var arguments = self.arguments(turn.path)
    arguments.append(turn.number.bytes)
    arguments.append(milliseconds(lease))
    bus.call(.giveTurn, arguments) { [weak self] answer in
      guard let self, !hasEnded else { return }
      if case .success(.integer(let outcome)) = answer {
        if outcome == 0 { counts.withLock { $0.lost += 1 } }
        return
      }
      // Redis is away, or was. A task that asks meanwhile gets the same turn.
      guard waits[turn.path] == nil, held[turn.path] == nil else { return }
      ungiven[turn.path] = (turn, bus.loop.now)
      tick()
    }
  }

  // MARK: Time

  /// Renews, asks again and gives back, for as long as there is anything.
  private func tick() {
    guard !isTicking, !hasEnded, !(waits.isEmpty && held.isEmpty && ungiven.isEmpty) else { return }
    isTicking = true
    bus.loop.run(after: lease / 5) { [weak self] in
      guard let self else { return }
      isTicking = false
      look()
      tick()
    }
  }

  private func look() {
    let now = bus.loop.now
    for (path, (turn, since)) in held where now - since >= lease * 2 / 5 {
      held[path]?.since = now
      renew(turn)
    }
    for (path, wait) in waits where !wait.isGranted {
      if now - wait.since < Self.patience {
        ask(path, wait.order)
      } else {
        end(path, with: .failure(.unavailable("another node has had the turn of \(path) for 30 s")))
      }
    }
    for (path, (turn, since)) in ungiven {
      ungiven[path] = nil
      // It ends by itself then.
      if now - since < lease { give(back: turn) }
    }
  }

  private func renew(_ turn: HeldTurn) {
    var arguments = self.arguments(turn.path)
    arguments.append(turn.number.bytes)
    arguments.append(milliseconds(lease))
    bus.call(.keepTurn, arguments) { [weak self] answer in
      guard let self, held[turn.path]?.turn === turn, case .success(.integer(0)) = answer else { return }
      turn.lose()
      counts.withLock { $0.lost += 1 }
    }
  }

  /// Ends all waiting. The turns that are held end with their leases.
  package func end() {
    bus.loop.execute { [self] in
      hasEnded = true
      for path in Array(waits.keys) { end(path, with: .failure(.unavailable("the process ends"))) }
      held = [:]
      ungiven = [:]
    }
  }

  private func arguments(_ path: StorePath) -> RedisCommand {
    var command = RedisCommand()
    command.append(path.bytes)
    command.append(lifeBytes)
    return command
  }

  private func milliseconds(_ duration: Duration) -> Int { Int(duration.inSeconds * 1000) }
}

extension StoreVersion {
  /// The number as the scripts have it.
  fileprivate var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
}

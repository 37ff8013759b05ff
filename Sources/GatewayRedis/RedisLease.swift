internal import GatewayCore
internal import Synchronization

/// The lease by which one process has a prefix of keys for itself, or several share it. It is renewed every two seconds, and
/// ends ten seconds after the last renewal.
///
/// `@unchecked Sendable`: all but the deadline is touched only on the lane's loop.
final class RedisLease: @unchecked Sendable {
  /// How long Redis keeps the lease after a renewal.
  static let life = Duration.seconds(10)
  private static let interval = Duration.seconds(2)
  /// The last part of a lease, in which the process admits no more clients.
  private static let margin = Duration.seconds(2)

  /// The text of the lease: its boot number and its owner.
  let text: String
  private let lane: RedisLane
  private let prefix: String
  private let isShared: Bool
  private let trouble: @Sendable (String) -> Void
  /// The end of the time in which the process may admit clients, in nanoseconds of the loop's clock.
  private let until: Atomic<Int64>
  private var hasEnded = false

  /// Creates the lease, which Redis granted to a command that was sent at `since`.
  init(
    _ text: String, since: Instant, _ lane: RedisLane, prefix: String, isShared: Bool,
    trouble: @escaping @Sendable (String) -> Void
  ) {
    self.text = text
    self.isShared = isShared
    self.lane = lane
    self.prefix = prefix
    self.trouble = trouble
    until = Atomic((since + Self.life - Self.margin).nanoseconds)
  }

  /// Returns whether the process surely holds it. From any thread.
  func isHeld(at now: Instant) -> Bool { now.nanoseconds < until.load(ordering: .relaxed) }

  /// Renews it from here on.
  func begin() {
    lane.loop.execute { [weak self] in self?.wait() }
  }

  private func wait() {
    lane.loop.run(after: Self.interval) { [weak self] in self?.renew() }
  }

  private func renew() {
    guard !hasEnded else { return }
    let sent = lane.loop.now
    var arguments = RedisCommand()
    arguments.append(text)
    arguments.append(Int(Self.life.inSeconds * 1000))
    lane.ask([.load(.renew), .call(.renew, prefix, arguments)]) { [weak self] answer in self?.take(answer, sent) }
  }

  private func take(_ answer: RedisLane.Answer, _ sent: Instant) {
    guard !hasEnded else { return }
    guard case .success(let replies) = answer, case .integer(let outcome)? = replies.last else {
      // While Redis is away the lease runs out by itself.
      return wait()
    }
    guard outcome == 1 else {
      until.store(.min, ordering: .relaxed)
      return trouble(
        "this process has lost its lease of \(prefix) to another, or Redis has lost its data: it accepts no more clients and "
          + "commits nothing; end it")
    }
    until.store((sent + Self.life - Self.margin).nanoseconds, ordering: .relaxed)
    wait()
  }

  /// Gives it back.
  func end(_ done: @escaping @Sendable () -> Void) {
    lane.loop.execute { [self] in
      hasEnded = true
      until.store(.min, ordering: .relaxed)
      // Other processes still need a shared lease, and it ends by itself after the last.
      guard !isShared else { return done() }
      var arguments = RedisCommand()
      arguments.append(text)
      lane.ask([.load(.release), .call(.release, prefix, arguments)]) { _ in done() }
    }
  }
}

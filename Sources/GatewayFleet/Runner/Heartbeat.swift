internal import GatewayCore
internal import GatewayRuntime

/// A repeated wake-up, by which a loop measures its own lateness.
///
/// `@unchecked Sendable`: touched only on its loop.
final class Heartbeat: WakeupTarget, @unchecked Sendable {
  private let loop: EventLoop
  /// Returns the time of the next wake-up; nil for none.
  private let body: () -> Instant?
  private var wakeup: Wakeup!

  init(on loop: EventLoop, _ body: @escaping () -> Instant?) {
    self.loop = loop
    self.body = body
    wakeup = Wakeup(target: self)
  }

  func wakeUp() { loop.deadlines.set(wakeup, at: body()) }

  func stop() { loop.deadlines.remove(wakeup) }
}

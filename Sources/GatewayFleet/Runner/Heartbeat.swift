internal import GatewayCore
internal import GatewayRuntime

/// A wake-up that comes again and again, by which a loop sees how late it is.
///
/// `@unchecked Sendable`: touched only on its loop.
final class Heartbeat: WakeupTarget, @unchecked Sendable {
  private let loop: EventLoop
  /// Returns when it is to come next; nil for never again.
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

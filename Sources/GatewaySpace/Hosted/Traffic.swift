internal import GatewayCore
internal import GatewayRuntime

/// The actions of a hosted space's clients, for a task that waits for them. Nothing polls.
///
/// `@unchecked Sendable`: touched only on the host's thread.
final class Traffic: WakeupTarget, @unchecked Sendable {
  private let host: EventLoop
  private var waiter: CheckedContinuation<Void, Never>?
  private var wakeup: Wakeup!

  init(host: EventLoop) {
    self.host = host
    wakeup = Wakeup(target: self)
  }

  /// There is some.
  func note() {
    guard let waiter else { return }
    self.waiter = nil
    host.deadlines.remove(wakeup)
    waiter.resume()
  }

  func wakeUp() { note() }

  /// Returns when there is some, or at `limit`. One at a time; from a task on the host.
  nonisolated(nonsending) func wait(until limit: Instant) async {
    await withCheckedContinuation { continuation in
      waiter = continuation
      host.deadlines.set(wakeup, at: limit)
    }
  }
}

internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// A meter of a loop's lateness, and of the share of a processor that a client on the same machine gets.
///
/// It measures ten times a second. Another process cannot see how long a client waits for the processor. If more threads want
/// to run than there are processors, each gets only its share, and the rest of the time counts as lost.
///
/// `@unchecked Sendable`: touched only on its loop.
final class LatenessMeter: WakeupTarget, @unchecked Sendable {
  private static let period = Duration.milliseconds(100)
  /// The least lost time in one period that counts; less is the timers' own inaccuracy.
  private static let least = Duration.milliseconds(5)

  private unowned let loop: EventLoop
  private let processors = MachineLoad.processors
  private var last: Instant
  private var waited: Duration?
  private var spans = LateSpans()
  private var wakeup: Wakeup!

  init(on loop: EventLoop) {
    self.loop = loop
    last = loop.now
    waited = MachineLoad.threadWait
    wakeup = Wakeup(target: self)
    loop.deadlines.set(wakeup, at: last + Self.period)
  }

  func wakeUp() {
    measure()
    loop.deadlines.set(wakeup, at: last + Self.period)
  }

  /// The measurements until now.
  var current: LateSpans {
    measure()
    return spans
  }

  private func measure() {
    let (now, begun) = (loop.now, last)
    guard now > begun else { return }
    let waitedNow = MachineLoad.threadWait
    let onQueue = waitedNow.flatMap { now in waited.map { max(.zero, now - $0) } } ?? .zero
    let own = max(onQueue, now - begun - Self.period)
    let others = (now - begun) * MachineLoad.shareLost(running: MachineLoad.running, processors: processors)
    (last, waited) = (now, waitedNow)
    if own + others >= Self.least { spans.add(from: begun, to: now, lost: own + others) }
  }
}

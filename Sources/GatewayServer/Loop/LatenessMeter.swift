internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// A measurement, ten times a second, of how late a loop is and how much of its processor a client on the same machine has.
///
/// A client's own wait for the processor cannot be seen from another process. Where more threads want to run than there are
/// processors, each has its share only, and the rest of the time counts as lost.
///
/// `@unchecked Sendable`: touched only on its loop.
final class LatenessMeter: WakeupTarget, @unchecked Sendable {
  private static let period = Duration.milliseconds(100)
  /// What is less in one period is the timers' own.
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

  /// What has been measured until now.
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

internal import GatewayCore
internal import GatewayRuntime

/// An answer from another thread, or the end of its time, whichever comes first. Only on its loop.
///
/// `@unchecked Sendable`: touched only on its loop.
final class TimedAnswer<Value: Sendable>: WakeupTarget, @unchecked Sendable {
  private let loop: EventLoop
  private let late: Value
  private var continuation: CheckedContinuation<Value, Never>?
  private lazy var wakeup = Wakeup(target: self)
  private var keepAlive: TimedAnswer?

  private init(on loop: EventLoop, orElse late: Value) {
    self.loop = loop
    self.late = late
  }

  /// Returns the value that `ask` passes to its function, on any thread, or `late` at `end`. Only from a task on the loop.
  static nonisolated(nonsending) func of(
    on loop: EventLoop, until end: Instant, orElse late: Value,
    _ ask: (_ answer: @escaping @Sendable (Value) -> Void) -> Void
  ) async -> Value {
    await withCheckedContinuation { continuation in
      let answer = TimedAnswer(on: loop, orElse: late)
      answer.continuation = continuation
      answer.keepAlive = answer
      loop.deadlines.set(answer.wakeup, at: end)
      ask { value in loop.execute { answer.give(value) } }
    }
  }

  func wakeUp() { give(late) }

  private func give(_ value: Value) {
    loop.deadlines.remove(wakeup)
    keepAlive = nil
    continuation?.resume(returning: value)
    continuation = nil
  }
}

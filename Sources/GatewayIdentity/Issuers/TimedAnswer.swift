internal import GatewayCore
internal import GatewayRuntime

/// An answer from another thread, or the end of its time, whichever comes first. Only on its loop.
///
/// `@unchecked Sendable`: touched only on its loop.
final class TimedAnswer: WakeupTarget, @unchecked Sendable {
  private let loop: EventLoop
  private let late: KeyFailure
  private var continuation: CheckedContinuation<Result<[String], KeyFailure>, Never>?
  private lazy var wakeup = Wakeup(target: self)
  private var keepAlive: TimedAnswer?

  private init(on loop: EventLoop, orElse late: KeyFailure) {
    self.loop = loop
    self.late = late
  }

  /// Returns the answer of `resolve`, or `late` at `end`. Only from a task on the loop.
  static nonisolated(nonsending) func of(
    _ resolve: @escaping KeySource.Resolver, _ host: String, on loop: EventLoop, until end: Instant,
    orElse late: KeyFailure
  ) async -> Result<[String], KeyFailure> {
    await withCheckedContinuation { continuation in
      let answer = TimedAnswer(on: loop, orElse: late)
      answer.continuation = continuation
      answer.keepAlive = answer
      loop.deadlines.set(answer.wakeup, at: end)
      resolve(host) { found in loop.execute { answer.give(found) } }
    }
  }

  func wakeUp() { give(.failure(late)) }

  private func give(_ answer: Result<[String], KeyFailure>) {
    loop.deadlines.remove(wakeup)
    keepAlive = nil
    continuation?.resume(returning: answer)
    continuation = nil
  }
}

import GatewayControl
import GatewayCore
import GatewayRuntime

/// The client's clock: real time without the time lost to a slow machine.
///
/// Ten times a second it measures how late this process wakes up, how late the gateway answers, and how long the client
/// waited for a processor.
///
/// `@unchecked Sendable`: touched only on the loop.
final class RunClock: @unchecked Sendable {
  private static let pause = Duration.milliseconds(100)
  /// The time in which an answer of the gateway is not late.
  private static let answerTime = Duration.milliseconds(10)
  /// The least loss in one round that is recorded as a span.
  private static let least = Duration.milliseconds(5)
  private static let spansMax = 500

  private let loop: EventLoop
  private(set) var lost = Duration.zero
  /// The losses, in the time of the journal.
  private(set) var spans: [Span] = []
  private var isOver = false

  /// A span of the journal's time, with the part of it that was lost; all in milliseconds.
  struct Span: Sendable {
    let from: Int64
    var to: Int64
    var lost: Int64
  }

  /// The spans in the form of the control API.
  var late: [ExpectOrder.Late] {
    spans.map { ExpectOrder.Late(fromMs: Int($0.from), toMs: Int($0.to), lostMs: Int($0.lost)) }
  }

  init(on loop: EventLoop) { self.loop = loop }

  /// The time on the client's clock.
  var now: Instant { loop.now - lost }

  func end() { isOver = true }

  /// Measures until ``end()``.
  ///
  /// - Parameters:
  ///   - client: Returns how long the client has waited since the last call, and whether it is stopped.
  ///   - age: Returns the current age of the journal in milliseconds; nil if the gateway does not report it.
  nonisolated(nonsending) func watch(
    client: () -> (waited: Duration, isStopped: Bool), age: nonisolated(nonsending) () async -> Int64?
  ) async {
    _ = client()
    var before = await age()
    while !isOver {
      let start = loop.now
      await loop.sleep(until: start + Self.pause)
      let woken = loop.now
      let after = await age()
      let end = loop.now
      let (waited, isStopped) = client()
      // The lateness of this process does not affect what the client waits for by itself, so it makes no span.
      let own = max(.zero, woken - start - Self.pause)
      let theirs = isStopped ? end - start : waited + max(.zero, end - woken - Self.answerTime)
      lost += min(end - start, own + theirs)
      if theirs >= Self.least { note(theirs, from: before ?? after, to: after) }
      before = after ?? before
    }
  }

  private func note(_ late: Duration, from: Int64?, to: Int64?) {
    guard let from, let to, from <= to else { return }
    let lostMs = min(late.milliseconds, to - from)
    if spans.count >= Self.spansMax, let last = spans.last {
      spans[spans.count - 1] = Span(from: last.from, to: to, lost: min(last.lost + lostMs, to - last.from))
    } else {
      spans.append(Span(from: from, to: to, lost: lostMs))
    }
  }
}

import GatewayCore
import GatewayRuntime

/// The time that a client has had: real time without what a slow machine has taken. It is measured ten times a second how late
/// this process wakes up, how late the gateway answers, and how long the client has waited for the processor.
///
/// `@unchecked Sendable`: touched only on the loop.
final class RunClock: @unchecked Sendable {
  private static let pause = Duration.milliseconds(100)
  /// How long a gateway may take to answer without being late.
  private static let answerTime = Duration.milliseconds(10)
  /// The least loss in one round that counts.
  private static let least = Duration.milliseconds(5)
  private static let spansMax = 500

  private let loop: EventLoop
  private(set) var lost = Duration.zero
  /// The losses, in the time of the journal.
  private(set) var spans: [Span] = []
  private var isOver = false

  /// A span of the journal's time, and how much of it was lost.
  struct Span: Sendable {
    let from: Int64
    var to: Int64
    var lost: Int64

    fileprivate var json: String { #"{"from_ms":\#(from),"to_ms":\#(to),"lost_ms":\#(lost)}"# }
  }

  /// The spans as the control API takes them.
  var late: String { "[\(spans.map(\.json).joined(separator: ","))]" }

  init(on loop: EventLoop) { self.loop = loop }

  /// The time that the client has had.
  var now: Instant { loop.now - lost }

  func end() { isOver = true }

  /// Measures until ``end()``.
  ///
  /// - Parameters:
  ///   - client: Says how long the client has waited since it was asked the last time, and whether it is stopped.
  ///   - age: The age of the journal in milliseconds, as the gateway says now; nil if it does not.
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
      // How late this process is costs the client none of its own waits.
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

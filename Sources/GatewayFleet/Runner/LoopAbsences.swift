internal import GatewayCore

/// The times at which one loop of a storm did not run although work was due.
///
/// Messages that arrive in that time wait unread, and due work does not begin. A client cannot distinguish that from a
/// slow gateway.
struct LoopAbsences {
  private struct Span {
    var from: Instant
    var until: Instant
  }

  /// The interval at which the loop checks its own lateness.
  static let period = Duration.milliseconds(20)
  /// The minimum lateness of an absence; timers are exact to one or two milliseconds.
  static let least = Duration.milliseconds(10)
  /// The maximum number of spans: a loop that is always late would add one at each check.
  private static let spansMax = 16_384

  private var spans: [Span] = []

  /// Notes that work due at `due` ran at `now`.
  mutating func add(due: Instant, at now: Instant) {
    guard now - due >= Self.least else { return }
    var span = Span(from: due, until: now)
    // Between two spans this close, the loop has not caught up.
    while let last = spans.last, span.from <= last.until + Self.period {
      span.from = min(span.from, last.from)
      spans.removeLast()
    }
    if spans.count == Self.spansMax { spans.removeFirst(Self.spansMax / 2) }
    spans.append(span)
  }

  /// Returns how much of the time from `start` until `now` the loop was absent.
  func overlap(from start: Instant, until now: Instant) -> Duration {
    var sum = Duration.zero
    for span in spans.reversed() {
      guard span.until > start else { break }
      sum += max(.zero, min(span.until, now) - max(span.from, start))
    }
    return sum
  }

  /// Returns when a message that was read at `instant` may have arrived: at the beginning of an absence that had just
  /// ended.
  func earliestArrival(ofReadAt instant: Instant) -> Instant {
    for span in spans.reversed() {
      guard span.until + Self.period >= instant else { break }
      if span.from < instant { return span.from }
    }
    return instant
  }
}

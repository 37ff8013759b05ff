internal import GatewayCore

/// The times at which one loop of a storm did not run although something was due: 2.5 s, from 12.3 s after the start.
///
/// What arrives meanwhile lies unread, and what is due does not begin. No client can tell that from a slow gateway.
struct LoopAbsences {
  private struct Span {
    var from: Instant
    var until: Instant
  }

  /// The loop looks at its own time this often.
  static let period = Duration.milliseconds(20)
  /// A loop that is later than this was absent; timers are exact to a millisecond or two.
  static let least = Duration.milliseconds(10)
  /// A loop that is always late would have a span each time it looks.
  private static let spansMax = 16_384

  private var spans: [Span] = []

  /// Notes that something was due at `due`, and the loop came to it at `now`.
  mutating func add(due: Instant, at now: Instant) {
    guard now - due >= Self.least else { return }
    var span = Span(from: due, until: now)
    // Between two that are so close the loop has caught up with nothing.
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

  /// Returns when a message may have arrived that was read at `instant`: at the beginning of an absence that had just ended.
  func earliestArrival(ofReadAt instant: Instant) -> Instant {
    for span in spans.reversed() {
      guard span.until + Self.period >= instant else { break }
      if span.from < instant { return span.from }
    }
    return instant
  }
}

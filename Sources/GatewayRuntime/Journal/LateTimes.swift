internal import GatewayCore

/// The times at which a client, its gateway or the observer did not get the processor, in the network's time. A delay by a
/// slow machine decides no verdict.
package struct LateTimes: Hashable, Sendable {
  /// A span of time, and how much of it was lost.
  package struct Span: Hashable, Sendable {
    package let from: Duration
    package let to: Duration
    package let lost: Duration

    package init(from: Duration, to: Duration, lost: Duration) {
      (self.from, self.to, self.lost) = (from, to, lost)
    }
  }

  /// How many spans are kept at most.
  package static let spansMax = 500

  package let spans: [Span]

  package init(_ spans: [Span] = []) { self.spans = spans }

  /// How much was lost between two times, at most.
  package func lost(from: Duration, to: Duration) -> Duration {
    let lost = spans.reduce(Duration.zero) { sum, span in
      let overlap = min(span.to, to) - max(span.from, from)
      return overlap > .zero ? sum + min(span.lost, overlap) : sum
    }
    return min(lost, max(.zero, to - from))
  }

  /// Whether as much was lost between two attempts as makes a client give the first up and try again: a second, and half of
  /// the time between them.
  package func mayHaveMadeAnother(from: Duration, to: Duration) -> Bool {
    guard to - from >= Self.timeoutLeast else { return false }
    let lost = lost(from: from, to: to)
    return lost >= Self.timeoutLeast && lost + lost >= to - from
  }

  /// The shortest timeout that clients have.
  private static let timeoutLeast = Duration.seconds(1)
}

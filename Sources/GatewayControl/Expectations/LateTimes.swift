internal import GatewayCore

/// The times at which a client, its gateway or who watches them did not get the processor, in the time of the network. What a
/// slow machine has cost decides no verdict.
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
    spans.reduce(.zero) { sum, span in span.to > from && span.from < to ? sum + min(span.lost, to - from) : sum }
  }
}

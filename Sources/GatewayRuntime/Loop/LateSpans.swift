package import GatewayCore

/// The times at which a loop with work due did not run, or its machine had too little processor.
///
/// The older they are, the coarser they are kept.
package struct LateSpans: Sendable {
  /// A span of the monotonic time, and how much of it was lost at most.
  package struct Span: Hashable, Sendable {
    package let from: Instant
    package let to: Instant
    package let lost: Duration

    package init(from: Instant, to: Instant, lost: Duration) { (self.from, self.to, self.lost) = (from, to, lost) }
  }

  /// How many are kept.
  package static let countMax = 512

  package private(set) var all: [Span] = []

  package init() {}

  /// Notes a span that begins at the end of the last one, or later.
  package mutating func add(from: Instant, to: Instant, lost: Duration) {
    guard to > from, lost > .zero else { return }
    if all.count == Self.countMax { mergeOldest() }
    all.append(Span(from: from, to: to, lost: min(lost, to - from)))
  }

  /// Makes one of each two in the older half.
  private mutating func mergeOldest() {
    let half = all.count / 2
    let merged = stride(from: 0, to: half - 1, by: 2).map { index in
      let (one, other) = (all[index], all[index + 1])
      return Span(from: one.from, to: other.to, lost: one.lost + other.lost)
    }
    all.replaceSubrange(0..<(merged.count * 2), with: merged)
  }
}

package import GatewayCore

/// How long to wait before trying again: full jitter, the cap applied before the chance, so that clients that have all
/// reached the cap do not march in step.
package struct Backoff: Hashable, Sendable {
  package var base: Duration
  package var cap: Duration

  package init(base: Duration, cap: Duration) {
    self.base = base
    self.cap = cap
  }

  /// A chance in 0..<min(cap, base·2^tries).
  package func wait(after tries: Int, chance: inout SeededGenerator) -> Duration {
    let doubled = base.inSeconds * Double(UInt64(1) << UInt64(min(max(0, tries), 40)))
    return .nanoseconds(Int64(min(cap.inSeconds, doubled) * chance.nextShare() * 1e9))
  }

  /// At least as long as a server said (`Retry-After`, RFC 9110 section 10.2.3), and up to as much again by chance: all
  /// who were told the same would otherwise return together.
  package func wait(atLeast told: Duration, after tries: Int, chance: inout SeededGenerator) -> Duration {
    told + max(told, base).scaled(by: chance.nextShare())
  }
}

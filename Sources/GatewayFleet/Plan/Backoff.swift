package import GatewayCore

/// A rule for how long to wait before trying again: with full jitter half a second, a second, two, each times a chance,
/// for instance.
///
/// The cap is applied before the chance, so that clients that have all reached the cap do not march in step.
package struct Backoff: Hashable, Sendable, Codable {
  /// The part that chance has in a wait: any share of it, for instance.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A chance between nothing and the whole of it.
    case full
    /// Half of it, and a chance of the other half.
    case equal
    /// Nothing: all who failed together try again together.
    case exponential
    /// Nothing, and it never grows.
    case fixed
  }

  package var kind: Kind
  @InSeconds package var base: Duration
  @InSeconds package var cap: Duration

  package init(_ kind: Kind = .full, base: Duration, cap: Duration) {
    self.kind = kind
    self.base = base
    self.cap = cap
  }

  /// The wait after so many tries; with full jitter a chance in 0..<min(cap, base·2^tries).
  package func wait(after tries: Int, chance: inout SeededGenerator) -> Duration {
    let doubled = base.inSeconds * Double(UInt64(1) << UInt64(min(max(0, tries), 40)))
    let most = min(cap.inSeconds, doubled)
    let seconds =
      switch kind {
      case .full: most * chance.nextShare()
      case .equal: most * (1 + chance.nextShare()) / 2
      case .exponential: most
      case .fixed: min(cap.inSeconds, base.inSeconds)
      }
    return .saturating(seconds: seconds)
  }

  /// At least as long as a server said (`Retry-After`, RFC 9110 section 10.2.3), and up to as much again by chance: all
  /// who were told the same would otherwise return together. Who leaves nothing to chance does.
  package func wait(atLeast told: Duration, after tries: Int, chance: inout SeededGenerator) -> Duration {
    switch kind {
    case .full, .equal: told + max(told, base).scaled(by: chance.nextShare())
    case .exponential, .fixed: told
    }
  }
}

package import GatewayCore

/// A rule for the wait before a retry. With full jitter the limit doubles with each try, and the wait is a random share
/// of it.
///
/// The cap is applied before the random factor, so that clients that have all reached the cap do not retry in step.
package struct Backoff: Hashable, Sendable, Codable {
  /// The random part of a wait.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A random time between zero and the whole limit.
    case full
    /// Half of the limit, plus a random share of the other half.
    case equal
    /// No random part: all clients that failed together retry together.
    case exponential
    /// No random part and no growth.
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

  /// Returns the wait after that many tries; with full jitter a random time in 0..<min(cap, base·2^tries).
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

  /// Returns a wait of at least the server's `Retry-After` (RFC 9110 section 10.2.3), and up to as much again at
  /// random. Clients that received the same value would otherwise return together; without jitter they do.
  package func wait(atLeast told: Duration, after tries: Int, chance: inout SeededGenerator) -> Duration {
    switch kind {
    case .full, .equal: told + max(told, base).scaled(by: chance.nextShare())
    case .exponential, .fixed: told
    }
  }
}

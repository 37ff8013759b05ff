package import GatewayCore

/// A rate limit: holds up to `capacity` tokens, gains `rate` of them a second, and lets an event pass for one.
package struct TokenBucket: Hashable, Sendable {
  /// Tokens a second.
  package let rate: Double
  package let capacity: Double
  private var tokens: Double
  private var filledAt: Instant

  /// A full bucket.
  package init(rate: Double, capacity: Double, at now: Instant) {
    precondition(rate > 0 && capacity >= 1, "a bucket must be able to let something pass")
    self.rate = rate
    self.capacity = capacity
    tokens = capacity
    filledAt = now
  }

  /// Takes a token. False if there is none.
  package mutating func take(at now: Instant) -> Bool {
    if now > filledAt {
      tokens = min(capacity, tokens + rate * (now - filledAt).inSeconds)
      filledAt = now
    }
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}

/// A rate limiter with up to `capacity` tokens, which gains `rate` tokens a second. Each event takes one. E.g. with a
/// capacity of ten and a rate of two, ten upgrades pass at once, and then one every half second.
package struct TokenBucket: Hashable, Sendable {
  /// The number of tokens gained a second.
  package let rate: Double
  package let capacity: Double
  private var tokens: Double
  private var filledAt: Instant

  /// Creates a full bucket.
  package init(rate: Double, capacity: Double, at now: Instant) {
    precondition(rate > 0 && capacity >= 1, "a bucket must be able to let something pass")
    self.rate = rate
    self.capacity = capacity
    tokens = capacity
    filledAt = now
  }

  /// Takes a token. Returns false if there is none.
  package mutating func take(at now: Instant) -> Bool {
    takeOrWait(at: now) == nil
  }

  /// Takes a token. Returns nil if there was one, otherwise the time until there is one, in whole milliseconds.
  package mutating func takeOrWait(at now: Instant) -> Duration? {
    fill(at: now)
    // Thirds do not add up to exactly 1, so a small tolerance ensures that a caller that waits as long as told gets a
    // token.
    guard tokens >= 1 - 1e-6 else {
      return .milliseconds(Int64((min((1 - tokens) / rate, 1e9) * 1e3 - 1e-3).rounded(.up)))
    }
    tokens -= 1
    return nil
  }

  /// Returns whether the bucket is full.
  package func isFull(at now: Instant) -> Bool {
    var bucket = self
    bucket.fill(at: now)
    return bucket.tokens >= capacity
  }

  private mutating func fill(at now: Instant) {
    guard now > filledAt else { return }
    tokens = min(capacity, tokens + rate * (now - filledAt).inSeconds)
    filledAt = now
  }
}

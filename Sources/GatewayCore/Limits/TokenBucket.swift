/// A rate limit: it holds up to `capacity` tokens, gains `rate` of them a second, and lets an event pass for one. With
/// ten and two a second, for instance, a burst of ten upgrades passes, and then one every half second.
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
    takeOrWait(at: now) == nil
  }

  /// Takes a token. Nil if there was one, else how long it will be until there is, in whole milliseconds.
  package mutating func takeOrWait(at now: Instant) -> Duration? {
    fill(at: now)
    // A rate of thirds does not add up to ones; who waits as long as told must not come in vain.
    guard tokens >= 1 - 1e-6 else {
      return .milliseconds(Int64((min((1 - tokens) / rate, 1e9) * 1e3 - 1e-3).rounded(.up)))
    }
    tokens -= 1
    return nil
  }

  /// Whether as much may pass as ever.
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

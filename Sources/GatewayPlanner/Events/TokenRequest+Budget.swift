internal import GatewayCore

// The `Retry-After` of a request that a budget refuses, as the client reads it.

extension TokenRequest {
  /// Notes the wait of a refusal.
  ///
  /// - Parameters:
  ///   - refusal: The refusal.
  ///   - share: A share of chance, for a wait that is drawn.
  ///   - now: The time.
  ///   - sent: The time at which the answer is sent, which is its `Date`.
  mutating func note(_ refusal: BudgetRefusal, share: Double, at now: Int64, sent: Int64) {
    switch refusal.advice {
    case .left: life = refusal.leftSeconds * Self.second
    case .seconds(let seconds): life = Int64(seconds) * Self.second
    case .spread: life = (refusal.spread(share) ?? 0) * Self.second
    case .date:
      // Dates are in whole seconds: this one is no earlier than the time it means, and `Date` no later than now.
      let end = (now + refusal.left.nanoseconds + Self.second - 1) / Self.second
      life = max(0, end - sent / Self.second) * Self.second
    case .none: life = Self.noWait
    }
  }

  /// The wait that the refusal demands of its client; nil if it demands none.
  var wait: Duration? { life < 0 ? nil : min(.nanoseconds(life), RetryAfter.longest) }

  private static let second: Int64 = 1_000_000_000
}

internal import GatewayCore

/// How many logins a second are answered, bursts of as many let through.
struct SendbirdLoginRate {
  private let perSecond: Double?
  private var allowance: Double
  private var countedAt: WallTime?

  init(perSecond: Double?) {
    self.perSecond = perSecond
    allowance = max(1, perSecond ?? 1)
  }

  /// Whether one more is within the rate at `now`.
  mutating func take(at now: WallTime) -> Bool {
    guard let perSecond else { return true }
    if let countedAt { allowance += perSecond * max(.zero, now - countedAt).inSeconds }
    countedAt = now
    allowance = min(allowance, max(1, perSecond))
    guard allowance >= 1 else { return false }
    allowance -= 1
    return true
  }
}

package import GatewayCore

/// The memory of a caller of the token endpoint about its calls, for a ``RetryRule``. A pure value of 24 bytes.
package struct RetryGate: Hashable, Sendable {
  /// Why a call is not made.
  package enum Refusal: String, Hashable, Sendable {
    case budget = "retry_budget"
    case breaker = "breaker_open"
  }

  /// The outcomes of the latest calls, a set bit for a failure, the latest lowest.
  private var results: UInt64 = 0
  /// When the open breaker lets probes through, in nanoseconds; ``closed`` for a breaker that is closed.
  private var openUntil = Self.closed
  /// The thousandths of a retry that are taken from the full budget.
  private var spent: UInt32 = 0
  /// The probes that were made since the breaker was open, and those that brought tokens.
  private var probes: UInt8 = 0
  private var proven: UInt8 = 0

  private static let closed = Int64.min
  private static let whole: UInt32 = 1000

  package init() {}

  /// Returns why a call is not made; nil if it is, and is then counted.
  ///
  /// - Parameters:
  ///   - isRetry: Whether the call before it, for the same purpose, failed.
  ///   - now: The time.
  ///   - rule: The rule.
  package mutating func refusal(isRetry: Bool, at now: Instant, by rule: RetryRule) -> Refusal? {
    let takes = isRetry && rule.budget != nil
    if takes, let budget = rule.budget, Self.thousandths(budget.capacity) < spent + Self.whole { return .budget }
    if let breaker = rule.breaker, !passes(breaker, at: now) { return .breaker }
    if takes { spent += Self.whole }
    return nil
  }

  /// Notes whether a call brought a token.
  package mutating func note(isToken: Bool, at now: Instant, by rule: RetryRule) {
    if isToken, let budget = rule.budget {
      let deposit = (min(budget.deposit, RetryRule.deposits.upperBound) * Double(Self.whole)).rounded()
      spent -= min(spent, UInt32(max(0, deposit)))
    }
    guard let breaker = rule.breaker else { return }
    guard openUntil == Self.closed else { return noteProbe(isToken, breaker, at: now) }
    let window = breaker.of >= 64 ? UInt64.max : 1 << UInt64(max(0, breaker.of)) - 1
    results = (results << 1 | (isToken ? 0 : 1)) & window
    if !isToken, results.nonzeroBitCount >= breaker.failures { open(breaker, at: now) }
  }

  private mutating func passes(_ breaker: RetryRule.Breaker, at now: Instant) -> Bool {
    guard openUntil != Self.closed else { return true }
    if now.nanoseconds >= openUntil {
      // Probes whose answers never come are followed by others.
      open(breaker, at: now)
      probes = 1
      return true
    }
    guard probes > 0, Int(probes) < Self.probes(breaker) else { return false }
    probes += 1
    return true
  }

  private mutating func noteProbe(_ isToken: Bool, _ breaker: RetryRule.Breaker, at now: Instant) {
    // Answers to calls from before the breaker opened decide nothing.
    guard probes > 0 else { return }
    guard isToken else { return open(breaker, at: now) }
    proven += 1
    guard Int(proven) >= Self.probes(breaker) else { return }
    (openUntil, results) = (Self.closed, 0)
    (probes, proven) = (0, 0)
  }

  private mutating func open(_ breaker: RetryRule.Breaker, at now: Instant) {
    openUntil = (now + breaker.open).nanoseconds
    (probes, proven) = (0, 0)
  }

  private static func probes(_ breaker: RetryRule.Breaker) -> Int { min(breaker.probes, RetryRule.probes.upperBound) }

  private static func thousandths(_ calls: Int) -> UInt32 {
    UInt32(min(max(0, calls), RetryRule.capacities.upperBound)) * whole
  }
}

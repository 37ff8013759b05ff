package import GatewayCore
internal import GatewayTokens

/// The behaviour of the built-in token provider, what an application's own endpoint would be pressed on in a storm: 200
/// ms a token, ten at once, for instance.
package struct TokenProviderPolicy: Sendable {
  /// How long one token takes.
  package let latency: Duration
  /// How many tokens are in the making at once; nil for any number.
  package let concurrency: Int?
  /// How many requests may wait for their turn; one more is refused.
  package let queueMax: Int
  /// What becomes of requests whose callers have gone while they waited.
  package let abandoned: Abandoned
  /// The share of requests that fail, in 0...1.
  package let failureRate: Double
  /// How long a token lives unless the request says; nil for ever.
  package let defaultLife: Duration?
  /// How long a token may live.
  package let lives: ClosedRange<Duration>
  /// How long a guest's token lives.
  package let guestLife: Duration
  /// What callers must send as `Authorization: Bearer`; nil if anybody may ask.
  package var secret: Credentials? { keptSecret.value }
  private let keptSecret: Renewable<Credentials?>

  /// The lot of requests whose callers have gone while they waited: they are dropped when their turn comes, for
  /// instance.
  package enum Abandoned: String, Hashable, Sendable, CaseIterable {
    /// Their turn is used up like any other's.
    case serve
    /// They are dropped when their turn comes, and the next one's comes at once.
    case drop
  }

  /// A policy within its limits. Throws, with the name of what is wrong and what would be right.
  package init(
    latency: Duration = .zero, concurrency: Int? = nil, queueMax: Int = 100_000,
    abandoned: Abandoned = .serve, failureRate: Double = 0,
    defaultLife: Duration? = .seconds(3600),
    lives: ClosedRange<Duration> = .milliseconds(1)...(.seconds(10 * 365 * 86_400)),
    guestLife: Duration = .seconds(3600), secret: Credentials? = nil
  ) throws(TokenProviderPolicyError) {
    guard latency >= .zero else { throw .init("the provider's latency must not be negative") }
    guard concurrency.map({ $0 > 0 }) ?? true else { throw .init("the provider's concurrency must be at least 1") }
    guard queueMax >= 0 else { throw .init("the provider's queue must not be negative") }
    guard (0...1).contains(failureRate) else { throw .init("the provider's failure rate must be 0 to 1") }
    guard lives.lowerBound > .zero else { throw .init("a token's life must be longer than 0 s") }
    guard defaultLife.map(lives.contains) ?? true else { throw .init("the default life is outside of the allowed") }
    guard guestLife > .zero else { throw .init("a guest's life must be longer than 0 s") }
    guard secret.map({ !$0.token.isEmpty }) ?? true else { throw .init("the provider's secret must not be empty") }
    self.latency = latency
    self.concurrency = concurrency
    self.queueMax = queueMax
    self.abandoned = abandoned
    self.failureRate = failureRate
    self.defaultLife = defaultLife
    self.lives = lives
    self.guestLife = guestLife
    keptSecret = Renewable(secret)
  }

  /// Has every copy of this policy ask for the secret of `other` from now on, unless one of them has none.
  package func takeSecret(of other: TokenProviderPolicy) {
    if secret != nil, other.secret != nil { keptSecret.take(other.keptSecret) }
  }

  /// How long the last of a full queue waits; nil if nobody ever does.
  package var longestWait: Duration? {
    guard let concurrency, latency > .zero, queueMax > 0 else { return nil }
    let seconds = latency.inSeconds * Double(queueMax) / Double(concurrency)
    return .nanoseconds(Int64(min(seconds, 1e9) * 1e9))
  }

  /// When to try again after a refusal, in seconds: the time a full queue takes to empty, 1...60.
  package var retryAfter: Int {
    let seconds = latency.inSeconds * Double(queueMax) / Double(concurrency ?? .max)
    return Int(min(60, max(1, seconds.rounded(.up))))
  }
}

/// A refusal of a provider's policy that was asked for and cannot be: a rate of failures above 1, for instance.
package struct TokenProviderPolicyError: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

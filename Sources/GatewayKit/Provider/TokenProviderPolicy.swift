package import GatewayCore
internal import GatewayTokens

/// The behaviour of the built-in token provider, which plays an application's own token endpoint in a storm.
package struct TokenProviderPolicy: Sendable {
  /// The time to mint one token.
  package let latency: Duration
  /// The maximum number of tokens minted at once; nil for any number.
  package let concurrency: Int?
  /// The maximum number of requests in the queue. One more is refused.
  package let queueMax: Int
  /// The treatment of requests whose callers disconnected while they waited.
  package let abandoned: Abandoned
  /// The share of requests that fail, in 0...1.
  package let failureRate: Double
  /// The limits on requests by user, address and all, and how long a refusal by one takes.
  package let budgets: [RequestBudget]
  package let refusalLatency: Duration
  /// The rotation of refresh tokens; nil if it gives none.
  package let rotation: RotationPolicy?
  /// The share of tokens whose answers are lost after they were made, in 0...1.
  package let repliesLost: Double
  /// The life of a token if the request names none; nil for ever.
  package let defaultLife: Duration?
  /// The range of a token's life.
  package let lives: ClosedRange<Duration>
  /// The life of a guest's token.
  package let guestLife: Duration
  /// The secret that callers must send as `Authorization: Bearer`; nil if every caller may ask.
  package var secret: Credentials? { keptSecret.value }
  private let keptSecret: Renewable<Credentials?>
  /// Whether it mints no tokens, because the application's own login does.
  package var isOff = false

  /// The treatment of requests whose callers disconnected while they waited.
  package enum Abandoned: String, Hashable, Sendable, CaseIterable {
    /// They use their turn like any other request.
    case serve
    /// They are dropped at their turn, and the next request's turn comes at once.
    case drop
  }

  /// Creates a policy. Throws for a value out of its range, with the name of the value and its range.
  package init(
    latency: Duration = .zero, concurrency: Int? = nil, queueMax: Int = 100_000,
    abandoned: Abandoned = .serve, failureRate: Double = 0, budgets: [RequestBudget] = [],
    refusalLatency: Duration = .zero, rotation: RotationPolicy? = nil, repliesLost: Double = 0,
    defaultLife: Duration? = .seconds(3600),
    lives: ClosedRange<Duration> = .milliseconds(1)...(.seconds(10 * 365 * 86_400)),
    guestLife: Duration = .seconds(3600), secret: Credentials? = nil
  ) throws(TokenProviderPolicyError) {
    guard latency >= .zero else { throw .init("the provider's latency must not be negative") }
    guard concurrency.map({ $0 > 0 }) ?? true else { throw .init("the provider's concurrency must be at least 1") }
    guard queueMax >= 0 else { throw .init("the provider's queue must not be negative") }
    guard (0...1).contains(failureRate) else { throw .init("the provider's failure rate must be 0 to 1") }
    guard budgets.count <= RequestBudget.countMax, budgets.allSatisfy(\.isPossible) else {
      throw .init("the provider has at most \(RequestBudget.countMax) budgets, each within its bounds")
    }
    guard refusalLatency >= .zero else { throw .init("a refusal must not take less than no time") }
    guard rotation?.isPossible ?? true else { throw .init("the rotation's times are outside of their bounds") }
    guard (0...1).contains(repliesLost) else { throw .init("the share of lost replies must be 0 to 1") }
    guard lives.lowerBound > .zero else { throw .init("a token's life must be longer than 0 s") }
    guard defaultLife.map(lives.contains) ?? true else { throw .init("the default life is outside of the allowed") }
    guard guestLife > .zero else { throw .init("a guest's life must be longer than 0 s") }
    guard secret.map({ !$0.token.isEmpty }) ?? true else { throw .init("the provider's secret must not be empty") }
    self.latency = latency
    self.concurrency = concurrency
    self.queueMax = queueMax
    self.abandoned = abandoned
    self.failureRate = failureRate
    self.budgets = budgets
    self.refusalLatency = refusalLatency
    self.rotation = rotation
    self.repliesLost = repliesLost
    self.defaultLife = defaultLife
    self.lives = lives
    self.guestLife = guestLife
    keptSecret = Renewable(secret)
  }

  /// Replaces the secret in every copy of this policy by that of `other`, unless one of the two has none.
  package func takeSecret(of other: TokenProviderPolicy) {
    if secret != nil, other.secret != nil { keptSecret.take(other.keptSecret) }
  }

  /// The wait of the last request in a full queue; nil if no request ever waits.
  package var longestWait: Duration? {
    guard let concurrency, latency > .zero, queueMax > 0 else { return nil }
    let seconds = latency.inSeconds * Double(queueMax) / Double(concurrency)
    return .nanoseconds(Int64(min(seconds, 1e9) * 1e9))
  }

  /// The time to wait after a refusal, in seconds: the time in which a full queue empties, 1...60.
  package var retryAfter: Int {
    let seconds = latency.inSeconds * Double(queueMax) / Double(concurrency ?? .max)
    return Int(min(60, max(1, seconds.rounded(.up))))
  }
}

/// An invalid value in a provider's policy, e.g. a failure rate above 1.
package struct TokenProviderPolicyError: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

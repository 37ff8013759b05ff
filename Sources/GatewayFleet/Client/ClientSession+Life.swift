package import GatewayCore

// The life of the tokens that a client asks for.

extension ClientSession {
  /// The life of a token in a client's request.
  package enum AskedLife: Hashable, Sendable {
    /// Until that long after the instant at which the first tokens expire together.
    case untilCommonExpiry(plus: Duration)
    case lasting(Duration)
  }

  /// Returns the life of the token that the client asks for now, and notes whether its tokens expire within the storm.
  ///
  /// - Parameter ahead: The time until the common expiry; nil if each token expires by itself.
  package mutating func life(
    for purpose: FetchPurpose, in plan: StormPlan, commonExpiry ahead: Duration?, chance: inout SeededGenerator
  ) -> AskedLife {
    // A client that is back less than 2 s before the common expiry takes no part in it: a dialect may not support so
    // short a life. At the first login the limit is 100 ms: a token that ends at once is refused or must be renewed at
    // once.
    let spare = logins > 0 ? Duration.seconds(2) : min(Self.leastLeft, plan.life)
    let scattered = plan.life.scaled(by: plan.jitter * chance.nextShare())
    if purpose == .login, let ahead, spare < ahead { return .untilCommonExpiry(plus: scattered) }
    // This also covers a first token that was refused for its age: the next token outlives the storm.
    if logins == 0 {
      isDue = ahead == nil
    } else if purpose == .login {
      isDue = false
    }
    return .lasting(max(plan.life - scattered, min(Self.leastLife, plan.life)))
  }

  /// The minimum life of a token.
  private static let leastLife = Duration.seconds(1)
  /// The minimum time to the common expiry at which a first token still ends with all others.
  private static let leastLeft = Duration.milliseconds(100)
}

extension StormPlan {
  /// Returns the random generator of client number `index`. Its behaviour depends only on the seed and on its own
  /// events.
  package func chance(of index: Int) -> SeededGenerator {
    var seeds = SeededGenerator(seed: seed ^ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
    return SeededGenerator(seed: seeds.next())
  }
}

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
  /// - Parameters:
  ///   - purpose: The token's purpose.
  ///   - plan: The plan.
  ///   - index: The number of the client.
  ///   - ahead: The time until the common expiry; nil if each token expires by itself.
  ///   - chance: The client's random generator.
  package mutating func life(
    for purpose: FetchPurpose, in plan: StormPlan, of index: Int, commonExpiry ahead: Duration?,
    chance: inout SeededGenerator
  ) -> AskedLife {
    let life = plan.life(of: index)
    // A client that is back less than 2 s before the common expiry takes no part in it: a dialect may not support so
    // short a life. At the first login the limit is 100 ms: a token that ends at once is refused or must be renewed at
    // once.
    let spare = logins > 0 ? Duration.seconds(2) : min(Self.leastLeft, life)
    let scattered = life.scaled(by: plan.jitter * chance.nextShare())
    if purpose == .login, let ahead, spare < ahead { return .untilCommonExpiry(plus: scattered) }
    // This also covers a first token that was refused for its age: the next token outlives the storm.
    if logins == 0 {
      isDue = ahead == nil
    } else if purpose == .login {
      isDue = false
    }
    return .lasting(max(life - scattered, min(Self.leastLife, life)))
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

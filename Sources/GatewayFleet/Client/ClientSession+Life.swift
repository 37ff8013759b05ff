package import GatewayCore

// How long the tokens shall live that a client asks for.

extension ClientSession {
  /// The life of a token that is asked for: until 10 s after the instant at which the first ones expire together, for
  /// instance.
  package enum AskedLife: Hashable, Sendable {
    /// Until so long after the instant at which the first tokens expire together.
    case untilCommonExpiry(plus: Duration)
    case lasting(Duration)
  }

  /// The life of the token that it asks for now, and notes whether its tokens expire within the storm.
  ///
  /// - Parameter ahead: How far off the common expiry is; nil where each token expires by itself.
  package mutating func life(
    for purpose: FetchPurpose, in plan: StormPlan, commonExpiry ahead: Duration?, chance: inout SeededGenerator
  ) -> AskedLife {
    // Whoever is back so shortly before the common expiry takes no part in it: a wire may know no token that lives so short.
    // A token that would end at once is asked for by nobody: it is refused, or has to be renewed as soon as it is there.
    let spare = logins > 0 ? Duration.seconds(2) : min(Self.leastLeft, plan.life)
    let scattered = plan.life.scaled(by: plan.jitter * chance.nextShare())
    if purpose == .login, let ahead, spare < ahead { return .untilCommonExpiry(plus: scattered) }
    // Also where the first token was refused for its age and another is asked for: this one outlives the storm.
    if logins == 0 {
      isDue = ahead == nil
    } else if purpose == .login {
      isDue = false
    }
    return .lasting(max(plan.life - scattered, min(Self.leastLife, plan.life)))
  }

  /// A token lives at least so long, and one that ends with all others has at least so much of its life left.
  private static let leastLife = Duration.seconds(1)
  private static let leastLeft = Duration.milliseconds(100)
}

extension StormPlan {
  /// The generator of client number `index`: what it does depends on the seed and on what happens to it only.
  package func chance(of index: Int) -> SeededGenerator {
    var seeds = SeededGenerator(seed: seed ^ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
    return SeededGenerator(seed: seeds.next())
  }
}

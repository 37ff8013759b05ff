/// The rules of a token endpoint for single-use refresh tokens (RFC 9700 section 4.14.2).
package struct RotationPolicy: Hashable, Sendable {
  /// The answer to a refresh token that is shown again during the grace.
  package enum Replay: String, Hashable, Sendable, CaseIterable {
    /// Its successor again.
    case same
    /// Another refresh token of the same family.
    case new
    /// A refusal. The family is kept.
    case refuse
  }

  /// The grants that end if a refresh token is shown again after the grace.
  package enum Revocation: String, Hashable, Sendable, CaseIterable {
    /// All refresh tokens of that login.
    case family
    /// All refresh tokens of the user.
    case user
    /// Nothing. The request alone is refused.
    case nothing
  }

  /// How long after its first use a refresh token is a replay and no theft; 0 for never.
  package var grace: Duration
  package var replay: Replay
  package var revokes: Revocation
  /// How long a family may be unused until it has ended; nil for any time.
  package var idle: Duration?

  package init(grace: Duration = .zero, replay: Replay = .same, revokes: Revocation = .family, idle: Duration? = nil) {
    self.grace = grace
    self.replay = replay
    self.revokes = revokes
    self.idle = idle
  }

  /// The bounds of the grace, and of the time without use.
  package static let graces = Duration.zero...Duration.seconds(86_400)
  package static let idles = Duration.seconds(1)...Duration.seconds(10 * 365 * 86_400)

  /// Whether its times are within their bounds.
  package var isPossible: Bool { Self.graces.contains(grace) && (idle.map(Self.idles.contains) ?? true) }
}

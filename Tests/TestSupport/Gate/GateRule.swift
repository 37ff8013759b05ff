internal import GatewayCore

/// A rule of the gate. It holds in every dialect, or the dialect says why it cannot.
package enum GateRule: String, CaseIterable, Sendable {
  case anonymous = "anonymous users get no socket"
  case guests = "guests can join"
  case connectionRequired = "missing authentication is connection required, 800101"
  case loginTimeout = "who does not log in is disconnected when the timeout passes, and not before"
  case expiry = "a token that expires in mid-session is asked for, once and not before, and a good one goes on"
  case refreshTimeout = "who misses the timeout is disconnected, and not before"
  case order = "a token that an operator lets expire is asked for, nobody else's is, and a good one goes on"
  case stranger = "another user's token is no answer, and the good one still is"
  case revocation = "a revoked token is asked for, nobody else's is; it comes in no more, and a good one goes on"
  case closingRevocation = "where it is set so, a revoked token's session is closed, and nobody else's"
  case logout = "a logout closes the user's session, nobody else's; its token comes in no more, and a later one does"

  /// The life of tokens that need not expire.
  package static let usualLife = Duration.seconds(3_600)

  /// Returns the life of the rule's tokens.
  func life(in place: TestPlace) -> Duration {
    self == .expiry && place == .sockets ? .seconds(3) : Self.usualLife
  }

  /// Returns the timeout that its clients are to miss.
  static func timeout(in place: TestPlace) -> Duration {
    place == .sockets ? .seconds(1) : .seconds(60)
  }

  /// Returns the times of the rule's sessions: the usual ones, but without waiting for a real minute.
  func policy(in place: TestPlace) throws(SessionPolicyError) -> SessionPolicy {
    let timeout = Self.timeout(in: place)
    return try SessionPolicy(
      loginTimeout: self == .loginTimeout ? timeout : .seconds(10),
      refreshTimeout: self == .refreshTimeout ? timeout : .seconds(60),
      revocation: self == .closingRevocation ? .close : .refresh, anyRefreshTimeout: true)
  }
}

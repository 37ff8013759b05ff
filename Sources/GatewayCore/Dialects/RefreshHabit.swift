/// The time and way in which a client renews its token. The default waits for the gateway's request.
package struct RefreshHabit: Hashable, Sendable {
  /// A way to renew a token.
  package enum How: String, Hashable, Sendable, CaseIterable {
    /// The client waits for the gateway's request.
    case asked
    /// The client's own timer, ``lead`` before the end.
    case timer
    /// On a new connection, when the gateway ends the old one or ``lead`` before the end.
    case reconnect
    /// By a request over HTTP that renews the open connection: on the client's own timer, or when the gateway asks.
    case http
    /// The gateway sends a new token over the open connection by itself.
    case pushed
    /// The client does not renew.
    case none
  }

  /// The lead time of a renewal before a token's end.
  package enum Lead: Hashable, Sendable {
    case duration(Duration)
    /// A share of the token's life when it is accepted.
    case share(Double)

    /// Returns the lead time for a token of that life.
    package func duration(ofLife life: Duration) -> Duration {
      switch self {
      case .duration(let duration): duration
      case .share(let share): .saturating(seconds: life.inSeconds * share)
      }
    }
  }

  package var how = How.asked
  package var lead: Lead?
  /// The upper limit of a random time by which the renewal is earlier.
  package var jitter = Duration.zero
  /// Whether the gateway does not answer, so that a refresh counts as accepted if the connection outlives the old token
  /// by ``grace``.
  package var isProvenBySurvival = false
  /// Whether the answer to the request over HTTP brings the new token, so that the token provider is not asked.
  package var isTokenInAnswer = false
  /// The time that the gateway lets a connection live after its token's end.
  package var grace = Duration.seconds(25)

  package init() {}
}

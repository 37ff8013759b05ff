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
  /// The time that the gateway lets a connection live after its token's end.
  package var grace = Duration.seconds(25)

  package init() {}
}

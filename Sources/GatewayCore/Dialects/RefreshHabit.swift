/// The time at which a client renews its token of its own accord: ten seconds before the end, say. The default waits
/// until it is asked.
package struct RefreshHabit: Hashable, Sendable {
  /// The way in which a client renews: by a timer of its own, for instance.
  package enum How: String, Hashable, Sendable, CaseIterable {
    /// The gateway asks.
    case asked
    /// The client's own timer, ``lead`` before the end.
    case timer
    /// On a new connection: when the gateway ends the old one, or ``lead`` before the end.
    case reconnect
    /// Not at all.
    case none
  }

  /// The time before a token's end at which it is renewed: ten seconds, or a fifth of its life, for instance.
  package enum Lead: Hashable, Sendable {
    case duration(Duration)
    /// A share of the life that the token has when it is accepted.
    case share(Double)

    /// The same for a token of that life.
    package func duration(ofLife life: Duration) -> Duration {
      switch self {
      case .duration(let duration): duration
      case .share(let share): .nanoseconds(Int64(life.inSeconds * share * 1e9))
      }
    }
  }

  package var how = How.asked
  package var lead: Lead?
  /// Up to so much earlier by chance.
  package var jitter = Duration.zero
  /// Whether the gateway answers nothing, so that outliving the old token's end by ``grace`` is the proof.
  package var isProvenBySurvival = false
  /// How long after the end of a token the gateway lets a connection live.
  package var grace = Duration.seconds(25)

  package init() {}
}

/// The times of a wire's tokens and of the sessions that they open, for code that plans by them and verifies no token.
package struct TokenTimes: Hashable, Sendable {
  /// The time after its end for which a token is still accepted, since clocks differ.
  package var leeway: Duration
  /// The longest life of a session on one token; nil for the token's life. Its client has a key to reconnect with.
  package var sessionLife: Duration?
  /// The lead time of a refresh request before the session's end, at most a tenth of its life; nil for the session
  /// policy's.
  package var lead: Duration?

  /// The precision of tokens' dates, e.g. whole seconds, and whether an end is rounded up or down to it.
  package var grain: Duration
  package var isDatedUp: Bool

  /// - Parameters:
  ///   - leeway: The time after its end for which a token is still accepted.
  ///   - sessionLife: The longest life of a session on one token; nil for the token's life.
  ///   - lead: The lead time of a refresh request before the session's end; nil for the session policy's.
  ///   - grain: The precision of tokens' dates.
  ///   - isDatedUp: Whether an end is rounded up, not down, to that precision.
  package init(
    leeway: Duration = .seconds(5), sessionLife: Duration? = nil, lead: Duration? = nil,
    grain: Duration = .microseconds(1), isDatedUp: Bool = false
  ) {
    self.leeway = leeway
    self.sessionLife = sessionLife
    self.lead = lead
    self.grain = grain
    self.isDatedUp = isDatedUp
  }

  /// Returns the lead time for a session of that life; nil for the session policy's.
  package func lead(ofLife life: Duration) -> Duration? {
    lead.map { min($0, max(.zero, life / 10)) }
  }
}

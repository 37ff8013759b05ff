/// The times of what a wire's tokens buy, for who reckons with them and judges none: a token of an hour opens a session of ten
/// minutes, and its client is told half a minute before the end, for instance.
package struct TokenTimes: Hashable, Sendable {
  /// How long after its end a token is still taken, since clocks differ.
  package var leeway: Duration
  /// How long a session lives on one token at the most; nil for as long as the token. Its client has a key to come back with.
  package var sessionLife: Duration?
  /// How long before its end a client is told, but no more than a tenth of its life; nil for what the session's policy says.
  package var lead: Duration?

  /// How exactly tokens are dated: in whole seconds, say; and whether they live on to the next such date, or end at the last.
  package var grain: Duration
  package var isDatedUp: Bool

  /// - Parameters:
  ///   - leeway: How long after its end a token is still taken.
  ///   - sessionLife: How long a session lives on one token at the most; nil for as long as the token.
  ///   - lead: How long before its end a client is told; nil for what the session's policy says.
  ///   - grain: How exactly tokens are dated.
  ///   - isDatedUp: Whether they live on to the next such date.
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

  /// How long before its end the client of a session is told that lives so long; nil for what the session's policy says.
  package func lead(ofLife life: Duration) -> Duration? {
    lead.map { min($0, max(.zero, life / 10)) }
  }
}

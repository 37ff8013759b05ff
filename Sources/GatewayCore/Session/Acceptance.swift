/// A token that passed every check, as the session wants it, which has neither clock nor generator: when it expires on
/// the monotonic line, and the chance that was drawn for it. It makes a ``Grant`` of that. Of ann's token that is good
/// until 12:00 it says, for instance, that this is 300 s from now. An immutable class, since it is handed on and on with
/// each refresh, and a copy of the token is a dozen references.
package final class Acceptance: Hashable, Sendable {
  package let token: VerifiedToken
  /// ``Instant/distantFuture`` for a token that never expires.
  package let expiresAt: Instant
  /// The connection's place in the spread, in 0..<1.
  package let spreadShare: Double

  package init(_ token: VerifiedToken, expiresAt: Instant, spreadShare: Double) {
    self.token = token
    self.expiresAt = expiresAt
    self.spreadShare = spreadShare
  }

  /// The acceptance of `token` at a moment that is `now` on the one clock and `wallNow` on the other.
  package convenience init(_ token: VerifiedToken, now: Instant, wallNow: WallTime, spreadShare: Double) {
    self.init(
      token, expiresAt: token.expiresAt.map { now + ($0 - wallNow) } ?? .distantFuture, spreadShare: spreadShare)
  }

  package static func == (one: Acceptance, other: Acceptance) -> Bool {
    one === other
      || one.token == other.token && one.expiresAt == other.expiresAt && one.spreadShare == other.spreadShare
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(token)
    hasher.combine(expiresAt)
    hasher.combine(spreadShare)
  }
}

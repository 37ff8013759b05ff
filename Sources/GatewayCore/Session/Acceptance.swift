/// An accepted token with its expiry on the monotonic clock and its random share of the refresh spread. The session,
/// which has neither a clock nor a random generator, makes a ``Grant`` of it.
///
/// An immutable class: it is passed on with each refresh, and a copy of the token would be a dozen references.
package final class Acceptance: Hashable, Sendable {
  package let token: VerifiedToken
  /// The expiry; ``Instant/distantFuture`` for a token that never expires.
  package let expiresAt: Instant
  /// The connection's place in the refresh spread, in 0..<1.
  package let spreadShare: Double

  package init(_ token: VerifiedToken, expiresAt: Instant, spreadShare: Double) {
    self.token = token
    self.expiresAt = expiresAt
    self.spreadShare = spreadShare
  }

  /// Creates the acceptance of `token` at a time that is `now` on the monotonic clock and `wallNow` on the wall clock.
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

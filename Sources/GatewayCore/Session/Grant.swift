/// What an accepted token gives a session, on the monotonic line.
package struct Grant: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  package var fingerprint: TokenFingerprint
  /// ``VerifiedToken/issuer``.
  package var issuer: Name?
  package var issuedAt: WallTime?
  /// ``Instant/distantFuture`` for a token that never expires.
  package var expiresAt: Instant
  /// When the gateway asks for the next token.
  package var askAt: Instant
  /// Why it asks then.
  package var renewal: RefreshCause
  package var form: TokenForm

  /// The grant of a token accepted at `now`, the refresh request `lead` ahead of expiry and earlier still by the
  /// connection's share of the spread.
  ///
  /// A token that lives shorter than that is asked for at half of its life, so that a short life makes no tight loop.
  init(_ acceptance: Acceptance, policy: SessionPolicy, now: Instant) {
    user = acceptance.user
    kind = acceptance.kind
    fingerprint = acceptance.fingerprint
    issuer = acceptance.issuer
    issuedAt = acceptance.issuedAt
    expiresAt = acceptance.expiresAt
    renewal = acceptance.renewal
    form = acceptance.form
    let spread = Duration.nanoseconds(Int64(Double(policy.refreshSpread.nanoseconds) * acceptance.spreadShare))
    let wanted = acceptance.expiresAt - (acceptance.refreshLead ?? policy.refreshLead) - spread
    if expiresAt == .distantFuture || expiresAt <= now {
      askAt = expiresAt
    } else {
      askAt = max(wanted, now + .nanoseconds((expiresAt - now).nanoseconds / 2))
    }
  }
}

/// A token that passed every check, its times moved onto the monotonic line and its chance drawn: what the session,
/// which has neither clock nor generator, needs to make a ``Grant``.
package struct Acceptance: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  package var fingerprint: TokenFingerprint
  /// ``VerifiedToken/issuer``.
  package var issuer: Name?
  package var issuedAt: WallTime?
  package var expiresAt: Instant
  /// The connection's place in the spread, in 0..<1.
  package var spreadShare: Double
  package var renewal: RefreshCause
  /// ``VerifiedToken/refreshLead``.
  package var refreshLead: Duration?
  package var form: TokenForm
  package var welcome: String?
  /// ``VerifiedToken/wants``.
  package var wants: GatewayError?
  /// ``VerifiedToken/notes``.
  package var notes: [HTTPField] = []

  package init(
    user: UserID, kind: UserKind, fingerprint: TokenFingerprint, issuedAt: WallTime? = nil, expiresAt: Instant,
    spreadShare: Double, renewal: RefreshCause = .expiry, form: TokenForm = .jwt, welcome: String? = nil,
    issuer: Name? = nil
  ) {
    self.user = user
    self.kind = kind
    self.fingerprint = fingerprint
    self.issuer = issuer
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.spreadShare = spreadShare
    self.renewal = renewal
    self.form = form
    self.welcome = welcome
  }

  /// The acceptance of `token` at a moment that is `now` on the one clock and `wallNow` on the other.
  package init(_ token: VerifiedToken, now: Instant, wallNow: WallTime, spreadShare: Double) {
    self.init(
      user: token.user, kind: token.kind, fingerprint: token.fingerprint, issuedAt: token.issuedAt,
      expiresAt: token.expiresAt.map { now + ($0 - wallNow) } ?? .distantFuture, spreadShare: spreadShare,
      renewal: token.renewal, form: token.form, welcome: token.welcome, issuer: token.issuer)
    refreshLead = token.refreshLead
    wants = token.wants
    notes = token.notes
  }
}

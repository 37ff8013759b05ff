/// What an accepted token gives a session, on the monotonic line: who somebody is until half past two, say.
///
/// A class, since a session hands it on with every event; a value that is never changed.
package final class Grant: Hashable, Sendable {
  package let user: UserID
  package let kind: UserKind
  package let fingerprint: TokenFingerprint
  /// ``VerifiedToken/issuer``.
  package let issuer: Name?
  package let issuedAt: WallTime?
  /// ``Instant/distantFuture`` for a token that never expires.
  package let expiresAt: Instant
  /// When the gateway asks for the next token.
  package let askAt: Instant
  /// Why it asks then.
  package let renewal: RefreshCause
  package let form: TokenForm

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

  private init(_ other: Grant, dueBy now: Instant) {
    user = other.user
    kind = other.kind
    fingerprint = other.fingerprint
    issuer = other.issuer
    issuedAt = other.issuedAt
    expiresAt = min(other.expiresAt, now)
    askAt = min(other.askAt, now)
    renewal = other.renewal
    form = other.form
  }

  /// The same, expired at `now` if it has not been yet.
  func expired(at now: Instant) -> Grant { Grant(self, dueBy: now) }

  package static func == (one: Grant, other: Grant) -> Bool {
    one === other
      || one.user == other.user && one.kind == other.kind && one.fingerprint == other.fingerprint
        && one.issuer == other.issuer && one.issuedAt == other.issuedAt && one.expiresAt == other.expiresAt
        && one.askAt == other.askAt && one.renewal == other.renewal && one.form == other.form
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(user)
    hasher.combine(kind)
    hasher.combine(fingerprint)
    hasher.combine(issuer)
    hasher.combine(issuedAt)
    hasher.combine(expiresAt)
    hasher.combine(askAt)
    hasher.combine(renewal)
    hasher.combine(form)
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

/// The rights that an accepted token gives a session, on the monotonic line: who somebody is until half past two, say.
///
/// A class, since a session hands it on with every event; a value that is never changed.
package final class Grant: Hashable, Sendable {
  // The small ones come last, where they share a word: there is one for each connection.
  package let user: UserID
  package let fingerprint: TokenFingerprint
  /// ``VerifiedToken/issuer``.
  package let issuer: Name?
  /// ``Instant/distantFuture`` for a token that never expires.
  package let expiresAt: Instant
  /// When the gateway asks for the next token.
  package let askAt: Instant
  package let issuedAt: WallTime?
  package let kind: UserKind
  /// Why the gateway asks for the next token when it does.
  package let renewal: RefreshCause
  /// Why the gateway asks for the next token where an operator lets the session expire.
  package let orderedRenewal: RefreshCause
  package let form: TokenForm

  /// The grant of a token accepted at `now`, the refresh request `lead` ahead of expiry and earlier still by the
  /// connection's share of the spread.
  ///
  /// A token that lives shorter than that is asked for at half of its life, so that a short life makes no tight loop.
  init(_ acceptance: Acceptance, policy: SessionPolicy, now: Instant) {
    let token = acceptance.token
    user = token.user
    kind = token.kind
    fingerprint = token.fingerprint
    issuer = token.issuer
    issuedAt = token.issuedAt
    expiresAt = acceptance.expiresAt
    renewal = token.renewal
    orderedRenewal = token.orderedRenewal ?? token.renewal
    form = token.form
    let spread = Duration.nanoseconds(Int64(Double(policy.refreshSpread.nanoseconds) * acceptance.spreadShare))
    let wanted = acceptance.expiresAt - (token.refreshLead ?? policy.refreshLead) - spread
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
    renewal = other.orderedRenewal
    orderedRenewal = other.orderedRenewal
    form = other.form
  }

  /// The same, which an operator lets expire at `now`.
  func expired(at now: Instant) -> Grant { Grant(self, dueBy: now) }

  package static func == (one: Grant, other: Grant) -> Bool {
    one === other
      || one.user == other.user && one.kind == other.kind && one.fingerprint == other.fingerprint
        && one.issuer == other.issuer && one.issuedAt == other.issuedAt && one.expiresAt == other.expiresAt
        && one.askAt == other.askAt && one.renewal == other.renewal && one.orderedRenewal == other.orderedRenewal
        && one.form == other.form
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
    hasher.combine(orderedRenewal)
    hasher.combine(form)
  }
}

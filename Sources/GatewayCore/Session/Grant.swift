/// The rights that an accepted token gives a session, with times on the monotonic clock.
///
/// An immutable class, since a session passes it on with every event.
package final class Grant: Hashable, Sendable {
  // The small fields come last, where they share a word: there is one grant for each connection.
  package let user: UserID
  package let fingerprint: TokenFingerprint
  /// The key that vouches for the token; see ``VerifiedToken/issuer``.
  package let issuer: Name?
  /// The expiry; ``Instant/distantFuture`` for a token that never expires.
  package let expiresAt: Instant
  /// The time at which the gateway requests the next token.
  package let askAt: Instant
  private let sessionHash: UInt64
  package let issuedAt: WallTime?
  package let kind: UserKind
  /// The cause of the next refresh request.
  package let renewal: RefreshCause
  /// The cause of the refresh request if an operator lets the session expire.
  package let orderedRenewal: RefreshCause
  package let form: TokenForm

  /// Creates the grant of a token accepted at `now`. The gateway requests the next token `lead` before expiry, and
  /// earlier by the connection's share of the spread.
  ///
  /// The request comes no earlier than after half of the remaining life, so that a short life makes no tight loop.
  init(_ acceptance: Acceptance, policy: SessionPolicy, now: Instant) {
    let token = acceptance.token
    user = token.user
    kind = token.kind
    fingerprint = token.fingerprint
    issuer = token.issuer
    sessionHash = token.session?.hash ?? 0
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
    sessionHash = other.sessionHash
    issuedAt = other.issuedAt
    expiresAt = min(other.expiresAt, now)
    askAt = min(other.askAt, now)
    renewal = other.orderedRenewal
    orderedRenewal = other.orderedRenewal
    form = other.form
  }

  /// See ``VerifiedToken/session``.
  package var session: LoginSession? { sessionHash == 0 ? nil : LoginSession(hash: sessionHash) }

  /// Returns the same grant, expired at `now` by an operator's order.
  func expired(at now: Instant) -> Grant { Grant(self, dueBy: now) }

  package static func == (one: Grant, other: Grant) -> Bool {
    one === other
      || one.user == other.user && one.kind == other.kind && one.fingerprint == other.fingerprint
        && one.issuer == other.issuer && one.sessionHash == other.sessionHash && one.issuedAt == other.issuedAt
        && one.expiresAt == other.expiresAt
        && one.askAt == other.askAt && one.renewal == other.renewal && one.orderedRenewal == other.orderedRenewal
        && one.form == other.form
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(user)
    hasher.combine(kind)
    hasher.combine(fingerprint)
    hasher.combine(issuer)
    hasher.combine(sessionHash)
    hasher.combine(issuedAt)
    hasher.combine(expiresAt)
    hasher.combine(askAt)
    hasher.combine(renewal)
    hasher.combine(orderedRenewal)
    hasher.combine(form)
  }
}

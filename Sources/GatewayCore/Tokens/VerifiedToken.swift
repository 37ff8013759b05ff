/// What a token says, after every check has passed.
package struct VerifiedToken: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  /// Tells this token from any other.
  package var fingerprint: TokenFingerprint
  /// `jti`, if the token has one (RFC 7519 section 4.1.7).
  package var id: String?
  /// Whose key vouches for it, in the dialect's words; nil where that is never asked.
  package var issuer: Name?
  package var issuedAt: WallTime?
  /// Nil for a token that never expires.
  package var expiresAt: WallTime?
  /// Why another token is asked for when ``expiresAt`` comes.
  package var renewal: RefreshCause
  /// How long before ``expiresAt`` it is asked for; nil for what the session's policy says.
  package var refreshLead: Duration?
  package var form: TokenForm
  /// What the dialect says to a client whose login or refresh this token brought about, in its own form.
  package var welcome: String?
  /// The calls the token opens, at most 100; nil if it does not limit them.
  package var calls: [CallID]?
  /// What the client is told in place of a login: what it presented is in order as far as it goes, and more is wanted in
  /// the time that is left. Nil for what lets the user in.
  package var wants: GatewayError?
  /// What the ``Authenticator`` is told again of this connection when it judges what comes next: ``Bearer/notes``.
  package var notes: [HTTPField] = []

  package init(
    user: UserID, kind: UserKind, fingerprint: TokenFingerprint, id: String? = nil, issuedAt: WallTime? = nil,
    expiresAt: WallTime? = nil, calls: [CallID]? = nil, renewal: RefreshCause = .expiry, form: TokenForm = .jwt,
    welcome: String? = nil, issuer: Name? = nil
  ) {
    self.user = user
    self.kind = kind
    self.fingerprint = fingerprint
    self.id = id
    self.issuer = issuer
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.calls = calls
    self.renewal = renewal
    self.form = form
    self.welcome = welcome
  }
}

/// What kind of thing let a user in.
package enum TokenForm: String, Hashable, Sendable, CaseIterable {
  /// A signed token that says everything itself.
  case jwt
  /// An opaque token that the directory knows.
  case opaque
  /// A token of a session that the gateway handed out itself.
  case session
  /// The user's name alone.
  case none
}

/// What verification of a token came to.
package typealias Verdict = Result<VerifiedToken, GatewayError>

/// The content of a token that has passed every check.
package struct VerifiedToken: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  /// The fingerprint that distinguishes this token from any other.
  package var fingerprint: TokenFingerprint
  /// `jti`, if the token has one (RFC 7519 section 4.1.7).
  package var id: String?
  /// The name of the key that vouches for the token, by which the sessions of a revoked key are found, e.g. an API key
  /// `api_…`. Nil where a dialect has one key for all tokens.
  package var issuer: Name?
  /// The session at the application's login that issued the token; nil if it names none, or if this is not checked.
  package var session: LoginSession?
  package var issuedAt: WallTime?
  /// The expiry; nil for a token that never expires.
  package var expiresAt: WallTime?
  /// The cause of the refresh request at ``expiresAt``.
  package var renewal: RefreshCause
  /// The cause of the refresh request if an operator lets the session expire; nil for ``renewal``. A session that ends
  /// before its token requests the same token at its own end, and another one if an operator lets the token expire.
  package var orderedRenewal: RefreshCause?
  /// The lead time of the refresh request before ``expiresAt``; nil for the session policy's.
  package var refreshLead: Duration?
  package var form: TokenForm
  /// An oddity of the token's dates, for the log, e.g. an `exp` in milliseconds. Nil if there is none.
  package var doubt: String?
  /// A text for the dialect's answer to the login or refresh, e.g. the user object of a greeting as JSON. It is made
  /// while the directory is read.
  package var welcome: String?
  /// The calls that the token permits, at most 100; nil if it does not limit them.
  package var calls: [CallID]?
  /// The error that requests more credentials, if the presented ones are valid but do not suffice for a login. E.g. a
  /// message names the device, and the token follows later. The login timeout keeps running. Nil if they suffice.
  package var wants: GatewayError?
  /// The ``Authenticator``'s notes for the next token of the same connection (``Bearer/notes``), e.g. the device whose
  /// registration a refresh extends.
  package var notes: Baggage?

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

/// The kind of credentials that logged a user in.
package enum TokenForm: String, Hashable, Codable, Sendable, CaseIterable {
  /// A signed token that contains all its data.
  case jwt
  /// An opaque token that the directory stores.
  case opaque
  /// A token of a session that the gateway itself issued.
  case session
  /// The user's name alone.
  case none
}

/// The result of verifying a token.
package typealias Verdict = Result<VerifiedToken, GatewayError>

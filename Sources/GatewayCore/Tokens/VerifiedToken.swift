/// A token's content after every check has passed: that it is ann's, a guest's, good until three o'clock, for instance.
package struct VerifiedToken: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  /// Tells this token from any other.
  package var fingerprint: TokenFingerprint
  /// `jti`, if the token has one (RFC 7519 section 4.1.7).
  package var id: String?
  /// The name of the key that vouches for it, so that whoever revokes the key finds its sessions: an API key
  /// `api_…`. Nil where a dialect has one key for all.
  package var issuer: Name?
  package var issuedAt: WallTime?
  /// Nil for a token that never expires.
  package var expiresAt: WallTime?
  /// Why another token is asked for when ``expiresAt`` comes.
  package var renewal: RefreshCause
  /// Why another token is asked for when an operator lets the session expire; nil for ``renewal``. A session that ends
  /// before its token asks for the same token at its own end, and for another one where the token is let expire.
  package var orderedRenewal: RefreshCause?
  /// How long before ``expiresAt`` it is asked for; nil for what the session's policy says.
  package var refreshLead: Duration?
  package var form: TokenForm
  /// What is odd about its dates, for the log: `exp` may have been written in milliseconds. Nil for nothing.
  package var doubt: String?
  /// Text that the dialect puts into its answer to the login or refresh, made where the directory was asked: the user
  /// object of a greeting, as JSON.
  package var welcome: String?
  /// The calls the token opens, at most 100; nil if it does not limit them.
  package var calls: [CallID]?
  /// The error that asks for more in place of a login, where what was presented is in order as far as it goes: a
  /// message, say, that names the device and leaves the token to come. The time to log in runs on. Nil for what lets the
  /// user in.
  package var wants: GatewayError?
  /// What the ``Authenticator`` leaves itself for the next token of the same connection (``Bearer/notes``): the device
  /// whose registration a refresh extends, say.
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

/// The kind of thing that let a user in: a JWT, for instance, or the user's name alone.
package enum TokenForm: String, Hashable, Codable, Sendable, CaseIterable {
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

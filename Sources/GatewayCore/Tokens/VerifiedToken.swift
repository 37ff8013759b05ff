/// What a token says, after every check has passed.
package struct VerifiedToken: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  /// Tells this token from any other.
  package var fingerprint: TokenFingerprint
  /// `jti`, if the token has one (RFC 7519 section 4.1.7).
  package var id: String?
  package var issuedAt: WallTime?
  /// Nil for a token that never expires.
  package var expiresAt: WallTime?
  /// The calls the token opens, at most 100; nil if it does not limit them.
  package var calls: [CallID]?

  package init(
    user: UserID, kind: UserKind, fingerprint: TokenFingerprint, id: String? = nil, issuedAt: WallTime? = nil,
    expiresAt: WallTime? = nil, calls: [CallID]? = nil
  ) {
    self.user = user
    self.kind = kind
    self.fingerprint = fingerprint
    self.id = id
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.calls = calls
  }
}

/// What verification of a token came to.
package typealias Verdict = Result<VerifiedToken, GatewayError>

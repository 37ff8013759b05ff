package import GatewayCore
internal import GatewayJSON

/// The requirements for a signed statement that is no access token. It is a logout token (OpenID Connect Back-Channel
/// Logout 1.0 section 2.4) or a security event token (RFC 8417).
package struct EventRequirements: Sendable {
  /// The accepted values of `typ`, in lower case and without `application/`.
  package var types: [String]
  /// Whether a token without `typ` is accepted.
  package var allowsNoType: Bool
  /// The audiences, one of which `aud` must name, byte for byte. Not empty.
  package var audiences: [Name]
  /// Whether a token must have an `exp`.
  package var requiresExpiry: Bool

  package init(types: [String], allowsNoType: Bool, audiences: [Name], requiresExpiry: Bool) {
    precondition(!audiences.isEmpty, "a statement for any audience")
    self.types = types
    self.allowsNoType = allowsNoType
    self.audiences = audiences
    self.requiresExpiry = requiresExpiry
  }

  func checkType(_ header: JSONView) throws(TokenError) {
    guard let parameter = header["typ"] else {
      guard allowsNoType else { throw .typeMismatch }
      return
    }
    guard let text = parameter.string else { throw .headerParameter("typ") }
    let type = JWTHeader.mediaType(text)
    guard types.contains(where: { Name($0) == Name(type) }) else { throw .typeMismatch }
  }
}

extension JWTVerifier {
  /// Returns the claims of a signed statement of `owner`, whose keys this verifier has, if every check passes at `now`;
  /// throws the first check that fails. `requirements` has its audiences and its end; the owner's policy has the rest.
  /// The caller checks whether it is about an event.
  package func verifyEvent(
    _ token: String, _ requirements: EventRequirements, of owner: KeyOwner, at now: WallTime
  ) throws(TokenError) -> JWTClaims {
    let shown = try UnverifiedToken(token, sizeMax: policy.sizeMax)
    try requirements.checkType(shown.header)
    var policy = owner.policy
    (policy.audiences, policy.requiresExpiry) = (requirements.audiences, requirements.requiresExpiry)
    // Before the key is looked up, so that another issuer's statement is distinguished from one with an unknown key.
    guard let issuer = shown.payload["iss"] else { throw .claimMissing("iss") }
    guard issuer.string.map({ Name($0) }) == policy.issuer else {
      throw .issuerMismatch(
        ClaimMismatch(expected: policy.issuer.map { [$0.text] } ?? [], presented: issuer.string.map { [$0] } ?? []))
    }
    return try open(token, at: now, isOfAnyType: true) { [policy] payload, vouching throws(TokenError) in
      // A key of the gateway's own signs no statement of another.
      guard vouching === owner else { throw .signature }
      let claims = try JWTClaims(CompactToken.object(payload, .payload))
      try check(claims, policy, at: now)
      guard claims.issuedAt != nil else { throw .claimMissing("iat") }
      return claims
    }
  }
}

package import GatewayCore
package import GatewayJSON

extension JWTVerifier {
  /// Returns what a server says of an active token (RFC 7662 section 2.2), if it meets `policy` at `now`. All members are
  /// optional there, so a date or an issuer that is missing is no fault. A missing audience is one if the policy wants one.
  package func introspected(
    _ members: JSONView, _ policy: TokenPolicy, at now: WallTime
  ) throws(TokenError) -> JWTClaims {
    let claims = try JWTClaims(members)
    var policy = policy
    policy.requiresExpiry = false
    if members["iss"] == nil { policy.issuer = nil }
    try check(claims, policy, at: now)
    return claims
  }
}

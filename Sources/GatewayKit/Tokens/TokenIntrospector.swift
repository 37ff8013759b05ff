package import GatewayCore
package import GatewayTokens

/// Reads the content of a token whose claims hold.
///
/// - Parameters:
///   - claims: The answer of the token's server.
///   - user: The member that names the user; nil for the usual ones.
package typealias TokenReader =
  @Sendable (_ claims: JWTClaims, _ user: String?) throws(TokenError) -> VerifiedToken

/// Judges opaque tokens that another server has issued, by asking it (RFC 7662).
package protocol TokenIntrospector: Sendable {
  /// Returns the judgement on a token that is neither a JWT nor the gateway's own: at once if the answer is known.
  func judge(_ token: String, at now: WallTime, read: @escaping TokenReader) -> Judgement
}

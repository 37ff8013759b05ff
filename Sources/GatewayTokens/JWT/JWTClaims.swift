package import GatewayCore
package import GatewayJSON

/// The claims of a token that passed every check, with the registered dates as times.
package struct JWTClaims: Sendable {
  /// The whole payload, which may have claims that only a vendor knows.
  package let payload: JSONView
  package let expiresAt: WallTime?
  package let notBefore: WallTime?
  package let issuedAt: WallTime?
  /// The issuer whose fetched key signed the token; nil for a key of the gateway's own.
  package internal(set) var owner: KeyOwner?

  /// Reads the registered dates of `payload`; throws if one of them is not a number.
  init(_ payload: JSONView) throws(TokenError) {
    self.payload = payload
    expiresAt = try Self.date(payload["exp"], .expiration)
    notBefore = try Self.date(payload["nbf"], .notBefore)
    issuedAt = try Self.date(payload["iat"], .issuedAt)
  }

  /// The claim of that name.
  package subscript(_ name: StaticString) -> JSONView? { payload[name] }

  private static func date(_ claim: JSONView?, _ name: TokenError.DateClaim) throws(TokenError) -> WallTime? {
    guard let claim else { return nil }
    guard let date = NumericDate.read(claim) else { throw .dateInvalid(name) }
    return date
  }
}

package import GatewayCore
internal import GatewayJSON
package import GatewayTokens
internal import Synchronization

/// An issuer of the plain dialect's tokens. All tokens differ: `jti` is the time of issue and a serial number, so a
/// token refreshed within one second is not mistaken for the old one.
package final class PlainTokenIssuer: TokenIssuer {
  private let signer: JWTSigner
  private let issuer: String?
  private let audience: String?
  private let serial = Atomic<UInt64>(0)

  /// Creates an issuer. `issuer` and `audience` become `iss` and `aud`, if given.
  package init(signer: JWTSigner, issuer: String? = nil, audience: String? = nil) {
    self.signer = signer
    self.issuer = issuer
    self.audience = audience
  }

  /// Replaces the key by that of `other`.
  package func takeKey(of other: JWTSigner) { signer.takeKey(of: other) }

  package func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    var claims = JSONWriter()
    claims.beginObject()
    claims.member("user_id", user.rawValue)
    if kind != .regular { claims.member("kind", kind.rawValue) }
    claims.name("iat")
    claims.raw(NumericDate.text(issuedAt))
    if let expiresAt {
      claims.name("exp")
      claims.raw(NumericDate.text(expiresAt))
    }
    claims.member("jti", "\(String(issuedAt.nanoseconds, radix: 36))-\(number)")
    if let issuer { claims.member("iss", issuer) }
    if let audience { claims.member("aud", audience) }
    if let calls {
      claims.name("call_cids")
      claims.beginArray()
      for call in calls { claims.string(call.cid) }
      claims.endArray()
    }
    claims.endObject()
    return Credentials(token: signer.sign(claims.bytes))
  }
}

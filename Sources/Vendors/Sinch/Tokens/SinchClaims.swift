internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The claims of a registration token, present and with the right types.
struct SinchClaims {
  let subject: String
  let issuedAt: WallTime
  let expiresAt: WallTime
  let nonce: Name
  let instanceEndsAt: WallTime?
  let kind: UserKind
  /// Whether the lives may be below the vendor's minimum.
  let isOfAnyLife: Bool

  init(_ claims: JSONView) throws(SinchRefusal) {
    guard let subject = claims["sub"], let issuedAt = claims["iat"], let expiresAt = claims["exp"],
      let nonce = claims["nonce"]
    else { throw .claimMissing }
    guard let subject = subject.string, let nonce = nonce.string, !nonce.isEmpty else { throw .claimInvalid }
    self.subject = subject
    self.nonce = Name(nonce)
    self.issuedAt = try Self.date(issuedAt)
    self.expiresAt = try Self.date(expiresAt)
    var end: WallTime?
    if let claim = claims["sinch:rtc:instance:exp"] { end = try Self.date(claim) }
    instanceEndsAt = end
    kind = try Self.kind(claims[SinchRegistrationToken.kindClaim])
    isOfAnyLife = try Self.isOfAnyLife(claims[SinchRegistrationToken.lifeClaim])
  }

  private static func date(_ claim: JSONView) throws(SinchRefusal) -> WallTime {
    guard let date = NumericDate.read(claim) else { throw .claimInvalid }
    return date
  }

  private static func isOfAnyLife(_ claim: JSONView?) throws(SinchRefusal) -> Bool {
    guard let claim else { return false }
    guard claim.string == SinchRegistrationToken.anyLife else { throw .claimInvalid }
    return true
  }

  private static func kind(_ claim: JSONView?) throws(SinchRefusal) -> UserKind {
    guard let claim else { return .regular }
    guard let kind = claim.string.flatMap(UserKind.init(rawValue:)) else { throw .claimInvalid }
    return kind
  }
}

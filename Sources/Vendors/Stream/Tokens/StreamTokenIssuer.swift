internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens
internal import Synchronization

/// An issuer of Stream's user tokens and call tokens, dated in whole seconds. All tokens differ: `jti` is the time of
/// issue and a serial number, so a token refreshed within one second is not mistaken for the old one.
final class StreamTokenIssuer: TokenIssuer {
  private let signer: JWTSigner
  private let serial = Atomic<UInt64>(0)

  init(signer: JWTSigner) {
    self.signer = signer
  }

  func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    let second: Int64 = 1_000_000_000
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    let claims = JSONWriter.object { json in
      json.member("user_id", user.rawValue)
      json.member("iat", issuedAt.nanoseconds / second)
      // Rounded up, so that a token lives at least as long as requested.
      if let expiresAt { json.member("exp", (expiresAt - .nanoseconds(1)).nanoseconds / second + 1) }
      json.member("jti", "\(String(issuedAt.nanoseconds, radix: 36))-\(number)")
      if let calls { json.member("call_cids", strings: calls.lazy.map(\.cid)) }
    }
    return Credentials(token: signer.sign(claims))
  }
}

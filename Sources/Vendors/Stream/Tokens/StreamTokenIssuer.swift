package import GatewayCore
internal import GatewayJSON
package import GatewayTokens
internal import Synchronization

/// The mint of Stream's user tokens and call tokens, dated in whole seconds. No two are the same: `jti` is the moment of issue
/// and a serial number, so a token that is refreshed within one second is never taken for the old one.
package final class StreamTokenIssuer: TokenIssuer {
  private let signer: JWTSigner
  private let serial = Atomic<UInt64>(0)

  package init(signer: JWTSigner) {
    self.signer = signer
  }

  package func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    let second: Int64 = 1_000_000_000
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    let claims = JSONWriter.object { json in
      json.member("user_id", user.rawValue)
      json.member("iat", issuedAt.nanoseconds / second)
      // Up, so that a token lives at least as long as it was asked to.
      if let expiresAt { json.member("exp", (expiresAt - .nanoseconds(1)).nanoseconds / second + 1) }
      json.member("jti", "\(String(issuedAt.nanoseconds, radix: 36))-\(number)")
      if let calls { json.member("call_cids", strings: calls.lazy.map(\.cid)) }
    }
    return Credentials(token: signer.sign(claims))
  }
}

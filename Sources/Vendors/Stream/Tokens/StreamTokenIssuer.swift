package import GatewayCore
internal import GatewayJSON
package import GatewayTokens

/// The mint of Stream's user tokens and call tokens, dated in whole seconds: ann's until noon, for instance.
package struct StreamTokenIssuer: TokenIssuer {
  private let signer: JWTSigner

  package init(signer: JWTSigner) {
    self.signer = signer
  }

  package func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    let second: Int64 = 1_000_000_000
    let claims = JSONWriter.object { json in
      json.member("user_id", user.rawValue)
      json.member("iat", issuedAt.nanoseconds / second)
      // Up, so that a token lives at least as long as it was asked to.
      if let expiresAt { json.member("exp", (expiresAt - .nanoseconds(1)).nanoseconds / second + 1) }
      if let calls { json.member("call_cids", strings: calls.lazy.map(\.cid)) }
    }
    return Credentials(token: signer.sign(claims))
  }
}

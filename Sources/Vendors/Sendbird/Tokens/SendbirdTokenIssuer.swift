internal import GatewayCore
internal import GatewayTokens

/// An issuer of Sendbird's session tokens. One without an end gets the vendor's week.
struct SendbirdTokenIssuer: TokenIssuer {
  private static let usualLife = Duration.seconds(7 * 86_400)
  private let signer: JWTSigner

  init(signer: JWTSigner) {
    self.signer = signer
  }

  func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    SendbirdSessionToken(user: user, issuedAt: issuedAt, expiresAt: expiresAt ?? issuedAt + Self.usualLife)
      .signed(by: signer)
  }
}

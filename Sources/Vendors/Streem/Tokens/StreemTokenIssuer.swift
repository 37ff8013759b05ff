package import GatewayCore
package import GatewayTokens

/// The mint of Streem Tokens, with one API key: one of the home company's for the token provider, for instance.
///
/// The expiry that a `TokenIssuer` is given is the session's: how long the token may start one is the issuer's own.
/// `iat` has a fraction, so that two tokens of a user in one second are two tokens; there is no `jti` to tell them apart.
package struct StreemTokenIssuer: TokenIssuer {
  /// The id of the API key it signs with.
  package let apiKey: Name
  private let signer: JWTSigner
  package let audience: Name
  private let tokenLife: Duration
  private let sessionLife: Duration

  /// - Parameters:
  ///   - apiKey: The id of the API key.
  ///   - jwk: Its private key. A secret.
  ///   - settings: The environment and the lives of tokens.
  package init(apiKey: Name, jwk: [UInt8], settings: StreemSettings) throws(KeyError) {
    guard let key = try KeyMaterial.jwks(jwk).first else { throw .notPrivate }
    self.init(apiKey: apiKey, signer: try Self.signer(key), settings: settings)
  }

  /// Who signs with that key, for whichever id.
  static func signer(_ key: KeyMaterial) throws(KeyError) -> JWTSigner {
    try JWTSigner(key, algorithm: .es256, type: nil)
  }

  init(apiKey: Name, signer: JWTSigner, settings: StreemSettings) {
    self.apiKey = apiKey
    self.signer = signer
    audience = settings.audience
    tokenLife = settings.tokenLife
    sessionLife = settings.sessionLife
  }

  package func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    mint(user.name, issuedAt: issuedAt, expiresAt: expiresAt)
  }

  /// A token for the application's user `subject`, whose session ends at `expiresAt` (the usual time from now if nil). It may
  /// start one for the usual time, or until the session's end.
  package func mint(
    _ subject: Name, issuedAt: WallTime, expiresAt: WallTime? = nil, name: String? = nil, picture: String? = nil
  ) -> Credentials {
    let end = expiresAt ?? issuedAt + sessionLife
    return sign(
      StreemClaims(
        apiKey: apiKey, subject: subject, audience: audience, issuedAt: issuedAt,
        expiresAt: min(issuedAt + tokenLife, end), sessionExpiresAt: end, name: name, picture: picture))
  }

  /// The token with these claims, whatever they say.
  package func sign(_ claims: StreemClaims) -> Credentials {
    Credentials(token: signer.sign(claims.json))
  }
}

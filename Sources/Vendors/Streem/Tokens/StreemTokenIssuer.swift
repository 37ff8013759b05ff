internal import GatewayCore
internal import GatewayTokens

/// An issuer of Streem Tokens with one API key.
///
/// The expiry that a `TokenIssuer` gets is the session's; the time in which the token may start a session is a setting.
/// `iat` has a fraction, so that two tokens of a user in one second differ: there is no `jti`.
struct StreemTokenIssuer: TokenIssuer {
  private let key: StreemSigningKey
  /// The id of the API key that it signs with.
  var apiKey: Name { key.current.apiKey }
  let audience: Name
  private let tokenLife: Duration
  private let sessionLife: Duration

  /// Creates an issuer.
  ///
  /// - Parameters:
  ///   - apiKey: The id of the API key.
  ///   - jwk: Its private key. A secret.
  ///   - settings: The environment and the lives of tokens.
  init(apiKey: Name, jwk: [UInt8], settings: StreemSettings) throws(KeyError) {
    guard let key = try KeyMaterial.jwks(jwk).first else { throw .notPrivate }
    self.init(apiKey: apiKey, signer: try Self.signer(key), settings: settings)
  }

  /// Returns a signer with that key, for any id.
  static func signer(_ key: KeyMaterial) throws(KeyError) -> JWTSigner {
    try JWTSigner(key, algorithm: .es256, type: nil)
  }

  init(apiKey: Name, signer: JWTSigner, settings: StreemSettings) {
    key = StreemSigningKey(apiKey, signer)
    audience = settings.audience
    tokenLife = settings.tokenLife
    sessionLife = settings.sessionLife
  }

  func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    mint(user.name, issuedAt: issuedAt, expiresAt: expiresAt)
  }

  /// Issues a token for the application's user `subject`, whose session ends at `expiresAt` (after the default time if
  /// nil). The token may start a session for the default time, or until the session's end.
  func mint(
    _ subject: Name, issuedAt: WallTime, expiresAt: WallTime? = nil, name: String? = nil, picture: String? = nil
  ) -> Credentials {
    let end = expiresAt ?? issuedAt + sessionLife
    let (apiKey, signer) = key.current
    return sign(
      with: signer,
      StreemClaims(
        apiKey: apiKey, subject: subject, audience: audience, issuedAt: issuedAt,
        expiresAt: min(issuedAt + tokenLife, end), sessionExpiresAt: end, name: name, picture: picture))
  }

  /// Signs a token with these claims, without checking them.
  func sign(_ claims: StreemClaims) -> Credentials {
    sign(with: key.current.signer, claims)
  }

  private func sign(with signer: JWTSigner, _ claims: StreemClaims) -> Credentials {
    Credentials(token: signer.sign(claims.json))
  }

  /// Signs with that key from here on, in all copies of the issuer. Returns false if the JWK is no private key.
  func take(apiKey: Name, jwk: [UInt8]) -> Bool {
    guard let material = try? KeyMaterial.jwks(jwk).first, let signer = try? Self.signer(material) else { return false }
    key.replace(with: apiKey, signer)
    return true
  }
}

internal import GatewayCore
internal import GatewayTokens

/// Signs ID tokens, and reads those that come back as hints.
struct OpenIDKey {
  /// How the vendor's applications learn of the user's company.
  static let companyClaim = "custom:streem_company_code"

  private let signer: JWTSigner
  private let verifier: JWTVerifier
  /// The public half as a JWK set (RFC 7517 section 5).
  let keySet: [UInt8]

  init() throws(KeyError) {
    let pair = P256KeyPair.generate()
    guard var material = try KeyMaterial.jwks(pair.jwk).first else { throw .notPrivate }
    material.id = pair.publicKey.thumbprint
    signer = try JWTSigner(material, algorithm: .es256)
    verifier = JWTVerifier(keys: try pair.publicKey.keySet)
    keySet = JSONWriter.object(capacity: 512) { json in
      json.name("keys")
      json.beginArray()
      json.raw(String(decoding: pair.publicKey.namedJWK, as: UTF8.self))
      json.endArray()
    }
  }

  /// The ID token of a grant (OpenID Connect Core section 2). Its `iat` is now, also after a refresh: clients check it
  /// against their clocks.
  func idToken(_ tokens: OpenIDTokens, _ profile: OpenIDProfile, at now: WallTime) -> String {
    let grant = tokens.grant
    let claims = JSONWriter.object(capacity: 512) { json in
      json.member("iss", grant.issuer)
      json.member("sub", grant.user)
      json.member("aud", grant.client)
      json.member("exp", Int64(tokens.expiresAt.seconds))
      json.member("iat", Int64(now.seconds))
      json.member("auth_time", Int64(grant.authenticatedAt.seconds))
      json.member("sid", grant.sid)
      if let nonce = grant.nonce { json.member("nonce", nonce) }
      profile.write(to: &json, grant)
    }
    return signer.sign(claims)
  }

  /// What an ID token that comes back says.
  struct Hint {
    let client: String
    let sid: String
  }

  /// Nil for what this key has not signed for the issuer; one that has expired is as good as another (OpenID Connect
  /// RP-Initiated Logout section 2).
  func hint(_ token: String, company: String, at now: WallTime) -> Hint? {
    guard let payload = try? verifier.verifySignature(token, at: now),
      let claims = try? JSONDocument.parse(payload).root, claims[member: Self.companyClaim]?.string == company,
      let client = claims["aud"]?.string, let sid = claims["sid"]?.string
    else { return nil }
    return Hint(client: client, sid: sid)
  }
}

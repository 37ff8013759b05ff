internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens
internal import Synchronization

/// The keys of the OpenID provider: they sign ID tokens with RS256 or ES256, and verify the tokens that clients send
/// back as hints.
///
/// They are created on first use and kept in the store, so that every process of the store has the same. Generating an RSA
/// key takes a tenth of a second, and most gateways never need one.
final class OpenIDKey: Sendable {
  /// The claim with the user's company, which the vendor's applications read.
  static let companyClaim = "custom:streem_company_code"

  /// The key that the store keeps if it has none: one for the process, in which tests run many gateways.
  private static let rsa = RSAKeyPair.generate()

  struct Keys: Sendable {
    let rs256: JWTSigner
    let es256: JWTSigner
    let verifier: JWTVerifier
    /// The public keys as a JWK set (RFC 7517 section 5).
    let keySet: [UInt8]

    /// - Parameters:
    ///   - rsa: The private RSA key as PEM text. A secret.
    ///   - p256: The private P-256 key as a JWK. A secret.
    init(rsa: String, p256: String) throws(KeyError) {
      let rsa = try RSAKeyPair(pem: Array(rsa.utf8))
      let publicKey = try P256PublicKey(jwk: Array(p256.utf8))
      guard var material = try KeyMaterial.jwks(Array(p256.utf8)).first else { throw .notPrivate }
      material.id = publicKey.thumbprint
      rs256 = try JWTSigner(rsa.material, algorithm: .rs256)
      es256 = try JWTSigner(material, algorithm: .es256)
      verifier = JWTVerifier(keys: try KeySet([VerificationKey(rsa.material), VerificationKey(material)]))
      keySet = JSONWriter.object(capacity: 1024) { json in
        json.name("keys")
        json.beginArray()
        for key in [rsa.namedJWK, publicKey.namedJWK] { json.raw(String(decoding: key, as: UTF8.self)) }
        json.endArray()
      }
    }
  }

  private let store: any Store
  private let known = Mutex<Keys?>(nil)

  init(_ store: any Store) {
    self.store = store
  }

  /// Returns the keys of the store, which it makes the first time.
  func keys(at now: WallTime) async throws(GatewayError) -> Keys {
    if let known = known.withLock({ $0 }) { return known }
    let rsa = try await StoredSecret.text("streem.oidc.rsa", in: store, at: now) {
      String(decoding: Self.rsa.pem, as: UTF8.self)
    }
    let p256 = try await StoredSecret.text("streem.oidc.p256", in: store, at: now) {
      String(decoding: P256KeyPair.generate().jwk, as: UTF8.self)
    }
    guard let keys = try? Keys(rsa: rsa, p256: p256) else { throw StoredSecret.damage("streem.oidc") }
    known.withLock { $0 = keys }
    return keys
  }
}

extension OpenIDKey.Keys {
  /// Returns the ID token of a grant (OpenID Connect Core section 2). Its `iat` is now, also after a refresh, since
  /// clients compare it with their clocks.
  func idToken(
    _ tokens: OpenIDTokens, _ profile: OpenIDProfile, by signing: OpenIDClient.Signing, at now: WallTime
  ) -> String {
    let grant = tokens.grant
    let claims = JSONWriter.object(capacity: 512) { json in
      json.member("iss", grant.issuer)
      json.member("sub", grant.user.text)
      json.member("aud", grant.client.text)
      json.member("exp", wholeSecondsOf: tokens.expiresAt)
      json.member("iat", wholeSecondsOf: now)
      json.member("auth_time", wholeSecondsOf: grant.authenticatedAt)
      json.member("sid", grant.sid.text)
      if let nonce = grant.nonce { json.member("nonce", nonce) }
      profile.write(to: &json, grant)
    }
    switch signing {
    case .rs256: return rs256.sign(claims)
    case .es256: return es256.sign(claims)
    }
  }

  /// The content of an ID token that a client sends back.
  struct Hint {
    let client: Name
    let sid: Name
  }

  /// Returns the content of an ID token; nil if these keys did not sign it for the issuer. An expired token is accepted
  /// (OpenID Connect RP-Initiated Logout section 2).
  func hint(_ token: String, company: Name, at now: WallTime) -> Hint? {
    guard let payload = try? verifier.verifySignature(token, at: now),
      let claims = try? JSONDocument.parse(payload).root,
      claims[member: OpenIDKey.companyClaim]?.string.map({ Name($0) }) == company,
      let client = claims["aud"]?.string, let sid = claims["sid"]?.string
    else { return nil }
    return Hint(client: Name(client), sid: Name(sid))
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, wholeSecondsOf time: WallTime) {
    member(name, time.nanoseconds / 1_000_000_000)
  }
}

internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens
internal import Synchronization

/// The keys of the OpenID provider: they sign ID tokens with RS256 or ES256, and verify the tokens that clients send
/// back as hints.
///
/// They are created on first use. Generating an RSA key takes a tenth of a second, and most gateways never need one.
final class OpenIDKey: Sendable {
  /// The claim with the user's company, which the vendor's applications read.
  static let companyClaim = "custom:streem_company_code"

  /// One key for the process, in which tests run many gateways.
  private static let rsa = RSAKeyPair.generate()

  private struct Keys {
    let rs256: JWTSigner
    let es256: JWTSigner
    let verifier: JWTVerifier
    let keySet: [UInt8]

    init() throws(KeyError) {
      let pair = P256KeyPair.generate()
      guard var material = try KeyMaterial.jwks(pair.jwk).first else { throw .notPrivate }
      material.id = pair.publicKey.thumbprint
      rs256 = try JWTSigner(rsa.material, algorithm: .rs256)
      es256 = try JWTSigner(material, algorithm: .es256)
      verifier = JWTVerifier(keys: try KeySet([VerificationKey(rsa.material), VerificationKey(material)]))
      keySet = JSONWriter.object(capacity: 1024) { json in
        json.name("keys")
        json.beginArray()
        for key in [rsa.namedJWK, pair.publicKey.namedJWK] { json.raw(String(decoding: key, as: UTF8.self)) }
        json.endArray()
      }
    }
  }

  private let made = Mutex<Keys?>(nil)

  private var keys: Keys {
    made.withLock { made in
      if let made { return made }
      guard let keys = try? Keys() else { preconditionFailure("a new key signs") }
      made = keys
      return keys
    }
  }

  /// The public keys as a JWK set (RFC 7517 section 5).
  var keySet: [UInt8] { keys.keySet }

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
    case .rs256: return keys.rs256.sign(claims)
    case .es256: return keys.es256.sign(claims)
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
    guard let payload = try? keys.verifier.verifySignature(token, at: now),
      let claims = try? JSONDocument.parse(payload).root,
      claims[member: Self.companyClaim]?.string.map({ Name($0) }) == company,
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

import GatewayCore
import GatewayTokens
import Testing

struct KeyTests {
  private static let claims = Array(#"{"user_id":"ann"}"#.utf8)

  @Test(arguments: [
    ("rsa2048", JWTAlgorithm.rs256), ("rsa2048.pub", .rs256), ("rsa2048.crt", .rs256), ("rsa2048.pkcs1", .rs256),
    ("rsa2048", .ps512), ("rsa2048.crt", .ps256), ("p256", .es256), ("p256.pub", .es256), ("p256.sec1", .es256),
    ("p384.pub", .es384), ("ed25519", .eddsa), ("ed25519.pub", .eddsa),
  ])
  func `private keys, public keys and certificates all verify`(name: String, algorithm: JWTAlgorithm) throws {
    let token = try Fixture.signer(algorithm).sign(Self.claims)
    #expect(throws: Never.self) { try Fixture.verifier(try Fixture.key(name)).verify(token, at: .verification) }
  }

  @Test
  func `a signature by another key of the same kind is refused`() throws {
    let token = try Fixture.signer(.rs256).sign(Self.claims)
    let verifier = try Fixture.verifier(try Fixture.key("other-rsa2048.pub"))
    #expect(throws: TokenError.signature) { try verifier.verify(token, at: .verification) }
  }

  @Test(arguments: [
    ("weak-rsa1024", KeyError.modulusSize(bits: 1024)), ("weak-rsa1024.pub", .modulusSize(bits: 1024)),
    ("unsupported-p521", .unsupported("the curve secp521r1")),
    ("unsupported-secp256k1.pub", .unsupported("the curve secp256k1")),
    ("rsa2048.encrypted", .notPEM),
  ])
  func `weak, unsupported, encrypted and broken keys are refused, each for its reason`(name: String, error: KeyError) {
    #expect(throws: error) { try Fixture.key(name) }
  }

  @Test
  func `a key file that is no PEM is refused`() {
    #expect(throws: KeyError.notPEM) { try KeyMaterial.pem([]) }
    #expect(throws: KeyError.notPEM) { try KeyMaterial.pem(Array("-----BEGIN PUBLIC KEY-----\nAAAA\n".utf8)) }
  }

  @Test
  func `a secret shorter than the hash's output is refused unless that is allowed`() throws {
    let short = try KeyMaterial.secret(Array("too short".utf8))
    #expect(throws: KeyError.secretTooShort(bytes: 9, algorithm: .hs256)) { try VerificationKey(short) }
    #expect(throws: KeyError.secretTooShort(bytes: 9, algorithm: .hs256)) { try JWTSigner(short) }
    let verifier = JWTVerifier(keys: try KeySet([try VerificationKey(short, allowingShortSecret: true)]))
    let token = try JWTSigner(short, allowingShortSecret: true).sign(Self.claims)
    #expect(throws: Never.self) { try verifier.verify(token, at: .verification) }
  }

  @Test
  func `a key is used with the algorithms it is bound to and no others`() throws {
    let verifier = try Fixture.verifier(try Fixture.key("rsa2048.pub", algorithms: [.ps256]))
    let good = try Fixture.signer(.ps256).sign(Self.claims)
    #expect(throws: Never.self) { try verifier.verify(good, at: .verification) }
    let other = try Fixture.signer(.rs256).sign(Self.claims)
    #expect(throws: TokenError.algorithmNotForKey) { try verifier.verify(other, at: .verification) }
  }

  @Test(arguments: ["jwks.public.json", "jwks.private.json"])
  func `a JWK set holds all kinds of keys, found by kid, public and private`(file: String) throws {
    let verifier = JWTVerifier(keys: try KeySet(jwks: try Fixture.bytes("keys/\(file)")))
    #expect(verifier.keys.keys.map(\.id) == ["rsa2048", "p256", "p384", "ed25519"])
    for algorithm in [JWTAlgorithm.rs512, .ps384, .es256, .es384, .eddsa] {
      let name = Fixture.keyName(algorithm)
      for id in [name, nil] {
        let token = try Fixture.signer(algorithm, id: id).sign(Self.claims)
        #expect(throws: Never.self) { try verifier.verify(token, at: .verification) }
      }
    }
    let misnamed = try Fixture.signer(.es256, id: "p384").sign(Self.claims)
    #expect(throws: TokenError.algorithmNotForKey) { try verifier.verify(misnamed, at: .verification) }
    let unknown = try Fixture.signer(.es256, id: "p512").sign(Self.claims)
    #expect(throws: TokenError.keyUnknown) { try verifier.verify(unknown, at: .verification) }
  }

  @Test
  func `a private JWK signs`() throws {
    let materials = try KeyMaterial.jwks(try Fixture.bytes("keys/jwks.private.json"))
    let verifier = JWTVerifier(keys: try KeySet(jwks: try Fixture.bytes("keys/jwks.public.json")))
    for material in materials {
      let token = try JWTSigner(material).sign(Self.claims)
      #expect(throws: Never.self) { try verifier.verify(token, at: .verification) }
    }
    for material in try KeyMaterial.jwks(try Fixture.bytes("keys/jwks.public.json")) {
      #expect(throws: KeyError.notPrivate) { try JWTSigner(material) }
    }
  }

  private static let secret = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA"

  @Test(arguments: [
    #"{"kty":"oct","k":"\#(secret)","use":"enc"}"#, #"{"kty":"oct","k":"\#(secret)","alg":"A256GCM"}"#,
    #"{"kty":"oct","k":"\#(secret)","alg":"none"}"#, #"{"kty":"oct","k":"\#(secret)","key_ops":["sign"]}"#,
    #"{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}"#, #"{"kty":"OKP","crv":"X25519","x":"AA"}"#, #"{"kty":"AKP"}"#,
  ])
  func `keys of a set that are for something else are left out`(jwk: String) throws {
    let good = #"{"kty":"oct","kid":"good","k":"\#(Self.secret)"}"#
    let keys = try KeySet(jwks: Array(#"{"keys":[\#(jwk),\#(good)]}"#.utf8))
    #expect(keys.keys.map(\.id) == ["good"] && keys.ignored.count == 1)
    #expect(throws: KeyError.self) { try KeySet(jwks: Array(#"{"keys":[\#(jwk)]}"#.utf8)) }
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[1]}"#, #"{"keys":[{}]}"#, #"{"keys":[{"kty":1}]}"#,
    #"{"kty":"oct"}"#, #"{"kty":"oct","k":"a+b="}"#, #"{"kty":"oct","k":"c2hvcnQ"}"#,
    #"{"kty":"oct","k":"\#(secret)","alg":"HS512"}"#, #"{"kty":"oct","k":"\#(secret)","alg":"RS256"}"#,
    #"{"kty":"oct","k":"\#(secret)","kid":7}"#, #"{"kty":"oct","k":"\#(secret)","key_ops":"verify"}"#,
    #"{"kty":"oct","k":"\#(secret)","exp":"soon"}"#, #"{"kty":"oct","k":"\#(secret)","kty":"oct"}"#,
    #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, #"{"kty":"RSA","e":"AQAB"}"#,
    #"{"kty":"EC","crv":"P-256","x":"\#(secret)","y":"\#(secret)"}"#,
    #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}"#,
    #"{"kty":"OKP","crv":"Ed25519","x":"AQ"}"#, #"{"kty":"OKP","crv":"Ed25519","x":"\#(secret)","d":"\#(secret)"}"#,
  ])
  func `a malformed or weak key fails its whole set`(jwk: String) {
    #expect(throws: KeyError.self) { try KeySet(jwks: Array(jwk.utf8)) }
  }

  @Test
  func `the text of a key inside an oct JWK is refused too`() throws {
    let text = Base64URL.encode(try Fixture.bytes("keys/rsa2048.pub.pem"))
    #expect(throws: KeyError.secretIsKeyFile) { try KeySet(jwks: Array(#"{"kty":"oct","k":"\#(text)"}"#.utf8)) }
  }

  @Test
  func `a JWK set is neither empty nor endless`() throws {
    #expect(throws: KeyError.self) { try KeySet([]) }
    let key = try VerificationKey(try Fixture.key("hmac-32"))
    #expect(throws: KeyError.tooManyKeys(limit: 100)) { try KeySet(Array(repeating: key, count: 101)) }
  }
}

import GatewayCore
import GatewayJSON
import GatewayTokens
import Testing

struct RFCVectorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let source: String
    let algorithm: String
    let key: String
    let token: String
    var testDescription: String { "\(source) (\(algorithm))" }
  }

  static let all: [Vector] = {
    let entries = try! Fixture.json("rfc-vectors.json").elements!
    return entries.map {
      Vector(
        source: $0["source"]!.string!, algorithm: $0["alg"]!.string!, key: $0["jwk"]!.text, token: $0["token"]!.string!)
    }
  }()

  static let offered = all.filter { JWTAlgorithm(name: $0.algorithm) != nil }

  @Test(arguments: offered)
  func `the signatures of RFC 7515, 7520 and 8037 verify, and fail with one changed bit`(vector: Vector) throws {
    let verifier = JWTVerifier(keys: try KeySet(jwks: Array(vector.key.utf8)))
    let payload = try verifier.verifySignature(vector.token, at: .verification)
    #expect(Base64URL.encode(payload) == vector.token.split(separator: ".")[1])

    let segments = vector.token.split(separator: ".").map(String.init)
    var signature = try #require(Base64URL.decode(segments[2]))
    signature[signature.count / 2] ^= 1
    let forged = "\(segments[0]).\(segments[1]).\(Base64URL.encode(signature))"
    #expect(throws: TokenError.signature) { try verifier.verifySignature(forged, at: .verification) }
  }

  @Test
  func `the token of RFC 7515 appendix A.1 is valid before its exp, and not at it`() throws {
    let vector = Self.all[0]
    var policy = TokenPolicy()
    policy.leeway = .zero
    let verifier = JWTVerifier(keys: try KeySet(jwks: Array(vector.key.utf8)), policy: policy)
    let end = WallTime(seconds: 1_300_819_380)
    let claims = try verifier.verify(vector.token, at: end - .nanoseconds(1))
    #expect(claims["iss"]?.string == "joe" && claims.expiresAt == end)
    #expect(claims.payload[member: "http://example.com/is_root"]?.bool == true)
    #expect(throws: TokenError.expired) { try verifier.verify(vector.token, at: end) }
  }

  @Test(
    arguments: all.filter { $0.algorithm == "ES512" }
  )
  func `ES512 is not offered: neither its key nor its token is accepted`(vector: Vector) throws {
    #expect(throws: KeyError.noUsableKey(["key 0: its curve is not offered"])) {
      try KeySet(jwks: Array(vector.key.utf8))
    }
    let verifier = try Fixture.verifier(try Fixture.key("p256.pub"))
    #expect(throws: TokenError.algorithmUnknown) { try verifier.verify(vector.token, at: .verification) }
  }

  @Test
  func `the unsecured token of RFC 7515 appendix A.5 is refused by its algorithm`() throws {
    let vector = try #require(Self.all.first { $0.algorithm == "none" })
    let verifier = JWTVerifier(keys: try KeySet(jwks: Array(vector.key.utf8)))
    #expect(vector.token.hasSuffix("."))
    #expect(throws: TokenError.unsigned) { try verifier.verify(vector.token, at: .verification) }
  }

  @Test(arguments: offered.filter { ["HS256", "RS256", "EdDSA"].contains($0.algorithm) })
  func `the deterministic signatures of the RFCs are made again, byte for byte`(vector: Vector) throws {
    let segments = vector.token.split(separator: ".").map(String.init)
    let algorithm = try #require(JWTAlgorithm(name: vector.algorithm))
    let keys = try KeyMaterial.jwks(Array(vector.key.utf8))
    let signer = try JWTSigner(keys[0], algorithm: algorithm)
    #expect(Base64URL.encode(signer.signature(of: Array("\(segments[0]).\(segments[1])".utf8))) == segments[2])
  }
}

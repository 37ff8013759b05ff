import GatewayCore
import GatewayJSON
import GatewayTokens
import Testing

@testable import GatewaySinch

struct SinchVectorTests {
  @Test(arguments: SinchVector.all)
  func `published secrets derive to the published keys, in every spelling`(vector: SinchVector) throws {
    var secrets = [vector.text("applicationSecret")]
    if vector.hasURLSecret { secrets.append(vector.text("applicationSecretBase64Url")) }
    secrets += secrets.map { $0.filter { $0 != "=" } }
    for text in secrets {
      let key = SinchSigningKey.derive(try #require(SinchSecret(text)), date: vector.date)
      #expect(key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == vector.text("derivedKeyHex"))
      #expect(Base64.encode(key) == vector.text("derivedKeyBase64"))
    }
  }

  @Test(arguments: SinchVector.all)
  func `published tokens are signed to the published bytes`(vector: SinchVector) {
    let input =
      Base64URL.encode(Array(vector.text("headerJson").utf8)) + "."
      + Base64URL.encode(Array(vector.text("claimsJson").utf8))
    #expect(input == vector.text("signingInput"))
    let code = HMACSHA256.code(key: SinchSigningKey.derive(vector.secret, date: vector.date), input.utf8)
    #expect(input + "." + Base64URL.encode(code) == vector.text("jwt"))
  }

  @Test(arguments: SinchVector.all)
  func `published tokens are accepted, and have the published claims`(vector: SinchVector) throws {
    let verifier = SinchTokenVerifier(applications: vector.applications)
    let token = try verifier.verify(
      vector.text("jwt"), user: UserID(vector.text("userId")), application: Name(vector.text("applicationKey")),
      at: vector.verifyAt)
    #expect(token.user == UserID(vector.text("userId")))
    #expect(token.kind == .regular)
    #expect(token.nonce.text == vector.claims["nonce"]?.string)
    #expect(token.issuedAt == WallTime(seconds: Double(vector.claims["iat"]!.integer!)))
    #expect(token.expiresAt - token.issuedAt == .seconds(vector.number("tokenTtlSec")))
    #expect(token.instanceEndsAt == vector.instanceEnd.map { WallTime(seconds: Double($0)) })
  }

  @Test
  func `published tokens are accepted in the published other encodings too, one of which is limited`() throws {
    let vector = SinchVector.all[0]
    let verifier = SinchTokenVerifier(applications: vector.applications)
    let ends = try vector.equivalent.map { try verifier.verify($0, at: vector.verifyAt).instanceEndsAt }
    #expect(ends == [nil, WallTime(seconds: 1_514_862_245 + 180 * 86_400)])
  }

  @Test(arguments: SinchVector.all)
  func `published tokens are refused if one bit of any segment or of the secret differs`(vector: SinchVector) {
    let verifier = SinchTokenVerifier(applications: vector.applications)
    let text = Array(vector.text("jwt").utf8)
    for index in text.indices where text[index] != UInt8(ascii: ".") {
      var other = text
      other[index] = other[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(throws: SinchRefusal.self) {
        try verifier.verify(String(decoding: other, as: UTF8.self), at: vector.verifyAt)
      }
    }
    var secret = vector.secret.bytes
    secret[0] ^= 1
    let others = SinchApplications([
      SinchApplication(key: Name(vector.text("applicationKey")), secrets: [SinchSecret(bytes: secret)])
    ])
    #expect(throws: SinchRefusal.badSignature) {
      try SinchTokenVerifier(applications: others).verify(vector.text("jwt"), at: vector.verifyAt)
    }
  }
}

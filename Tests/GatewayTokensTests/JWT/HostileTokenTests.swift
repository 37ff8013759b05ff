import GatewayCore
import GatewayJSON
import TestSupport
import Testing

@testable import GatewayTokens

struct HostileTokenTests {
  private static let now = WallTime(seconds: 1_800_000_000)

  @Test
  func `a hostile token traps neither verifier nor reader, even if it is signed well`() throws {
    let verifier = try Fixture.verifier(Fixture.key(Fixture.keyName(.hs256)))
    let signer = try Fixture.signer(.hs256)
    var headers = HostileBytes(
      seed: 12, examples: [#"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"HS256","kid":"1","crit":["b64"]}"#],
      words: ["\"none\"", "\"RS256\"", "\"b64\""])
    var payloads = HostileBytes(
      seed: 13,
      examples: [
        #"{"user_id":"ann","exp":1800000060,"iat":1799999990,"nbf":1799999990,"aud":["a","b"],"iss":"x","jti":"1"}"#,
        #"{"exp":1.8e9,"iat":-1.5,"sub":"ann"}"#,
      ], words: ["\"exp\"", "\"iat\"", "1800000060000"])
    var texts = HostileBytes(seed: 14, examples: ["a.b.c", "e30.e30.e30"], words: ["."])
    var accepted = 0
    for _ in 0..<4_000 {
      let header = headers.below(3) == 0 ? headers.next() : Array(#"{"alg":"HS256"}"#.utf8)
      let input = "\(Base64URL.encode(header)).\(Base64URL.encode(payloads.next()))"
      let token = "\(input).\(Base64URL.encode(signer.signature(of: Array(input.utf8))))"
      for text in [token, texts.text()] {
        if let claims = try? verifier.verify(text, at: Self.now) {
          accepted += 1
          if let end = claims.expiresAt { #expect(end > Self.now - .seconds(3_600)) }
        }
        _ = try? UnverifiedToken(text)
      }
    }
    #expect(accepted > 100)
  }

  @Test
  func `hostile keys trap no reader of keys`() {
    var source = HostileBytes(
      seed: 15,
      examples: [
        #"{"keys":[{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow","alg":"HS256","kid":"1"}]}"#,
        #"{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#,
        #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB","use":"sig"}]}"#,
      ], words: ["\"kty\"", "\"e\"", "\"AA\""])
    for _ in 0..<1_500 { _ = try? KeySet(jwks: source.next()) }
  }
}

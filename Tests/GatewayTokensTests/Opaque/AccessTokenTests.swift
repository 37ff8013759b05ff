import GatewayCore
import GatewayTokens
import Testing

struct AccessTokenTests {
  @Test
  func `an opaque access token is 256 random bits behind a prefix, and no two are the same`() {
    let chance = Secrets(seed: 1)
    let minted = (0..<100).map { _ in AccessToken.mint(from: chance) }
    #expect(Set(minted.map(\.token)).count == 100 && Set(minted.map(\.hash)).count == 100)
    for (token, hash) in minted {
      #expect(token.hasPrefix("pat_") && token.utf8.count == 47)
      #expect(AccessToken.isOne(token) && AccessToken.hash(of: token) == hash)
      #expect(hash == SHA256.digest(token.utf8) && hash.count == 32)
    }
  }

  @Test(arguments: [
    "", "pat_", "pat_short", "pat_" + String(repeating: "!", count: 43), "Pat_" + String(repeating: "A", count: 43),
    "pat_" + String(repeating: "A", count: 44), "pat_" + String(repeating: "A", count: 42) + "B",
  ])
  func `a text without the form of an opaque token has no hash to look up`(token: String) {
    #expect(AccessToken.hash(of: token) == nil)
  }

  @Test
  func `SHA-256 is that of FIPS 180-4`() {
    let hex = SHA256.digest("abc".utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(TokenFingerprint(of: "abc").description == hex.prefix(32))
  }

  @Test
  func `a second signature of the same ECDSA token has the same fingerprint, and other claims have another`() throws {
    let signer = try Fixture.signer(.es256)
    let claims = Array(#"{"user_id":"ann"}"#.utf8)
    let first = signer.sign(claims)
    let second = signer.sign(claims)
    #expect(first != second && TokenFingerprint(of: first) == TokenFingerprint(of: second))
    #expect(TokenFingerprint(of: first) != TokenFingerprint(of: signer.sign(Array(#"{"user_id":"bob"}"#.utf8))))
  }
}

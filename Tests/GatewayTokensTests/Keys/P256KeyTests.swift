import GatewayCore
import GatewayTokens
import Testing

struct P256KeyTests {
  @Test(arguments: [
    // The key of a vendor's own tests, with the kid from its builders for Node and Go.
    (
      "cuLb-he856AQ3cM9oqVpOEbVpH6Xbl_-zfgPLAOteH8", "pC_4xKUaEoCpu_Jt2KU5v7f4uUvxfYg4780sVbJjwgM",
      "eLxYqIFMW-PXVK78NQBKjU5N54YLHIsOYw4MOq56v6o"
    ),
    // RFC 9449 sections 4.1 and 6.1.
    (
      "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
      "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    ),
  ])
  func `a P-256 key has the thumbprint that others compute`(x: String, y: String, thumbprint: String) throws {
    let jwk = #"{"y":"\#(y)","use":"sig","x":"\#(x)","crv":"P-256","kty":"EC","kid":"no matter"}"#
    #expect(try P256PublicKey(jwk: Array(jwk.utf8)).thumbprint == thumbprint)
  }

  @Test
  func `a P-256 key is new each time, signs, and is verified by its public half`() throws {
    let (one, two) = (P256KeyPair.generate(), P256KeyPair.generate())
    #expect(one.publicKey != two.publicKey)
    let signer = try JWTSigner(try #require(try KeyMaterial.jwks(one.jwk).first), algorithm: .es256, type: nil)
    let token = signer.sign(Array("{}".utf8))
    let now = WallTime(seconds: 1)
    #expect(throws: Never.self) {
      try JWTVerifier(keys: try one.publicKey.keySet).verifySignature(token, at: now)
    }
    #expect(throws: TokenError.signature) {
      try JWTVerifier(keys: try two.publicKey.keySet).verifySignature(token, at: now)
    }
    #expect(try P256PublicKey(jwk: one.jwk) == one.publicKey)
    let given = String(decoding: one.publicKey.jwk, as: UTF8.self)
    #expect(!given.contains(#""d""#) && !given.contains(#""kid""#))
  }

  @Test(arguments: [
    #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
    #"{"kty":"EC","crv":"P-256","use":"enc","x":"nZDTsYVZJTklNpiS_RiV1vEFhFKUX-TzMYL_V8nIzRw","y":"EytKImJxKdBW-TzVf0a6hqLJIWDzpw_NpdLvawUM9PQ"}"#,
    #"{"kty":"EC","crv":"P-256","alg":"ES384","x":"nZDTsYVZJTklNpiS_RiV1vEFhFKUX-TzMYL_V8nIzRw","y":"EytKImJxKdBW-TzVf0a6hqLJIWDzpw_NpdLvawUM9PQ"}"#,
    #"{"kty":"EC","crv":"P-256","x":"nZDTsYVZJTklNpiS_RiV1vEFhFKUX-TzMYL_V8nIzRw","y":"nZDTsYVZJTklNpiS_RiV1vEFhFKUX-TzMYL_V8nIzRw"}"#,
    #"{"kty":"EC","crv":"P-256"}"#, "no JSON",
  ])
  func `a P-256 key is refused if it is of another kind, for another use, or off the curve`(jwk: String) {
    #expect(throws: KeyError.self) { try P256PublicKey(jwk: Array(jwk.utf8)) }
  }

  @Test(arguments: [
    ("+/+/8A", true), ("+/+/8A==", true), ("-_-_8A", true), ("-_-_8A==", true), ("+/+/8A=", false), ("+/+/8", false),
    ("+/+/8B", false), ("+/ +/8A", false), ("====", false),
  ])
  func `a P-256 secret is read in either base64 alphabet, padded or not`(text: String, isGood: Bool) {
    #expect((Base64.decode(text) == [0xFB, 0xFF, 0xBF, 0xF0]) == isGood)
    #expect(Base64.encodeUnpadded([0xFB, 0xFF, 0xBF, 0xF0]) == "+/+/8A")
  }
}

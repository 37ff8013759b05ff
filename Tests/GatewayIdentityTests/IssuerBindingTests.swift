import GatewayCore
import GatewayRuntime
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayIdentity

/// A key vouches for its issuer only, with its own algorithms, and for access tokens only.
@Suite(.timeLimit(.minutes(2)))
struct IssuerBindingTests {
  @Test
  func `a token must be of the key's issuer, for the audience, and must end`() throws {
    let space = try IdentitySpace(VirtualIssuer())
    #expect(space.begin() == nil)
    let issuer = space.issuer
    #expect(space.outcome(try issuer.token("k1")) == 0)
    #expect(space.outcome(try issuer.token("k1", issuer: "https://other.example")) == 401_007)
    #expect(space.outcome(try issuer.token("k1", issuer: nil)) == 401_012)
    #expect(space.outcome(try issuer.token("k1", life: nil)) == 401_012)
    let logout = ",\"events\":{\"http://schemas.openid.net/event/backchannel-logout\":{}}"
    #expect(space.outcome(try issuer.token("k1", more: logout)) == 401_001)
    #expect(space.requestCount == 1, "none of these is about an unknown key")
  }

  @Test
  func `an own key and a fetched one with the same kid are two keys, each with its own requirements`() throws {
    let issuer = VirtualIssuer()
    let space = try IdentitySpace(issuer)
    #expect(space.begin() == nil)
    var own = try KeyMaterial.secret(Array(IdentitySpace.secret.utf8))
    own.id = "k1"
    let signer = try JWTSigner(own)
    let fetched = space.fetched
    let renewed = JWTVerifier(keys: try KeySet([try VerificationKey(own)]))
    fetched.verifier.takeKeys(of: renewed)
    // The gateway's own tokens need no issuer, and the issuer's need theirs, whatever keys were read anew.
    #expect(space.outcome(signer.sign(Array(#"{"user_id":"ann"}"#.utf8))) == 0)
    #expect(space.outcome(try issuer.token("k1")) == 0)
    #expect(space.outcome(try issuer.token("k1", issuer: "https://other.example")) == 401_007)
  }

  @Test
  func `none, a signature by the public key as a secret, and another algorithm are refused, each with its reason`()
    throws
  {
    let space = try IdentitySpace(VirtualIssuer())
    #expect(space.begin() == nil)
    let claims = "{\"user_id\":\"ann\",\"iss\":\"\(VirtualIssuer.name)\",\"aud\":\"realtime\",\"exp\":1890000000}"
    let unsigned =
      Base64URL.encode(Array("{\"alg\":\"none\",\"kid\":\"k1\"}".utf8)) + "." + Base64URL.encode(Array(claims.utf8))
      + "."
    #expect(space.outcome(unsigned) == 401_005)
    var material = try KeyMaterial.secret(space.issuer.keySet)
    material.id = "k1"
    #expect(space.outcome(try JWTSigner(material).sign(Array(claims.utf8))) == 401_005)
    #expect(space.requestCount == 1)
  }

  @Test
  func `sixteen keys of a set without names are tried, and no more`() throws {
    let issuer = VirtualIssuer((0..<20).map { "k\($0)" })
    let space = try IdentitySpace(issuer)
    issuer.answer = { [unowned issuer] _ in
      HTTPResponse(
        status: 200,
        body: VirtualIssuer.keySet((0..<20).map { VirtualIssuer.jwk(issuer.pairs["k\($0)"]!, nil) }))
    }
    #expect(space.begin() == nil)
    #expect(space.outcome(try issuer.token("k15", named: "any")) == 0)
    #expect(space.outcome(try issuer.token("k16", named: "any")) != 0)
  }

  @Test
  func `keys that cannot be used are left out and named in the log, and a set of none is a failure`() throws {
    let logs = LogKeeper()
    let issuer = VirtualIssuer()
    let space = try IdentitySpace(issuer, logs: logs)
    let bad = [
      #"{"kty":"oct","kid":"shared","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA"}"#,
      #"{"kty":"RSA","kid":"weak","n":"AQAB","e":"AQAB"}"#, #"{"kty":"EC","kid":"half","crv":"P-256","x":"AA"}"#,
      #"{"kty":"RSA","kid":"slow","n":"AQAB","e":"AQABAQABAQABAQABAQAB"}"#, "7", #"{"kid":"nothing"}"#,
      #"{"kty":"EC","kid":"enc","use":"enc","crv":"P-256"}"#,
    ]
    issuer.answer = { [unowned issuer] _ in
      HTTPResponse(status: 200, body: VirtualIssuer.keySet(bad + [VirtualIssuer.jwk(issuer.pairs["k1"]!, "k1")]))
    }
    #expect(try space.begin() == nil && space.outcome(issuer.token("k1")) == 0)
    let leftOut = logs.all("jwks_key_left_out").compactMap { $0["key"] }
    #expect(leftOut.count == bad.count, "\(leftOut)")
    for name in ["shared", "weak", "half", "slow", "enc"] { #expect(leftOut.contains { $0.contains("kid \(name)") }) }
    #expect(!"\(leftOut)".contains("c2VjcmV0"))
    issuer.answer = { _ in HTTPResponse(status: 200, body: VirtualIssuer.keySet(bad)) }
    space.advance(.seconds(700))
    #expect(space.outcome(try issuer.token("k1")) == 0 && logs.all("jwks_failed").count >= 1)
  }

  @Test
  func `a rotation every thirty seconds with an overlap refuses no good token`() throws {
    let space = try IdentitySpace(VirtualIssuer(["r0"]))
    #expect(space.begin() == nil)
    for number in 1...40 {
      // A key is published one rotation before it signs, and stays one rotation longer.
      space.issuer.add("r\(number)")
      space.issuer.published = Array(space.issuer.published.suffix(3))
      for _ in 0..<6 {
        space.advance(.seconds(5))
        #expect(space.outcome(try space.issuer.token("r\(number - 1)")) == 0, "rotation \(number)")
      }
    }
    #expect(space.requestCount <= 42, "\(space.requestCount)")
  }
}

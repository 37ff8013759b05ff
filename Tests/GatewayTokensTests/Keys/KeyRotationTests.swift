import GatewayCore
import GatewayTokens
import Testing

struct KeyRotationTests {
  private let end = WallTime.verification
  private let claims = Array(#"{"user_id":"ann"}"#.utf8)

  private func sign(_ key: String, id: String?) throws -> String {
    try JWTSigner(try Fixture.key(key, id: id)).sign(claims)
  }

  @Test(arguments: ["kid", nil])
  func `the previous key is accepted before its end date and not at it, and the next one stays`(named: String?) throws {
    let previous = try Fixture.key("hmac-32", id: named.map { _ in "2022" }, endsAt: end)
    let next = try Fixture.key("hmac-48", id: named.map { _ in "2023" })
    let verifier = try Fixture.verifier(previous, next)
    let old = try sign("hmac-32", id: previous.id)
    let new = try sign("hmac-48", id: next.id)
    #expect(throws: Never.self) { try verifier.verify(old, at: end - .nanoseconds(1)) }
    let error: TokenError = named == nil ? .signature : .keyEnded
    #expect(throws: error) { try verifier.verify(old, at: end) }
    #expect(throws: Never.self) { try verifier.verify(new, at: end) }
  }

  @Test
  func
    `a token without kid is verified with every key of its algorithm, and a token with kid only with keys of that name`()
    throws
  {
    let verifier = try Fixture.verifier(
      try Fixture.key("hmac-32", id: "a"), try Fixture.key("rsa2048.pub", id: "b"), try Fixture.key("hmac-48", id: "c"))
    #expect(throws: Never.self) { try verifier.verify(try sign("hmac-48", id: nil), at: end) }
    #expect(throws: Never.self) { try verifier.verify(try sign("hmac-48", id: "c"), at: end) }
    #expect(throws: TokenError.signature) { try verifier.verify(try sign("hmac-48", id: "a"), at: end) }
    #expect(throws: TokenError.algorithmNotForKey) { try verifier.verify(try sign("hmac-48", id: "b"), at: end) }
    #expect(throws: TokenError.keyUnknown) { try verifier.verify(try sign("hmac-48", id: "d"), at: end) }
  }

  @Test
  func `two keys with one name are both tried`() throws {
    let verifier = try Fixture.verifier(
      try Fixture.key("hmac-32", id: "a", endsAt: end), try Fixture.key("hmac-48", id: "a"))
    #expect(throws: Never.self) { try verifier.verify(try sign("hmac-48", id: "a"), at: end) }
    #expect(throws: Never.self) { try verifier.verify(try sign("hmac-32", id: "a"), at: end - .seconds(1)) }
  }

  @Test
  func `a JWK gives its end date as exp`() throws {
    let key = #"{"kty":"oct","k":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA","exp":1700000000}"#
    let verifier = JWTVerifier(keys: try KeySet(jwks: Array(key.utf8)))
    let token = try sign("hmac-32", id: nil)
    #expect(throws: Never.self) { try verifier.verify(token, at: end - .nanoseconds(1)) }
    #expect(throws: TokenError.keyEnded) { try verifier.verify(token, at: end) }
  }
}

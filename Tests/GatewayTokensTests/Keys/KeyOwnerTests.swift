import GatewayCore
import Testing

@testable import GatewayTokens

/// The names of users of several issuers.
@Suite
struct KeyOwnerTests {
  private func owner(prefix: String, among prefixes: [String]) -> KeyOwner {
    var policy = TokenPolicy()
    policy.issuer = "https://login.example"
    var users = UserNames()
    users.prefix = prefix
    return KeyOwner(policy, users: users, prefixes: Replaceable(UserPrefixes(prefixes)))
  }

  @Test
  func `an issuer's prefix stands in front of the names of its users`() throws {
    let owner = owner(prefix: "partner:", among: ["partner:"])
    #expect(try owner.user("ann", in: "sub") == UserID("partner:ann"))
    #expect(try owner.user("partner:ann", in: "sub") == UserID("partner:partner:ann"))
  }

  @Test
  func `a name that begins with another issuer's prefix is refused, whatever Unicode holds equal to it`() throws {
    let owner = owner(prefix: "", among: ["partner:", "caf\u{E9}:"])
    #expect(try owner.user("ann", in: "sub") == UserID("ann"))
    #expect(throws: TokenError.claimInvalid("sub", expected: "a name without the prefix of another issuer's users")) {
      try owner.user("partner:ann", in: "sub")
    }
    #expect(throws: TokenError.self) { try owner.user("caf\u{E9}:ann", in: "sub") }
    // Other bytes are another name, and prefixes are compared as names are.
    #expect(try owner.user("cafe\u{301}:ann", in: "sub") == UserID("cafe\u{301}:ann"))
  }

  @Test
  func `a name may be as long as leaves room for the prefix, and not empty`() throws {
    let owner = owner(prefix: "p:", among: ["p:"])
    let longest = String(repeating: "a", count: UserID.lengthMax - 2)
    #expect(try owner.user(longest, in: "sub").rawValue.utf8.count == UserID.lengthMax)
    #expect(throws: TokenError.self) { try owner.user(longest + "a", in: "sub") }
    #expect(throws: TokenError.self) { try owner.user("", in: "sub") }
  }

  @Test
  func `a set that is fetched replaces the keys of its own issuer only`() throws {
    let own = try VerificationKey(try KeyMaterial.secret(Array("the gateway's own secret, longer than that".utf8)))
    let verifier = JWTVerifier(keys: try KeySet([own]))
    let (one, other) = (owner(prefix: "", among: []), owner(prefix: "p:", among: ["p:"]))
    func key(of owner: KeyOwner) throws -> [VerificationKey] {
      var key = try VerificationKey(try KeyMaterial.secret(Array("a secret of more than thirty-two bytes".utf8)))
      key.owner = owner
      return [key]
    }
    func hasKeys(of owner: KeyOwner) -> Bool { verifier.keys.keys.contains { $0.owner === owner } }
    _ = verifier.takeFetched(try key(of: one), of: one)
    _ = verifier.takeFetched(try key(of: other), of: other)
    #expect(hasKeys(of: one) && hasKeys(of: other))
    _ = verifier.takeFetched([], of: one)
    #expect(!hasKeys(of: one) && hasKeys(of: other))
  }
}

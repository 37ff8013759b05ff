import GatewayCore
import GatewayJSON
import GatewayTokens
import Testing

@testable import GatewaySendbird

struct SendbirdSessionTokenTests {
  private let key = try! KeyMaterial.secret(Array("0123456789abcdef0123456789abcdef01234567".utf8))
  private let now = WallTime(seconds: 1_800_000_000)

  private var signer: JWTSigner { try! JWTSigner(key) }
  private var verifier: JWTVerifier { JWTVerifier(keys: try! KeySet([try! VerificationKey(key)])) }

  @Test(arguments: ["ann", "a", String(repeating: "x", count: 80)])
  func `a session token is a JWT of the vendor's form and length`(user: String) throws {
    for life in [Duration.seconds(1), .milliseconds(1), .seconds(604_800)] {
      let token = SendbirdSessionToken(user: UserID(user), issuedAt: now, expiresAt: now + life)
      let text = token.signed(by: signer).token
      #expect((119...168).contains(text.utf8.count), "\(text.utf8.count)")
      let payload = try JSONDocument.parse(try verifier.verifySignature(text, at: now)).root
      #expect(payload["v"]?.integer == 1 && payload["u"]?.integer == Int64(SendbirdSessionToken.number(of: token.user)))
      #expect(payload["e"]?.number == (now + life).seconds)
    }
  }

  @Test
  func `a session token is read back as it was written, to the millisecond, and is distinguished from an access token`()
    throws
  {
    let token = SendbirdSessionToken(
      user: UserID("ann"), issuedAt: now + .milliseconds(7), expiresAt: now + .milliseconds(1_500))
    let text = token.signed(by: signer).token
    #expect(try SendbirdSessionToken(text, verifier: verifier, at: now) == token)
    #expect(SendbirdSessionToken.isOne(text))
    #expect(!SendbirdSessionToken.isOne("a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"))
  }

  @Test(arguments: [
    #"{"e":1800000100,"u":1}"#, #"{"e":1800000100,"u":1,"v":2}"#, #"{"e":1800000100,"v":1}"#, #"{"u":1,"v":1}"#,
    #"{"e":"1800000100","u":1,"v":1}"#, #"{"e":1800000100,"u":"1","v":1}"#, #"{"e":1800000100,"u":-1,"v":1}"#,
    #"{"user_id":"ann"}"#, "[1]", "1",
  ])
  func `a session token is invalid without any of its members, or with one of the wrong kind`(claims: String) {
    #expect(throws: TokenError.self) {
      try SendbirdSessionToken(signer.sign(Array(claims.utf8)), verifier: verifier, at: now)
    }
  }

  @Test
  func `a session token of the vendor's three members alone is good, and void once any were revoked`() throws {
    let token = try SendbirdSessionToken(
      signer.sign(Array(#"{"e":1800000100,"u":1,"v":1}"#.utf8)), verifier: verifier, at: now)
    var user = SendbirdUser(UserID("ann"), createdAt: now)
    #expect(!SendbirdSessionToken.isVoid(issuedAt: token.issuedAt, for: user))
    user.sessionTokensValidFrom = now
    #expect(SendbirdSessionToken.isVoid(issuedAt: token.issuedAt, for: user))
  }

  @Test
  func `a session token issued before a revocation is void, and one issued after it is not, even in one millisecond`() {
    var user = SendbirdUser(UserID("ann"), createdAt: now)
    let moment = now + .microseconds(300)
    let before = SendbirdSessionToken(for: user, at: moment, until: now + .seconds(9))
    user.sessionTokensValidFrom = moment + .microseconds(100)
    let after = SendbirdSessionToken(for: user, at: moment + .microseconds(200), until: now + .seconds(9))
    #expect(SendbirdSessionToken.isVoid(issuedAt: before.issuedAt, for: user))
    #expect(!SendbirdSessionToken.isVoid(issuedAt: after.issuedAt, for: user))
  }
}

extension SendbirdSessionToken {
  /// The user whose number the tests know.
  fileprivate var user: UserID {
    ["ann", "a", String(repeating: "x", count: 80)].map { UserID($0) }.first { Self.number(of: $0) == userNumber }
      ?? UserID("?")
  }
}

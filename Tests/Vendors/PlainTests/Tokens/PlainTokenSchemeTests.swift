import GatewayCore
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayPlain

struct PlainTokenSchemeTests {
  private static let secret = try! KeyMaterial.secret((1...32).map { UInt8($0) })
  private static let signer = try! JWTSigner(secret)
  private static let verifier = JWTVerifier(keys: try! KeySet([try! VerificationKey(secret)]))
  private static let now = WallTime(seconds: 1_700_000_000)

  /// Returns the verdict on a JWT with these claims, which is always immediate.
  private func judge(_ claims: String) -> Verdict {
    let token = Self.signer.sign(Array(claims.utf8))
    let authenticator = PlainAuthenticator(
      verifier: Self.verifier, directory: PlainDirectory(FaultyStore(.away), generator: SeededGenerator(seed: 1)))
    guard case .decided(let verdict) = authenticator.judge(Credentials(token: token), at: Self.now) else {
      Issue.record("a JWT is judged at once")
      return .failure(.internalError)
    }
    return verdict
  }

  @Test
  func `a token of a regular user has everything that a token can say`() throws {
    let token = try judge(
      #"{"user_id":"ann","kind":"regular","iat":1699999000,"exp":1700003600.5,"jti":"t1","call_cids":["default:a"]}"#
    ).get()
    #expect(token.user == UserID("ann") && token.kind == .regular && token.id == "t1")
    #expect(token.issuedAt == WallTime(seconds: 1_699_999_000))
    #expect(token.expiresAt == WallTime(nanoseconds: 1_700_003_600_500_000_000))
    #expect(token.calls == [CallID(cid: "default:a")!])
  }

  @Test
  func `a token of the least content has sub for user_id, no dates and no calls`() throws {
    let token = try judge(#"{"sub":"bob"}"#).get()
    #expect(token.user == UserID("bob") && token.kind == .regular)
    #expect(token.issuedAt == nil && token.expiresAt == nil && token.calls == nil && token.id == nil)
  }

  @Test
  func `user_id is preferred to sub, and a guest's token says that it is one`() throws {
    let token = try judge(#"{"sub":"somebody","user_id":"guest-1","kind":"guest"}"#).get()
    #expect(token.user == UserID("guest-1") && token.kind == .guest)
  }

  @Test(arguments: [1, 100])
  func `the user !anon is anonymous, with an expiry and 1 to 100 calls`(count: Int) throws {
    let calls = (0..<count).map { "\"default:c\($0)\"" }.joined(separator: ",")
    let token = try judge(#"{"user_id":"!anon","exp":1700003600,"call_cids":[\#(calls)]}"#).get()
    #expect(token.user == .anonymous && token.kind == .anonymous && token.calls?.count == count)
  }

  private static let tooMany = (0...100).map { "\"default:c\($0)\"" }.joined(separator: ",")

  @Test(arguments: [
    (#"{}"#, "user_id"), (#"{"user_id":""}"#, "user_id"), (#"{"user_id":7}"#, "user_id"), (#"{"sub":null}"#, "sub"),
    (#"{"user_id":"\#(String(repeating: "x", count: 256))"}"#, "user_id"),
    (#"{"user_id":"ann","kind":"admin"}"#, "kind"), (#"{"user_id":"ann","kind":1}"#, "kind"),
    (#"{"user_id":"ann","kind":"anonymous"}"#, "kind"),
    (#"{"user_id":"!anon","kind":"regular","exp":1700003600,"call_cids":["a:b"]}"#, "kind"),
    (#"{"user_id":"!anon","call_cids":["a:b"]}"#, "exp"), (#"{"user_id":"!anon","exp":1700003600}"#, "call_cids"),
    (#"{"user_id":"!anon","exp":1700003600,"call_cids":[]}"#, "call_cids"),
    (#"{"user_id":"!anon","exp":1700003600,"call_cids":"a:b"}"#, "call_cids"),
    (#"{"user_id":"!anon","exp":1700003600,"call_cids":["ab"]}"#, "call_cids"),
    (#"{"user_id":"!anon","exp":1700003600,"call_cids":[1]}"#, "call_cids"),
    (#"{"user_id":"!anon","exp":1700003600,"call_cids":[\#(tooMany)]}"#, "call_cids"),
    (#"{"user_id":"ann","call_cids":{}}"#, "call_cids"), (#"{"user_id":"ann","jti":1}"#, "jti"),
  ])
  func `a claim that is missing or wrong is named`(claims: String, name: String) throws {
    guard case .failure(let error) = judge(claims) else {
      Issue.record("accepted")
      return
    }
    #expect(error.isSame(as: .claimInvalid) && error.message.contains(name))
  }

  @Test
  func `the verifier's refusals keep their own errors`() {
    #expect(judge(#"{"user_id":"ann","exp":1699990000}"#) == .failure(.tokenExpired))
    let authenticator = PlainAuthenticator(
      verifier: Self.verifier, directory: PlainDirectory(FaultyStore(.away), generator: SeededGenerator(seed: 1)))
    guard case .decided(.failure(let error)) = authenticator.judge(Credentials(token: "x"), at: Self.now) else {
      Issue.record("accepted")
      return
    }
    #expect(error.isSame(as: .tokenMalformed))
  }

  @Test
  func `tokens of the issuer are read back as they were meant, and no two are equal`() throws {
    var policy = TokenPolicy()
    policy.issuer = "postern"
    policy.audiences = ["gateway"]
    let verifier = JWTVerifier(keys: try KeySet([try VerificationKey(Self.secret)]), policy: policy)
    let authenticator = PlainAuthenticator(
      verifier: verifier, directory: PlainDirectory(FaultyStore(.away), generator: SeededGenerator(seed: 1)))
    let issuer = PlainTokenIssuer(signer: Self.signer, issuer: "postern", audience: "gateway")
    let calls = [CallID(cid: "default:a")!, CallID(cid: "default:b")!]
    let cases: [(UserID, UserKind, WallTime?, [CallID]?)] = [
      (UserID("ann \"quoted\" Ä"), .regular, Self.now + .milliseconds(1500), nil), (UserID("g"), .guest, nil, nil),
      (.anonymous, .anonymous, Self.now + .seconds(60), calls),
    ]
    for (user, kind, expiresAt, calls) in cases {
      func mint() -> Credentials {
        issuer.mint(user: user, kind: kind, issuedAt: Self.now, expiresAt: expiresAt, calls: calls)
      }
      let (first, second) = (mint(), mint())
      #expect(TokenFingerprint(of: first.token) != TokenFingerprint(of: second.token))
      guard case .decided(.success(let token)) = authenticator.judge(first, at: Self.now) else {
        Issue.record("\(kind) is refused")
        continue
      }
      #expect(token.user == user && token.kind == kind && token.calls == calls)
      #expect(token.issuedAt == Self.now && token.expiresAt == expiresAt)
    }
  }
}

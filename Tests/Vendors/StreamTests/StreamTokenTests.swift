import GatewayCore
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStream

struct StreamTokenTests {
  private static let application = try! StreamApplication(secret: "short")
  private static let now = WallTime(seconds: 1_700_000_000)

  private func read(_ token: String, leeway: Duration = .zero) throws(StreamError) -> StreamToken {
    try StreamToken(token, of: Self.application, key: "k", at: Self.now, leeway: leeway)
  }

  private func signed(_ claims: String) -> String { Self.application.signer.sign(Array(claims.utf8)) }

  private func refusal(_ token: String, leeway: Duration = .zero) -> StreamError? {
    do throws(StreamError) {
      _ = try read(token, leeway: leeway)
      return nil
    } catch {
      return error
    }
  }

  @Test
  func `a user's token has its user, dates, role and calls, and other claims are ignored`() throws {
    let token = try read(
      signed(
        #"{"user_id":"ann","iat":1699999000,"exp":1700003600,"nbf":1699999000,"role":"admin","call_cids":["default:a"],"#
          + #""channel_cids":["x:y"],"iss":"i","sub":"user/ann","validity_in_seconds":1}"#))
    #expect(token.user == UserID("ann") && token.role == "admin" && token.calls == [CallID(cid: "default:a")!])
    #expect(token.issuedAt == WallTime(seconds: 1_699_999_000) && token.expiresAt == WallTime(seconds: 1_700_003_600))
    #expect(!token.isServer && !token.isDevelopment)
  }

  @Test(arguments: ["{}", #"{"server":true}"#, #"{"iat":1}"#])
  func `a signed token without a user is a server's token`(claims: String) throws {
    #expect(try read(signed(claims)).isServer)
  }

  @Test
  func `a token without exp does not expire, and one without iat is valid`() throws {
    let token = try read(signed(#"{"user_id":"ann"}"#))
    #expect(token.expiresAt == nil && token.issuedAt == nil)
  }

  @Test
  func `a development token is known by its third segment, which is no signature`() throws {
    let payload = Base64URL.encode(Array(#"{"user_id":"ann"}"#.utf8))
    let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
    let token = try read("\(header).\(payload).devtoken")
    #expect(token.isDevelopment && token.user == UserID("ann"))
    #expect(throws: StreamError.signatureInvalid(key: "k")) {
      try token.checkRevocation(nil, StreamAppSettings(), key: "k")
    }
    var settings = StreamAppSettings()
    settings.disablesAuthChecks = true
    try token.checkRevocation(nil, settings, key: "k")
  }

  @Test(arguments: [
    ("", 5), ("a", 5), ("a.b", 5), ("a.b.c.d", 5), ("a.b.c", 5), ("....", 5),
    ("eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl", 43), ("eyJhbGciOiJIUzI1NiJ9.bm90IEpTT04.c2lnbmF0dXJl", 5),
    ("eyJhbGciOiJub25lIn0.e30.", 5), ("eyJhbGciOiJIUzM4NCJ9.e30.c2ln", 5),
  ])
  func `the first failed check gives the code`(token: String, code: Int) {
    #expect(refusal(token)?.code == code)
    #expect(refusal(token)?.status == 401)
  }

  @Test(arguments: [
    (#"{"user_id":7}"#, 5), (#"{"user_id":""}"#, 5), (#"{"user_id":"a","exp":"soon"}"#, 5),
    (#"{"user_id":"a","exp":1.5}"#, 5), (#"{"user_id":"a","exp":{}}"#, 5),
    (#"{"user_id":"a","iat":1699999999.5}"#, 5),
    (#"{"user_id":"a","nbf":null}"#, 5), (#"{"user_id":"a","role":1}"#, 5), (#"{"server":1}"#, 5),
    (#"{"user_id":"a","exp":1700000000}"#, 40), (#"{"user_id":"a","exp":1,"nbf":1800000000}"#, 40),
    (#"{"user_id":"a","nbf":1700000001,"iat":1800000000}"#, 41), (#"{"user_id":"a","iat":1700000001}"#, 42),
    (#"{"user_id":"a","call_cids":["default:a"]}"#, 5), (#"{"user_id":"a","exp":1800000000,"call_cids":"x"}"#, 5),
    (#"{"user_id":"a","exp":1800000000,"call_cids":["nonsense"]}"#, 5),
    (#"{"exp":1800000000,"call_cids":["default:a"]}"#, 5), ("[]", 5),
  ])
  func `claims of a wrong type are error 5, expired tokens 40, tokens of the future 41 and 42`(
    claims: String, code: Int
  ) {
    #expect(refusal(signed(claims))?.code == code)
  }

  @Test(arguments: [100, 101])
  func `a call token lists 100 calls at most`(count: Int) {
    let calls = (0..<count).map { "\"default:c\($0)\"" }.joined(separator: ",")
    let token = signed(#"{"user_id":"!anon","exp":1800000000,"call_cids":[\#(calls)]}"#)
    #expect(refusal(token)?.code == (count > 100 ? 5 : nil))
  }

  @Test(arguments: [105, 127])
  func `a call token of a hundred long names is read, and one above the limit is malformed`(length: Int) {
    // The gateway's own secret has the usual limit.
    let own = StreamApplication(
      verifier: JWTVerifier(keys: Self.application.verifier.keys), signer: Self.application.signer)
    let calls = (0..<100).map { "\"default:\(String(repeating: "c", count: length - 11))\(100 + $0)\"" }
    let token = signed(#"{"user_id":"!anon","exp":1800000000,"call_cids":[\#(calls.joined(separator: ","))]}"#)
    #expect((token.utf8.count > StreamToken.sizeMax) == (length == 127))
    for application in [Self.application, own] {
      let read = try? StreamToken(token, of: application, key: "k", at: Self.now, leeway: .zero)
      #expect(read?.calls?.count == (length == 127 ? nil : 100))
    }
    #expect(refusal(token)?.code == (length == 127 ? 5 : nil))
  }

  @Test
  func `leeway is given to all three dates`() {
    for claims in [#"{"exp":1699999999}"#, #"{"nbf":1700000001}"#, #"{"iat":1700000001}"#] {
      #expect(refusal(signed(claims)) != nil)
      #expect(refusal(signed(claims), leeway: .seconds(2)) == nil)
    }
  }

  @Test
  func `the words are the documented ones, and name the API key but never the token`() {
    #expect(refusal("a")?.message == "JWTAuth error: token contains an invalid number of segments")
    #expect(refusal(signed(#"{"exp":1}"#))?.message == "JWTAuth error: token is expired (exp)")
    #expect(refusal(signed(#"{"iat":1800000000}"#))?.message == "JWTAuth error: token used before issue at (iat)")
    let forged = try! StreamApplication(secret: "other").signer.sign(Array("{}".utf8))
    #expect(
      refusal(forged)?.message
        == #"JWTAuth error: signature is not valid. Make sure the token is created using the secret for API key "k""#)
  }

  @Test(arguments: [true, false])
  func `a revocation covers tokens issued in an earlier second, or without a date`(ofUser: Bool) throws {
    var settings = StreamAppSettings()
    var user = StreamUser(UserID("ann"), createdAt: Self.now)
    let limit = WallTime(nanoseconds: 1_699_999_000_900_000_000)
    if ofUser { user.revokesTokensIssuedBefore = limit } else { settings.revokesTokensIssuedBefore = limit }
    func check(_ claims: String) throws { try read(signed(claims)).checkRevocation(user, settings, key: "k") }
    try check(#"{"user_id":"ann","iat":1699999000}"#)
    #expect(throws: StreamError.tokenRevoked) { try check(#"{"user_id":"ann","iat":1699998999}"#) }
    #expect(throws: StreamError.tokenRevoked) { try check(#"{"user_id":"ann"}"#) }
  }

  @Test
  func `the issuer's tokens live at least as long as requested, in whole seconds`() throws {
    let issuer = StreamTokenIssuer(signer: Self.application.signer)
    let start = WallTime(nanoseconds: 1_700_000_000_400_000_000)
    let calls = [CallID(cid: "default:a")!]
    let minted = issuer.mint(
      user: UserID("ann"), kind: .regular, issuedAt: start, expiresAt: start + .seconds(10), calls: calls)
    let token = try StreamToken(minted.token, of: Self.application, key: "k", at: start, leeway: .zero)
    #expect(token.issuedAt == WallTime(seconds: 1_700_000_000) && token.expiresAt == WallTime(seconds: 1_700_000_011))
    #expect(token.calls == calls)
    let lasting = issuer.mint(user: UserID("ann"), kind: .regular, issuedAt: start, expiresAt: nil, calls: nil)
    #expect(try StreamToken(lasting.token, of: Self.application, key: "k", at: start, leeway: .zero).expiresAt == nil)
  }

  @Test
  func `an application without a secret is refused, and API keys choose theirs`() throws {
    #expect(throws: KeyError.self) { try StreamApplication(secret: "") }
    let listed = StreamApplications(["k": Self.application])
    _ = try listed.application("k")
    for key in [nil, "", "other"] {
      #expect(throws: StreamError.self) { try listed.application(key) }
    }
    _ = try StreamApplications(fallback: Self.application).application("anything")
    #expect(throws: StreamError.self) { try StreamApplications(fallback: Self.application).application("") }
  }
}

import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayIdentity

/// Opaque tokens are judged by the server that issued them (RFC 7662).
@Suite(.timeLimit(.minutes(2)))
struct IntrospectionTests {
  @Test
  func `an active token logs its user in, an inactive one is refused with 401013, and the request is that of RFC 7662`()
    throws
  {
    let space = try IntrospectionSpace()
    #expect(space.outcome("tok-ann") == 0 && space.outcome("tok-b+/=") == 401_013)
    let request = try #require(space.server.requests.last)
    #expect(request.method == "POST" && request.rawTarget == "/introspect?tenant=a")
    #expect(String(decoding: request.body, as: UTF8.self) == "token=tok-b%2B%2F%3D&token_type_hint=access_token")
    #expect(request.header("content-type") == "application/x-www-form-urlencoded")
    // base64 of the%20gateway:p%3Aw%25d
    #expect(request.header("authorization") == "Basic dGhlJTIwZ2F0ZXdheTpwJTNBdyUyNWQ=")
  }

  @Test
  func `an answer is used for half a minute, a refusal for five seconds`() throws {
    let space = try IntrospectionSpace()
    for _ in 0..<20 {
      #expect(space.outcome("tok-ann") == 0)
      space.pass(1)
    }
    #expect(space.server.requests.count == 1)
    space.pass(11)
    #expect(space.outcome("tok-ann") == 0 && space.server.requests.count == 2)
    // A token that is known to be inactive is refused before the upgrade.
    #expect((0..<4).map { _ in space.outcome("tok-bob") } == [401_013, 401, 401, 401])
    #expect(space.server.requests.count == 3)
    space.server.tokens["tok-bob"] = #""sub":"bob""#
    space.pass(6)
    #expect(space.outcome("tok-bob") == 0)
  }

  @Test
  func `two hundred logins with one token at once cause one request, and with two hundred tokens one each`() throws {
    let space = try IntrospectionSpace()
    space.server.delay = .milliseconds(500)
    let peers = (0..<200).map { _ in space.begin("tok-ann") }
    space.pass(2)
    #expect(peers.allSatisfy { IntrospectionSpace.outcome($0) == 0 } && space.server.requests.count == 1)
    for index in 0..<200 { space.server.tokens["tok-\(index)"] = "\"sub\":\"user-\(index)\"" }
    let others = (0..<200).map { space.begin("tok-\($0)") }
    space.pass(3)
    #expect(others.allSatisfy { IntrospectionSpace.outcome($0) == 0 } && space.server.requests.count == 201)
    #expect(space.introspector.settings.cacheLife == .seconds(30))
  }

  @Test(arguments: [
    "500", "302", "404", "401", "html", "half", "no active", "text active", "5 MB", "hang", "empty",
  ])
  func `a server without a usable answer refuses and admits no user, and is asked again`(mode: String) throws {
    let space = try IntrospectionSpace()
    let ann = space.connect("tok-ann")
    space.pass(31)
    space.server.answer = {
      switch mode {
      case "html": HTTPResponse(status: 200, contentType: "text/html", text: "<html>tok-ann</html>")
      case "half": HTTPResponse(status: 200, contentType: "application/json", text: "{\"active\": tr")
      case "no active": HTTPResponse(status: 200, contentType: "application/json", text: "{\"sub\":\"ann\"}")
      case "text active":
        HTTPResponse(status: 200, contentType: "application/json", text: #"{"active":"true","sub":"ann"}"#)
      case "5 MB": HTTPResponse(status: 200, body: [UInt8](repeating: 0x20, count: 5 << 20))
      case "empty": HTTPResponse(status: 200)
      default: HTTPResponse(status: Int(mode) ?? 200, headers: [HTTPField("location", "https://login.example/x")])
      }
    }
    if mode == "hang" { space.server.delay = .seconds(100) }
    #expect(space.outcome("tok-ann") == 503_005 && space.outcome("tok-none") == 503_005)
    ann.say(#"{"type":"refresh","token":"tok-ann-2"}"#)
    space.pass(5)
    #expect(ann.isOpen && IntrospectionSpace.number(ann.texts.last ?? "") == 503_005)
    (space.server.answer, space.server.delay) = (nil, .zero)
    space.server.tokens["tok-ann-2"] = #""sub":"ann""#
    space.pass(5)
    ann.say(#"{"type":"refresh","token":"tok-ann-2"}"#)
    space.pass(5)
    #expect(ann.texts.last?.contains(bytesOf: #""type":"refreshed""#) == true, "\(ann.texts)")
    let told = space.logs.all(mode == "401" ? "introspection_forbidden" : "introspection_failed")
    #expect(told.count == 1 && (told[0].level == .error) == (mode == "401"))
    let log = ["introspection_failed", "introspection_forbidden", "breaker_opened"].flatMap { space.logs.all($0) }
    #expect(log.allSatisfy { !"\($0)".contains("tok-") && !"\($0)".contains("p:w") })
  }

  @Test
  func `a token is not valid beyond its own expiry, and its session is asked for another before that`() throws {
    let space = try IntrospectionSpace()
    let end = space.inner.world.wallTime.nanoseconds / 1_000_000_000 + 20
    space.server.tokens["tok-short"] = "\"sub\":\"ann\",\"exp\":\(end)"
    let peer = space.connect("tok-short")
    #expect(IntrospectionSpace.outcome(peer) == 0)
    space.pass(30)
    #expect(peer.texts.contains { $0.contains(bytesOf: #""type":"refresh_required""#) })
    #expect(space.outcome("tok-short") == 401_002 || space.outcome("tok-short") == 401_013)
    #expect(space.server.requests.count == 2)
  }

  @Test
  func
    `what the server says of issuer, audience, dates and user is held to the policy, and may be missing but for two`()
    throws
  {
    var policy = TokenPolicy()
    policy.issuer = "https://login.example"
    policy.audiences = ["realtime"]
    let space = try IntrospectionSpace(policy: policy)
    let now = space.inner.world.wallTime.nanoseconds / 1_000_000_000
    let good = #""sub":"ann","aud":["x","realtime"]"#
    space.server.tokens = [
      "a": good, "b": good + #","iss":"https://login.example""#, "c": good + #","iss":"https://other.example""#,
      "d": #""sub":"ann","aud":"other""#, "e": #""sub":"ann""#, "f": good + ",\"nbf\":\(now + 60)",
      "g": good + ",\"exp\":\(now - 60)", "h": #""aud":"realtime""#, "i": #""aud":"realtime","sub":7"#,
      "j": good + #","exp":"soon""#,
    ]
    #expect(space.outcome("a") == 0 && space.outcome("b") == 0)
    let refused = "cdefghij".map { space.outcome(String($0)) }
    #expect(refused.allSatisfy { (401_000..<402_000).contains($0) }, "\(refused)")
  }

  @Test
  func `username is the user if the operator configures it`() throws {
    let space = try IntrospectionSpace { $0.userMember = "username" }
    space.server.tokens["tok"] = #""sub":"17","username":"zoe""#
    let peer = space.connect("tok")
    #expect(peer.texts.first?.contains(bytesOf: #""user_id":"zoe""#) == true)
    #expect(space.outcome("tok-ann") / 1_000 == 401, "it names no username")
  }

  @Test
  func `a JWT, the gateway's own token and text that is no token are never sent to the server`() throws {
    let space = try IntrospectionSpace()
    for token in ["eyJhbGciOiJIUzI1NiJ9.e30.x", "pat_0123", "tok en", "tök", String(repeating: "x", count: 9_000)] {
      #expect(space.outcome(token) != 0)
    }
    #expect(space.server.requests.isEmpty)
  }

  @Test
  func `a new secret of the client counts from the next question on`() throws {
    let space = try IntrospectionSpace()
    #expect(space.outcome("tok-ann") == 0)
    var fresh = space.introspector.settings
    fresh.client = IntrospectionSettings.Client(id: "a", secret: "b")
    space.introspector.takeSecret(
      of: Introspector(
        fresh,
        verifier: JWTVerifier(
          keys: try KeySet([
            try VerificationKey(
              try KeyMaterial.secret(Array(IdentitySpace.secret.utf8)))
          ]))))
    #expect(space.outcome("tok-x") == 401_013)
    #expect(space.server.requests.last?.header("authorization") == "Basic YTpi")
  }

  @Test
  func `the oldest verdict goes when the table is full, and many replacements of one keep the order short`() {
    var cache = VerdictCache(countMax: 3)
    let refusal = Verdict.failure(.tokenUnknown)
    let end = Instant.zero + .seconds(100)
    for index in 0..<5 { cache.keep(refusal, of: TokenDigest(of: "\(index)"), until: end, at: .zero) }
    let known = (0..<5).map { cache.verdict(of: TokenDigest(of: "\($0)"), at: .zero, WallTime(nanoseconds: 0)) != nil }
    #expect(known == [false, false, true, true, true] && cache.count == 3)
    for _ in 0..<10_000 { cache.keep(refusal, of: TokenDigest(of: "4"), until: end, at: .zero) }
    #expect(cache.count == 3 && cache.verdict(of: TokenDigest(of: "2"), at: .zero, WallTime(nanoseconds: 0)) != nil)
    #expect(cache.verdict(of: TokenDigest(of: "3"), at: end, WallTime(nanoseconds: 0)) == nil && cache.count == 2)
  }
}

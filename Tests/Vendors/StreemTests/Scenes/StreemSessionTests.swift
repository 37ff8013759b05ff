import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
struct StreemSessionTests {
  private let streem: SimulatedStreem

  init() throws {
    streem = try SimulatedStreem()
  }

  @Test
  func `a client identifies, and is told its user and its expiry`() {
    let peer = streem.identify(
      streem.token(["name": #""Ann""#, "picture": #""https://a.example/p""#]),
      #","id":"1","name":"Ann Smith","avatarUrl":null,"isExpert":true,"companyCode":"postern","appId":"app","sdkVersion":"0.36.0""#
    )
    let text = peer.texts.first ?? ""
    #expect(text.hasPrefix(#"{"type":"identified","id":"1","user":{"streemUserId":"usr_"#))
    #expect(
      text.contains(
        #""externalUserId":"ann","name":"Ann Smith","companyCode":"postern","companySid":"co_"#))
    #expect(text.contains(#""avatarUrl":"https://a.example/p","isExpert":true}"#))
    let end = Int64(streem.world.wallTime.seconds) + 14_400
    #expect(text.hasSuffix(#""refreshed":false,"sessionId":"conn_0_1","sessionExpiresAt":\#(end)}"#))
  }

  @Test(
    arguments: [
      ([:], "", #","companyCode":"nobody""#, "company_unknown", 404),
      ([:], "", #","companyCode":"other""#, "company_forbidden", 403),
      ([:], "", #","sdkVersion":"0.35.9""#, "client_version_too_old", 426),
      (["streem:reservation_sid": #""rsv_1""#], "", "", "reservation_invalid", 401),
      (["exp": "600"], "", "", "expired", 401), (["sub": nil], "", "", "claim_missing", 401),
      (["iss": #""streem:api:api_other""#], "", "", "unknown_api_key", 401),
      ([:], "x", "", "bad_signature", 401), ([:], ".x", "", "malformed", 400),
    ] as [([String: String?], String, String, String, Int)])
  func `a client is refused with the reason, over the socket and over HTTP`(
    changes: [String: String?], tail: String, members: String, reason: String, status: Int
  ) throws {
    let streem = try SimulatedStreem { $0.oldestVersion = SDKVersion("0.36") }
    _ = streem.fetch(
      "POST", "/streem/companies", body: #"{"code":"other","name":"Other"}"#, from: DialTarget.control)
    var token = streem.token(changes).token
    // A changed character in the middle of the signature, or a fourth segment.
    if tail == "x" { token.replaceSubrange(token.index(token.endIndex, offsetBy: -20)..., with: Self.twenty) }
    if tail == ".x" { token += tail }
    let peer = streem.identify(Credentials(token: token), members)
    #expect(streem.types(peer) == ["identifyFailed"] && streem.last("reason", peer) == reason)
    #expect(peer.ending?.code == 4500)
    let answer = streem.fetch("POST", "/streem/v1/identify", body: #"{"token":"\#(token)"\#(members)}"#)
    #expect(answer.status == status && SimulatedStreem.member("reason", answer.text) == reason)
    #expect((answer.header("www-authenticate") != nil) == (status == 401))
    #expect(SimulatedStreem.member("type", answer.text) == "identifyFailed")
  }

  private static let twenty = "AAAAAAAAAAAAAAAAAAAA"

  @Test
  func `a client may retry with a fresh token only if the answer says so`() {
    let expired = streem.identify(streem.token(["exp": "600"]))
    #expect(expired.texts.last?.contains(#""retryable":true"#) == true)
    let foreign = streem.identify(streem.token(), #","companyCode":"nobody""#)
    #expect(foreign.texts.last?.contains(#""retryable":false"#) == true)
  }

  @Test
  func `a client identifies over HTTP without a session`() {
    let answer = streem.fetch("POST", "/streem/v1/identify", body: #"{"token":"\#(streem.token().token)"}"#)
    #expect(answer.status == 200 && answer.text.contains(#""type":"identified""#))
    #expect(answer.text.contains(#""sessionId":null"#))
    #expect(streem.order { await $0.isConnected(UserID("ann")) } == false)
  }

  @Test
  func `a client whose refresher gives a bad token may retry until the timeout, and keeps its user`() {
    let old = streem.token(sessionLife: 100)
    let peer = streem.identify(old)
    streem.world.advance(by: .seconds(100))
    for (token, reason) in [(old, "session_expired"), (Credentials(token: "x"), "malformed")] {
      streem.say(peer, #"{"type":"token","token":"\#(token.token)"}"#)
      #expect(streem.types(peer).last == "identifyFailed" && streem.last("reason", peer) == reason)
    }
    #expect(streem.order { await $0.isConnected(UserID("ann")) } == true)
    streem.say(peer, #"{"type":"token","token":"\#(streem.token().token)"}"#)
    #expect(streem.types(peer).last == "identified")
  }

  @Test
  func `a client whose refresher fails after expiry is disconnected at once`() {
    let peer = streem.identify(streem.token(sessionLife: 100))
    streem.say(peer, #"{"type":"tokenFailed"}"#)
    #expect(peer.isOpen && streem.types(peer) == ["identified"], "nothing was asked")
    streem.world.advance(by: .seconds(100))
    streem.say(peer, #"{"type":"tokenFailed"}"#)
    #expect(peer.ending?.at == .seconds(100) && peer.ending?.name == "session_expired")
  }

  @Test
  func `a client logs out, and may identify again on the same socket`() {
    let peer = streem.identify(streem.token())
    streem.say(peer, #"{"type":"logout","id":"2"}"#)
    #expect(peer.texts.last == #"{"type":"loggedOut","id":"2","externalUserId":"ann"}"#)
    #expect(streem.order { await $0.isConnected(UserID("ann")) } == false)
    streem.say(peer, #"{"type":"createInvitation","toUserName":"Carl"}"#)
    #expect(peer.texts.last?.contains("800101") == true)
    streem.say(peer, #"{"type":"identify","token":"\#(streem.token("bob").token)"}"#)
    #expect(streem.types(peer).last == "identified" && streem.last("externalUserId", peer) == "bob")
  }

  @Test
  func `a logout over HTTP ends every login of the user`() {
    let peers = (0..<3).map { _ in streem.identify(streem.token()) }
    let other = streem.identify(streem.token("bob"))
    // A token that is too old to start a session still serves for one that has started.
    let answer = streem.fetch("POST", "/streem/v1/logout", token: streem.token(["exp": "600"]))
    #expect(answer.status == 200 && answer.text == #"{"type":"loggedOut","externalUserId":"ann"}"#)
    for peer in peers { #expect(streem.types(peer) == ["identified", "loggedOut"] && peer.isOpen) }
    #expect(streem.types(other) == ["identified"])
  }

  @Test
  func `a client with a token of another user becomes that user, and the old one is logged out first`() {
    let peer = streem.identify(streem.token("ann"))
    streem.say(peer, #"{"type":"identify","id":"3","token":"\#(streem.token("bob").token)","name":"Bob"}"#)
    #expect(streem.types(peer) == ["identified", "loggedOut", "identified"])
    #expect(peer.texts[1] == #"{"type":"loggedOut","externalUserId":"ann"}"#)
    #expect(streem.last("externalUserId", peer) == "bob" && streem.last("id", peer) == "3")
    #expect(streem.order { await $0.isConnected(UserID("ann")) } == false)
    #expect(streem.order { await $0.isConnected(UserID("bob")) } == true)
    #expect(streem.order { await $0.metrics().total.logins.total } == 2)
  }

  @Test
  func `a client in another company is another user, even with the same name`() throws {
    let issuer = try streem.otherCompany()
    let one = streem.identify(streem.token("ann"))
    let two = streem.identify(issuer.mint("ann", issuedAt: streem.world.wallTime))
    #expect(streem.last("companyCode", one) == "postern" && streem.last("companyCode", two) == "other")
    #expect(streem.last("streemUserId", one) != streem.last("streemUserId", two))
    #expect(streem.order { try? await $0.control(UserID("other~ann"), .disconnect(.disconnected)) } == 1)
    #expect(one.isOpen && !two.isOpen)
  }

  @Test
  func
    `a client in another company is another user, even if its id begins with what makes one letter of the separator`()
    throws
  {
    _ = streem.fetch("POST", "/streem/companies", body: #"{"code":"other"}"#, from: DialTarget.control)
    let made = streem.fetch(
      "POST", "/streem/api-keys", body: #"{"company_code":"other"}"#, from: DialTarget.control)
    let issuer = try StreemTokenIssuer(
      apiKey: Name(try #require(SimulatedStreem.member("id", made.text))),
      jwk: try StreemSecret.jwk(try #require(SimulatedStreem.member("secret", made.text))), settings: StreemSettings())
    // A tilde below, as a combining mark: with the ~ before it, it is one Swift character.
    let theirs = streem.identify(issuer.mint("\u{330}ann", issuedAt: streem.world.wallTime))
    let ours = streem.identify(streem.token("other~\u{330}ann"))
    #expect(streem.types(theirs) == ["identified"] && streem.types(ours) == ["identified"])
    #expect(streem.last("companyCode", theirs) == "other" && streem.last("companyCode", ours) == "postern")
    #expect(streem.order { try? await $0.control(UserID("other~\u{330}ann"), .disconnect(.disconnected)) } == 1)
    #expect(ours.isOpen && !theirs.isOpen)
  }

  @Test
  func `a client whose id only looks the same is another user`() {
    // One é is a single letter, the other an e and an accent.
    let one = streem.identify(streem.token("\u{E9}ve"))
    let two = streem.identify(streem.token("e\u{301}ve"))
    #expect(streem.last("streemUserId", one) != streem.last("streemUserId", two))
    #expect(streem.order { try? await $0.control(UserID("\u{E9}ve"), .disconnect(.disconnected)) } == 1)
    #expect(!one.isOpen && two.isOpen)
  }

  @Test
  func `a client of an inactive company gets no further than its token`() {
    _ = streem.fetch(
      "POST", "/streem/companies", body: #"{"code":"postern","active":false}"#, from: DialTarget.control)
    #expect(streem.last("reason", streem.identify(streem.token())) == "company_forbidden")
  }

  @Test
  func `a client may list users that identified recently, over the socket and over HTTP`() {
    _ = streem.identify(streem.token("bob"))
    let peer = streem.identify(streem.token("ann"), #","isExpert":true"#)
    streem.say(peer, #"{"type":"getRecentlyIdentifiedUsers","onlyExperts":true}"#)
    #expect(streem.last("externalUserId", peer) == "ann" && peer.texts.last?.contains("bob") == false)
    let all = streem.fetch("GET", "/streem/v1/recently-identified-users", token: streem.token("ann"))
    #expect(all.status == 200 && all.text.contains("bob") && all.text.contains("ann"))
    let experts = streem.fetch(
      "GET", "/streem/v1/recently-identified-users", query: [HTTPField("onlyExperts", "true")],
      token: streem.token("ann"))
    #expect(!experts.text.contains("bob"))
  }

  @Test
  func `a client is told of a drain, and closed in time`() {
    let peer = streem.identify(streem.token())
    _ = streem.order { try? await $0.control(UserID("ann"), .drain(until: .seconds(5))) }
    #expect(peer.texts.last == #"{"type":"closing","reason":"service_restart","delayMs":5000}"#)
    streem.world.advance(by: .seconds(5))
    #expect(peer.ending?.code == 1012)
  }

  @Test(arguments: [
    ("", "malformed_message"), ("{", "malformed_message"), ("[]", "malformed_message"),
    (#"{"type":7}"#, "malformed_message"), (#"{"type":"identified"}"#, "unknown_type"),
    (#"{"type":"ping","id":""}"#, "invalid_parameter"), (#"{"type":"token"}"#, "invalid_parameter"),
    (#"{"type":"identify","token":""}"#, "invalid_parameter"),
    (#"{"type":"identify","token":null}"#, "invalid_parameter"),
    (#"{"type":"identify","token":"x","isExpert":"yes"}"#, "invalid_parameter"),
    (#"{"type":"identify","token":"x","name":{}}"#, "invalid_parameter"),
    (#"{"type":"startRemoteStream"}"#, "invalid_parameter"),
    (#"{"type":"startRemoteStream","role":"CUSTOMER","remoteUserId":"x"}"#, "invalid_parameter"),
    (#"{"type":"startRemoteStream","role":"REMOTE_PRO","remoteUserId":"x"}"#, "user_unknown"),
    (#"{"type":"joinRemoteStream","roomSid":"rm_1"}"#, "not_found"),
    (#"{"type":"joinRemoteStream"}"#, "invalid_parameter"),
    (#"{"type":"leaveRemoteStream","roomSid":"x"}"#, "not_found"),
    (#"{"type":"createInvitation","toUserName":7}"#, "invalid_parameter"),
    (#"{"type":"getRecentlyIdentifiedUsers","onlyExperts":1}"#, "invalid_parameter"),
  ])
  func `a client that sends an unknown message is told so, and stays`(text: String, reason: String) {
    let peer = streem.identify(streem.token(), #","isExpert":true"#)
    streem.say(peer, text)
    #expect(streem.types(peer) == ["identified", "error"] && streem.last("reason", peer) == reason)
    streem.say(peer, #"{"type":"ping","id":"p"}"#)
    #expect(peer.texts.last == #"{"type":"pong","id":"p"}"#)
  }

  @Test
  func `a client that sends a binary message is closed with 1003`() {
    let peer = streem.open()
    peer.say(Frame(.binary, [1, 2, 3]))
    streem.world.settle()
    #expect(peer.ending?.code == 1003)
  }

  @Test
  func `a client of a fleet and the gateway understand each other`() {
    let dialect = StreemClientDialect()
    let peer = streem.open()
    let client = ClientIdentity(user: UserID("ann"))
    func say(_ message: ClientMessage) {
      if let frame = dialect.encode(message, of: client) { peer.say(frame) }
      streem.world.settle()
    }
    say(.connect(streem.token(sessionLife: 100)))
    say(.garbage)
    say(.ping)
    streem.world.advance(by: .seconds(100))
    say(.refresh(Credentials(token: "x")))
    say(.refresh(streem.token()))
    #expect(
      peer.notices(in: dialect).map(\.notice) == [
        .connected(ConnectionID(loop: 0, serial: 1)), .error(number: 400_001, name: "malformed_message"), .alive,
        .refreshRequired(timeout: .seconds(60)), .error(number: 401_001, name: "malformed"), .refreshed,
      ])
  }
}

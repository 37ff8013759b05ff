import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
struct StreemInvitationTests {
  private let streem: SimulatedStreem
  private let expert: SimulatedPeer

  init() throws {
    streem = try SimulatedStreem { settings in
      settings.tries = StreemTryLimits(perAddress: 10, overall: 15)
      settings.landlinePrefixes = ["+4930"]
      settings.unreachablePrefixes = ["+1999"]
    }
    expert = streem.identify(streem.token("ann", ["name": #""Ann""#]), #","isExpert":true"#)
  }

  private func invite(_ members: String = #""toUserName":"Carl""#) -> HTTPResponse {
    streem.fetch("POST", "/streem/v1/invitations", token: streem.token("ann"), body: "{\(members)}")
  }

  private func code() throws -> String {
    try #require(SimulatedStreem.member("invitationCode", invite().text))
  }

  private func enter(_ code: String, _ body: String = "", from source: String? = nil) -> HTTPResponse {
    streem.fetch("POST", "/streem/v1/invitations/\(code)/login", body: body, source: source)
  }

  private func reason(_ answer: HTTPResponse) -> String? { SimulatedStreem.member("reason", answer.text) }

  @Test
  func `one of many callers that enter an invitation at once is admitted`() throws {
    let path = "/streem/v1/invitations/\(try code())/login"
    let headers = [HTTPField("content-type", "application/json")]
    let entering = HTTPRequest(method: "POST", path: path, headers: headers, body: [])
    let answers = streem.space.fetch(atOnce: Array(repeating: entering, count: 8))
    #expect(answers.count { $0?.status == 200 } == 1)
    #expect(answers.count { $0?.status == 410 && $0.map(reason) == "InvitationConsumed" } == 7)
  }

  @Test
  func `an invitation has nine digits in groups of three, a link, a day of life, and no message is sent`() throws {
    let answer = invite(#""toUserName":"Carl","referenceId":"R1","integrationId":"I1","invitationType":"LINK""#)
    #expect(answer.status == 201)
    let code = try #require(SimulatedStreem.member("invitationCode", answer.text))
    #expect(code.wholeMatch(of: /\d{3}-\d{3}-\d{3}/) != nil)
    #expect(
      SimulatedStreem.member("url", answer.text)
        == "https://postern.streem.us/i/\(code.filter { $0 != "-" })")
    let end = Int64(streem.world.wallTime.seconds) + 86_400
    #expect(
      answer.text.hasSuffix(
        #""toName":"Carl","toPhone":null,"referenceId":"R1","integrationId":"I1","expiresAt":\#(end),"smsSent":false}"#)
    )
  }

  @Test
  func `an invitation is in the journal without its code, and without the link that holds the code`() throws {
    let streem = try SimulatedStreem(keepsJournal: true)
    let expert = streem.identify(streem.token("ann"), #","isExpert":true"#)
    streem.say(expert, #"{"type":"createInvitation","toUserName":"Carl","invitationType":"LINK"}"#)
    let code = try #require(SimulatedStreem.member("invitationCode", expert.texts.last ?? ""))
    var query = Journal.Query(limit: .max)
    query.hasPayloads = true
    let lines = streem.space.order { [query] in await $0.journal(query)?.lines ?? [] } ?? []
    let payloads = lines.compactMap(\.payload)
    #expect(payloads.contains { $0.contains(#""type":"invitation""#) && $0.contains(#""toName":"Carl""#) })
    for secret in [code, code.filter { $0 != "-" }] {
      #expect(payloads.allSatisfy { !$0.contains(secret) })
      #expect(lines.allSatisfy { !"\($0)".contains(secret) })
    }
  }

  @Test(arguments: [
    ("", "InvalidUserName"), (#""toUserName":"""#, "InvalidUserName"), (#""toUserName":"  ""#, "InvalidUserName"),
    (#""toUserName":"\#(String(repeating: "x", count: 201))""#, "InvalidUserName"),
    (#""toUserName":"C","invitationType":"PHONE""#, "InvalidPhoneNumber"),
    (#""toUserName":"C","invitationType":"PHONE","phone":"4155550123""#, "InvalidPhoneNumber"),
    (#""toUserName":"C","invitationType":"PHONE","phone":"+04155550123""#, "InvalidPhoneNumber"),
    (#""toUserName":"C","invitationType":"PHONE","phone":"+1 415 555""#, "InvalidPhoneNumber"),
    (#""toUserName":"C","phone":"+1415555012345678""#, "InvalidPhoneNumber"),
    (#""toUserName":"C","invitationType":"PHONE","phone":"+4930123456""#, "LandlinePhoneNumber"),
    (#""toUserName":"C","invitationType":"PHONE","phone":"+19995550123""#, "SmsDeliveryFailure"),
    (#""toUserName":"C","invitationType":"FAX""#, "invalid_parameter"),
  ])
  func `an invitation for an invalid name or number is refused in the vendor's words`(members: String, reason: String) {
    let answer = invite(members)
    #expect(answer.status == 400 && self.reason(answer) == reason)
    streem.say(expert, #"{"type":"createInvitation",\#(members.isEmpty ? #""id":"1""# : members)}"#)
    #expect(streem.last("reason", expert) == reason)
  }

  @Test
  func `an invited customer may call the expert who invited, and no other user`() throws {
    let entered = enter(try code())
    let token = try #require(SimulatedStreem.member("token", entered.text))
    let other = streem.identify(streem.token("bob"), #","isExpert":true"#)
    let customer = streem.identify(Credentials(token: token))
    func call(_ remote: SimulatedPeer) throws {
      let id = try #require(SimulatedStreem.member("streemUserId", remote.texts[0]))
      streem.say(customer, #"{"type":"startRemoteStream","role":"LOCAL_CUSTOMER","remoteUserId":"\#(id)"}"#)
    }
    try call(other)
    #expect(streem.last("reason", customer) == "not_permitted" && streem.types(other) == ["identified"])
    try call(expert)
    #expect(streem.types(customer).last == "remoteStreamRinging")
  }

  @Test
  func `an invitation's link leads to a page with the code, good or not`() throws {
    let code = try code()
    for text in [code, code.filter { $0 != "-" }, "123456789"] {
      let page = streem.fetch("GET", "/i/\(text)")
      #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8")
      #expect(page.text.contains(text == "123456789" ? "123-456-789" : code))
    }
    #expect(streem.fetch("GET", "/i/12345678").status == 404)
    #expect(enter(code).status == 200, "looking uses nothing up")
  }

  @Test
  func `an invitation by phone says that no SMS was sent`() {
    let answer = invite(#""toUserName":"C","invitationType":"PHONE","phone":"+14155550123""#)
    #expect(answer.status == 201 && answer.text.contains(#""toPhone":"+14155550123""#))
    #expect(answer.text.contains(#""smsSent":false"#))
  }

  @Test
  func `only experts create invitations, and not guests who claim to be experts`() throws {
    _ = streem.identify(streem.token("bob"))
    let answer = streem.fetch(
      "POST", "/streem/v1/invitations", token: streem.token("bob"), body: #"{"toUserName":"Carl"}"#)
    #expect(answer.status == 403 && reason(answer) == "not_permitted")
    let entrance = enter(try code(), #"{"appId":"a","isExpert":true}"#)
    #expect(entrance.text.contains(#""isExpert":false"#))
    let token = try #require(SimulatedStreem.member("token", entrance.text))
    let guest = streem.identify(Credentials(token: token), #","isExpert":true"#)
    streem.say(guest, #"{"type":"createInvitation","toUserName":"Dora"}"#)
    #expect(streem.last("reason", guest) == "not_permitted")
  }

  @Test(arguments: ["", "-", " "])
  func `an invitation admits once, names its expert, and gives an identity`(separator: String) throws {
    let code = try code().replacing("-", with: separator == " " ? "%20" : separator)
    let answer = enter(code, #"{"appId":"app","isExpert":false}"#)
    #expect(answer.status == 200 && answer.header("cache-control") == "no-store")
    #expect(SimulatedStreem.member("displayName", answer.text) == "Ann")
    #expect(SimulatedStreem.member("uid", answer.text) == streem.last("streemUserId", expert))
    #expect(answer.text.contains(#""company":{"companyCode":"postern","name":"Postern","logoUrl":null}"#))
    let guest = streem.identify(
      Credentials(token: try #require(SimulatedStreem.member("token", answer.text))), #","companyCode":"postern""#)
    #expect(streem.last("externalUserId", guest)?.hasPrefix("inv_") == true)
    #expect(streem.last("name", guest) == "Carl")
    let again = enter(code)
    #expect(again.status == 410 && reason(again) == "InvitationConsumed")
  }

  @Test
  func `an unknown invitation, an expired one and a malformed code get the same answer`() throws {
    let code = try code()
    streem.world.advance(by: .seconds(86_400))
    let answers = [code, "000000000", "12345678", "1234567890", "12345678x", "%F0%9F%92%A9", "12345678%D9%A1"].map {
      enter($0)
    }
    for answer in answers { #expect(answer.status == 404 && reason(answer) == "InvitationInvalid") }
    #expect(Set(answers.map(\.text)).count == 1)
  }

  @Test
  func `an invitation is still valid a moment before its day ends`() throws {
    let code = try code()
    streem.world.advance(by: .seconds(86_400) - .milliseconds(1))
    #expect(enter(code).status == 200)
  }

  @Test
  func `an invitation cannot be guessed: an address has ten wrong codes per minute, and there is a limit for all`()
    throws
  {
    let code = try code()
    for _ in 0..<10 { #expect(enter("999999999", from: "192.0.2.1").status == 404) }
    let limited = enter(code, from: "192.0.2.1")
    #expect(limited.status == 429 && limited.header("retry-after") == "60" && reason(limited) == "too_many")
    for _ in 0..<5 { #expect(enter("999999999", from: "192.0.2.2").status == 404) }
    #expect(enter(code, from: "192.0.2.3").status == 429, "fifteen wrong ones of all together")
    streem.world.advance(by: .seconds(60))
    #expect(enter(code, from: "192.0.2.1").status == 200)
  }

  @Test
  func `an invitation refuses a client that is too old, and does not count the attempt`() throws {
    let streem = try SimulatedStreem { $0.oldestVersion = SDKVersion("1.2") }
    let answer = streem.fetch(
      "POST", "/streem/v1/invitations/999999999/login", body: #"{"sdkVersion":"1.1.9"}"#)
    #expect(answer.status == 426 && reason(answer) == "ClientVersionTooOld")
    #expect(
      streem.fetch("POST", "/streem/v1/invitations/999999999/login", body: #"{"sdkVersion":"1.10"}"#).status == 404)
  }

  @Test
  func `an invitation still admits when the gateway's own key was revoked, with another key`() throws {
    let keys = streem.fetch("GET", "/streem/api-keys", from: DialTarget.control).text
    for id in keys.matches(of: /"id":"(api_\w+)"/).map(\.output.1) where Name(id) != streem.forge.id {
      _ = streem.fetch("POST", "/streem/api-keys/\(id)/revoke", from: DialTarget.control)
    }
    let answer = enter(try code())
    let guest = streem.identify(Credentials(token: try #require(SimulatedStreem.member("token", answer.text))))
    #expect(streem.types(guest) == ["identified"])
  }
}

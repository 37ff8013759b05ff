import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayStreem
import TestSupport
import Testing

/// Streem with a faulty store, in virtual time.
@Suite("While the store of Streem's side")
struct StreemStoreScenes {
  private let streem = try! SimulatedStreem()

  private var store: FaultyStore { streem.space.store }

  @Test("is away, a login is put off with 1013 and may be tried again, and is accepted afterwards")
  func loginWhileAway() {
    store.fault = .away
    let peer = streem.identify(streem.token())
    #expect(streem.types(peer).last == "identifyFailed" && streem.last("reason", peer) == "store_unavailable")
    #expect(peer.texts.last?.contains(#""retryable":true"#) == true && peer.ending?.code == 1013)
    store.fault = nil
    let again = streem.identify(streem.token())
    #expect(streem.types(again) == ["identified"] && again.isOpen)
  }

  @Test("is away, a session whose token cannot be judged goes on, and takes it afterwards")
  func refreshWhileAway() {
    let peer = streem.identify(streem.token(sessionLife: 600))
    let next = streem.token(sessionLife: 6_000)
    store.fault = .away
    for _ in 0..<5 {
      streem.say(peer, #"{"type":"identify","token":"\#(next.token)"}"#)
      streem.world.advance(by: .seconds(1))
    }
    #expect(peer.isOpen)
    store.fault = nil
    streem.say(peer, #"{"type":"identify","token":"\#(next.token)"}"#)
    #expect(peer.texts.last?.contains(#""refreshed":true"#) == true)
  }

  @Test("is away, HTTP answers 503 and when to ask again, and no key, company or token is called unknown")
  func requestsWhileAway() throws {
    let peer = streem.identify(streem.token())
    let key = streem.forge.basic
    store.fault = .away
    let answers = [
      streem.fetch("GET", "/v1/companies/postern", basic: key),
      streem.fetch("GET", "/v1/rooms", query: [HTTPField("reference_id", "1")], basic: key),
      streem.fetch("GET", "/v1/webhooks", basic: key),
      streem.fetch("DELETE", "/v1/webhooks/wh_1", basic: key),
      streem.fetch("GET", "/streem/v1/recently-identified-users", token: streem.token()),
      streem.fetch("POST", "/streem/v1/invitations/123-456-789/login"),
      streem.fetch(
        "POST", "/streem/v1/streem-token", token: Credentials(token: "pat_" + String(repeating: "A", count: 43))),
      streem.fetch("GET", "/streem/oidc/postern/jwks"),
      streem.fetch("GET", "/streem/api-keys", from: .control),
    ]
    for answer in answers {
      #expect(answer.status == 503 && answer.header("retry-after") != nil, "\(answer.text)")
    }
    #expect(peer.isOpen)
    store.fault = nil
    #expect(streem.fetch("GET", "/v1/companies/postern", basic: key).status == 200)
  }

  @Test(
    "is in trouble, a call whose one half goes ends for the other as soon as it is not, once",
    arguments: [FaultyStore.Fault.away, .lostAnswer, .conflict, .late(.milliseconds(700))])
  func callWhileInTrouble(fault: FaultyStore.Fault) throws {
    let (pro, customer) = (streem.identify(streem.token("ann")), streem.identify(streem.token("carl")))
    let remote = try #require(SimulatedStreem.member("streemUserId", pro.texts[0]))
    let start = #"{"type":"startRemoteStream","role":"LOCAL_CUSTOMER","remoteUserId":"\#(remote)"}"#
    streem.say(customer, start)
    let sid = try #require(streem.last("roomSid", customer))
    streem.say(pro, #"{"type":"joinRemoteStream","roomSid":"\#(sid)"}"#)
    store.fault = fault
    pro.close()
    streem.world.advance(by: .seconds(5))
    store.fault = nil
    streem.world.advance(by: .seconds(5))
    #expect(streem.types(customer).count { $0 == "remoteStreamEnded" } == 1)
    #expect(streem.last("cause", customer) == "disconnected" && streem.last("state", customer) == "ended")
    _ = streem.identify(streem.token("ann"))
    streem.say(customer, start)
    #expect(streem.types(customer).last == "remoteStreamRinging", "the connection is free again")
  }

  @Test("loses the answers to commits, an invitation is given to nobody twice")
  func invitationWhileAnswersAreLost() throws {
    let expert = streem.identify(streem.token(), #","isExpert":true"#)
    streem.say(expert, #"{"type":"createInvitation","toUserName":"Carl"}"#)
    let answer = try #require(expert.texts.last)
    let code = try #require(SimulatedStreem.member("invitationCode", answer))
    store.fault = .lostAnswer
    let path = "/streem/v1/invitations/\(code)/login"
    #expect(streem.fetch("POST", path).status == 503)
    store.fault = nil
    #expect(streem.fetch("POST", path).status == 410)
  }
}

import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStreem

/// Streem with a faulty store, in virtual time.
@Suite(.onNodes)
struct StreemStoreScenes {
  private let streem = try! SimulatedStreem()

  private var store: FaultyStore { streem.space.store }

  @Test
  func `a login while the store is away is refused with 1013, may be retried, and is accepted afterwards`() {
    store.fault = .away
    let peer = streem.identify(streem.token())
    #expect(streem.types(peer).last == "identifyFailed" && streem.last("reason", peer) == "store_unavailable")
    #expect(peer.texts.last?.contains(#""retryable":true"#) == true && peer.ending?.code == 1013)
    store.fault = nil
    let again = streem.identify(streem.token())
    #expect(streem.types(again) == ["identified"] && again.isOpen)
  }

  @Test
  func
    `a session whose token cannot be verified while the store is away continues, and its token is accepted afterwards`()
  {
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

  @Test
  func
    `HTTP answers 503 with the time to retry after while the store is away, and no key, company or token is unknown`()
    throws
  {
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

  @Test(arguments: [FaultyStore.Fault.away, .lostAnswer, .conflict, .late(.milliseconds(700))])
  func `a call that loses one side during trouble of the store ends for the other as soon as the trouble ends, once`(
    fault: FaultyStore.Fault
  ) throws {
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

  @Test
  func `no invitation is taken twice while the store loses the answers to commits`() throws {
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

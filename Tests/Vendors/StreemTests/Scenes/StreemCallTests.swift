import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
struct StreemCallTests {
  private let streem: SimulatedStreem
  private let pro: SimulatedPeer
  private let customer: SimulatedPeer

  init() throws {
    streem = try SimulatedStreem()
    pro = streem.identify(streem.token("ann"), #","isExpert":true"#)
    customer = streem.identify(streem.token("carl"))
  }

  private func id(_ peer: SimulatedPeer) throws -> String {
    try #require(SimulatedStreem.member("streemUserId", peer.texts[0]))
  }

  /// Calls the pro as the customer; returns the call's sid.
  private func call(_ members: String = #","role":"LOCAL_CUSTOMER""#) throws -> String {
    streem.say(
      customer, #"{"type":"startRemoteStream","id":"1","remoteUserId":"\#(try id(pro))","referenceId":"R1"\#(members)}"#
    )
    return try #require(streem.last("roomSid", customer))
  }

  @Test(arguments: [
    ("LOCAL_CUSTOMER", "REMOTE_PRO"), ("ONSITE_CUSTOMER", "ONSITE_PRO"), ("REMOTE_PRO", "LOCAL_CUSTOMER"),
    ("ONSITE_PRO", "ONSITE_CUSTOMER"),
  ])
  func `a call rings, starts and ends on both sides, and the other role follows from the first`(
    role: String, counterpart: String
  ) throws {
    let sid = try call(#","role":"\#(role)""#)
    #expect(streem.types(customer).last == "remoteStreamRinging" && streem.last("id", customer) == "1")
    #expect(streem.types(pro).last == "incomingRemoteStream")
    #expect(pro.texts.last?.contains(#""role":"\#(role)","isPresent":true"#) == true)
    #expect(pro.texts.last?.contains(#""role":"\#(counterpart)","isPresent":false"#) == true)
    streem.say(pro, #"{"type":"joinRemoteStream","id":"2","roomSid":"\#(sid)"}"#)
    for peer in [pro, customer] {
      #expect(streem.types(peer).last == "remoteStreamStarted" && streem.last("state", peer) == "live")
      #expect(peer.texts.last?.contains(#""isPresent":false"#) == false)
    }
    #expect(streem.last("id", pro) == "2")
    streem.say(customer, #"{"type":"leaveRemoteStream","id":"3","roomSid":"\#(sid)"}"#)
    for peer in [pro, customer] {
      #expect(streem.types(peer).last == "remoteStreamEnded" && streem.last("cause", peer) == "left")
    }
    streem.say(pro, #"{"type":"leaveRemoteStream","roomSid":"\#(sid)"}"#)
    #expect(streem.last("reason", pro) == "not_found", "it is over")
  }

  @Test
  func `a call has a link to a page, which shows its progress and no names`() throws {
    func text(_ sid: String) -> (status: Int, text: String) {
      let page = streem.fetch("GET", "/mycalls/\(sid)")
      return (page.status, String(decoding: page.body, as: UTF8.self))
    }
    let sid = try call()
    #expect(text(sid).text.contains("It rings."))
    streem.say(pro, #"{"type":"joinRemoteStream","id":"2","roomSid":"\#(sid)"}"#)
    #expect(text(sid).text.contains("It goes on."))
    streem.say(customer, #"{"type":"leaveRemoteStream","id":"3","roomSid":"\#(sid)"}"#)
    let over = text(sid)
    #expect(over.status == 200 && over.text.contains("It is over.") && !over.text.contains("carl"))
    for stray in ["rm_none", "x", "%00", "..%2f"] { #expect(text(stray).status == 404) }
    streem.world.advance(by: .seconds(86_401))
    #expect(text(sid).status == 404, "a day is long")
  }

  @Test
  func `a call started right before the logout ends with the login, and leaves nothing behind`() throws {
    let start = #"{"type":"startRemoteStream","id":"1","remoteUserId":"\#(try id(pro))","role":"LOCAL_CUSTOMER"}"#
    customer.say(start)
    customer.say(#"{"type":"getRecentlyIdentifiedUsers","id":"2"}"#)
    customer.say(#"{"type":"logout","id":"3"}"#)
    streem.world.settle()
    #expect(streem.types(customer).suffix(3) == ["remoteStreamRinging", "recentlyIdentifiedUsers", "loggedOut"])
    #expect(streem.types(pro).suffix(2) == ["incomingRemoteStream", "remoteStreamEnded"])
    streem.say(customer, #"{"type":"identify","token":"\#(streem.token("carl").token)"}"#)
    streem.say(customer, start)
    #expect(streem.types(customer).last == "remoteStreamRinging", "the connection is in no call any more")
  }

  @Test
  func `a call may be joined in another role, of the other kind`() throws {
    let sid = try call()
    streem.say(pro, #"{"type":"joinRemoteStream","roomSid":"\#(sid)","role":"ONSITE_CUSTOMER"}"#)
    #expect(streem.last("reason", pro) == "invalid_parameter")
    streem.say(pro, #"{"type":"joinRemoteStream","roomSid":"\#(sid)","role":"ONSITE_PRO"}"#)
    #expect(customer.texts.last?.contains(#""role":"ONSITE_PRO""#) == true)
  }

  @Test
  func `a call of two customers, of a user with itself, or across companies is refused`() throws {
    func start(_ members: String) -> String? {
      streem.say(customer, #"{"type":"startRemoteStream","role":"LOCAL_CUSTOMER",\#(members)}"#)
      return streem.last("reason", customer)
    }
    #expect(start(#""remoteUserId":"\#(try id(pro))","remoteRole":"ONSITE_CUSTOMER""#) == "invalid_parameter")
    #expect(start(#""remoteUserId":"\#(try id(customer))""#) == "user_unknown")
    let issuer = try streem.otherCompany()
    let stranger = streem.identify(issuer.mint("ann", issuedAt: streem.world.wallTime))
    #expect(start(#""remoteUserId":"\#(try id(stranger))""#) == "user_unknown")
    #expect(streem.types(stranger) == ["identified"])
    pro.close()
    streem.world.settle()
    #expect(start(#""remoteUserId":"\#(try id(pro))""#) == "not_found", "nobody is there to hear it")
  }

  @Test(arguments: ["close", "logout", "identify"])
  func `a call ends when either side is gone, logs out or becomes another user`(how: String) throws {
    let sid = try call()
    streem.say(pro, #"{"type":"joinRemoteStream","roomSid":"\#(sid)"}"#)
    switch how {
    case "close": pro.close()
    case "logout": pro.say(#"{"type":"logout"}"#)
    default: pro.say(#"{"type":"identify","token":"\#(streem.token("bob").token)"}"#)
    }
    streem.world.settle()
    #expect(streem.types(customer).last == "remoteStreamEnded" && streem.last("cause", customer) == "disconnected")
    let again = streem.identify(streem.token("ann"))
    streem.say(customer, #"{"type":"startRemoteStream","role":"LOCAL_CUSTOMER","remoteUserId":"\#(try id(again))"}"#)
    #expect(streem.types(customer).last == "remoteStreamRinging", "the connection is free again")
  }

  @Test
  func `a call stops ringing when the caller is gone`() throws {
    _ = try call()
    customer.abort()
    streem.world.settle()
    #expect(streem.types(pro).last == "remoteStreamEnded" && streem.last("cause", pro) == "disconnected")
  }

  @Test
  func `a call is refused by the called user, on any of their connections`() throws {
    let sid = try call()
    let second = streem.identify(streem.token("ann"))
    streem.say(second, #"{"type":"leaveRemoteStream","roomSid":"\#(sid)"}"#)
    #expect(streem.types(customer).last == "remoteStreamEnded")
  }

  @Test
  func `a connection has one call at a time, and no third user joins`() throws {
    let sid = try call()
    streem.say(customer, #"{"type":"startRemoteStream","role":"LOCAL_CUSTOMER","remoteUserId":"\#(try id(pro))"}"#)
    #expect(streem.last("reason", customer) == "invalid_parameter")
    let third = streem.identify(streem.token("bob"))
    streem.say(third, #"{"type":"joinRemoteStream","roomSid":"\#(sid)"}"#)
    #expect(streem.last("reason", third) == "not_found")
    streem.say(third, #"{"type":"leaveRemoteStream","roomSid":"\#(sid)"}"#)
    #expect(streem.last("reason", third) == "not_found")
  }

  @Test
  func `a call is found by its reference, by the company's own server only`() throws {
    let sid = try call()
    let basic = streem.forge.basic
    func rooms(_ reference: String, _ basic: String) -> HTTPResponse {
      streem.fetch("GET", "/v1/rooms", query: [HTTPField("reference_id", reference)], basic: basic)
    }
    let found = rooms("R1", basic)
    #expect(found.status == 200 && found.text.contains(#""room_sid":"\#(sid)","reference_id":"R1","state":"ringing""#))
    #expect(rooms("R2", basic).text == #"{"rooms":[]}"#)
    #expect(rooms("R1", "\(streem.forge.id):wrong").status == 401)
    #expect(streem.fetch("GET", "/v1/rooms", basic: basic).status == 400)
  }
}

import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
struct StreemShareTests {
  private let streem: SimulatedStreem
  private let pro: SimulatedPeer
  private let customer: SimulatedPeer
  private let sid: String

  init() throws {
    streem = try SimulatedStreem()
    pro = streem.identify(streem.token("ann", ["name": #""<b>Ann</b>""#]), #","isExpert":true"#)
    customer = streem.identify(streem.token("carl"))
    let id = try #require(SimulatedStreem.member("streemUserId", pro.texts[0]))
    streem.say(
      customer,
      #"{"type":"startRemoteStream","remoteUserId":"\#(id)","referenceId":"R<1>","role":"LOCAL_CUSTOMER"}"#)
    sid = try #require(streem.last("roomSid", customer))
  }

  private func share(_ sid: String, _ basic: String? = nil) -> HTTPResponse {
    streem.fetch("POST", "/v1/rooms/\(sid)/share-tokens", basic: basic ?? streem.forge.basic)
  }

  /// Returns the path in a new token's URL.
  private func path() throws -> String {
    let made = share(sid)
    #expect(made.status == 201 && made.text.contains(#""room_sid":"\#(sid)""#))
    let address = try #require(SimulatedStreem.member("share_url", made.text))
    let host = "https://postern.streem.us"
    #expect(address.hasPrefix(host + "/share/shr_") && address.hasSuffix("/details/" + sid))
    return String(address.dropFirst(host.count))
  }

  @Test
  func `a shared call has a page for holders of its address, before its end and for a day after it`() throws {
    let early = try path()
    let ringing = streem.fetch("GET", early)
    #expect(ringing.status == 200 && ringing.header("content-type") == "text/html; charset=utf-8")
    for line in [
      "It rings.", "Reference: R&lt;1&gt;", "LOCAL_CUSTOMER: carl", "REMOTE_PRO: &lt;b&gt;Ann&lt;/b&gt;",
    ] { #expect(ringing.text.contains("<p>\(line)</p>"), "\(line)") }
    streem.say(pro, #"{"type":"joinRemoteStream","roomSid":"\#(sid)"}"#)
    streem.world.advance(by: .seconds(40))
    #expect(streem.fetch("GET", early).text.contains("It goes on."))
    streem.say(pro, #"{"type":"leaveRemoteStream","roomSid":"\#(sid)"}"#)
    streem.world.advance(by: .seconds(80_000))
    let late = try path()
    for path in [early, late] { #expect(streem.fetch("GET", path).text.contains("It lasted 40 seconds.")) }
    streem.world.advance(by: .seconds(6_401))
    for path in [early, late] { #expect(streem.fetch("GET", path).status == 404, "sharing makes it live no longer") }
    #expect(share(sid).status == 404)
  }

  @Test
  func `a shared call is hidden from holders of another token, or one of another call`() throws {
    let path = try path()
    let token = path.split(separator: "/")[1]
    for stray in [
      path + "x", path.replacing("shr_", with: "shr_x"), "/share/shr_/details/\(sid)", "/share/%00/details/\(sid)",
      "/share/\(token)/details/rm_none", "/share/\(sid)/details/\(token)",
    ] {
      let page = streem.fetch("GET", stray)
      #expect(page.status == 404 && !page.text.contains("carl"), "\(stray)")
    }
  }

  @Test
  func `a call is shared by its own company, a hundred times at most, also with many at once`() throws {
    #expect(share("rm_none").status == 404 && share("%20").status == 404)
    #expect(share(sid, "\(streem.forge.id):wrong").status == 401)
    _ = streem.fetch("POST", "/streem/companies", body: #"{"code":"other"}"#, from: .control)
    let other = streem.fetch("POST", "/streem/api-keys", body: #"{"company_code":"other"}"#, from: .control)
    let theirs = try
      "\(#require(SimulatedStreem.member("id", other.text))):\(#require(SimulatedStreem.member("secret", other.text)))"
    #expect(share(sid, theirs).status == 404)
    let statuses = (0..<101).map { _ in share(sid).status }
    #expect(statuses == Array(repeating: 201, count: 100) + [429])
  }
}

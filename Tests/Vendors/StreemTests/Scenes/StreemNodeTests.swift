import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayStreem

/// Two gateways on one store.
struct StreemNodeTests {
  private let streem: SimulatedStreem
  private let pro: SimulatedPeer
  private let customer: SimulatedPeer
  private static let other = NodeBoot(node: 1, boot: 0)

  init() throws {
    streem = try SimulatedStreem()
    pro = streem.identify(streem.token("ann"), #","isExpert":true"#)
    customer = streem.identify(streem.token("carl"))
  }

  private func call() throws -> String {
    let id = try #require(SimulatedStreem.member("streemUserId", pro.texts[0]))
    streem.say(customer, #"{"type":"startRemoteStream","id":"1","remoteUserId":"\#(id)","role":"LOCAL_CUSTOMER"}"#)
    let sid = try #require(streem.last("roomSid", customer))
    streem.say(pro, #"{"type":"joinRemoteStream","id":"2","roomSid":"\#(sid)"}"#)
    return sid
  }

  private func state(_ sid: String) -> String {
    let page = String(decoding: streem.fetch("GET", "/mycalls/\(sid)").body, as: UTF8.self)
    return ["It goes on.", "It is over."].first { page.contains($0) } ?? page
  }

  private func keySet(_ target: DialTarget) -> String {
    let request = HTTPRequest(method: "GET", path: "/streem/oidc/postern/jwks", headers: [HTTPField("host", "gateway")])
    return String(decoding: streem.fetch(request, from: target).body, as: UTF8.self)
  }

  @Test
  func `a second gateway of Streem starts without a write, and no call of the first ends`() throws {
    let sid = try call()
    let commits = streem.space.store.commitCount
    for boot in 0..<3 { _ = try streem.space.second(NodeBoot(node: 1, boot: boot)) }
    #expect(streem.space.store.commitCount == commits)
    #expect(state(sid) == "It goes on." && streem.types(pro).last == "remoteStreamStarted")
  }

  @Test
  func `both gateways sign with the same keys`() throws {
    let first = keySet(.gateway)
    let second = try streem.space.second(Self.other)
    #expect(first.utf8.count > 500 && keySet(.second) == first)
    let vendor = try #require(second.vendors[0] as? StreemVendor)
    #expect(vendor.issuer.apiKey == streem.space.vendor.issuer.apiKey)
    let now = streem.world.wallTime
    let token = vendor.issuer.mint(user: UserID("eve"), kind: .regular, issuedAt: now, expiresAt: nil, calls: nil)
    #expect(streem.types(streem.identify(token)).last == "identified")
  }

  @Test
  func `the end of a process ends its calls once and no others`() throws {
    let sid = try call()
    let second = try streem.space.second(Self.other)
    let take = { (dead: DeadBoots) in streem.world.ask { (try? await second.takeOver(dead)) != nil } }
    #expect(take(DeadBoots(before: [.first, Self.other.next])) == true && state(sid) == "It goes on.")
    #expect(take(DeadBoots(before: [NodeBoot.first.next])) == true && state(sid) == "It is over.")
    let commits = streem.space.store.commitCount
    #expect(take(DeadBoots(before: [NodeBoot.first.next])) == true && streem.space.store.commitCount == commits)
  }
}

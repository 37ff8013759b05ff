import GatewayCore
import GatewayJSON
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct SetupAtOnceTests {
  private let http: StreamCallWorld

  init() throws {
    http = try StreamCallWorld()
  }

  /// Returns the statuses of eight concurrent requests.
  private func eightTimes(_ method: String, _ path: String, _ body: String = "") -> [Int: Int] {
    let statuses = http.serve(atOnce: Array(repeating: (method, path, body), count: 8))
    return Dictionary(statuses.map { ($0, 1) }, uniquingKeysWith: +)
  }

  private func server(_ path: String) throws -> JSONView {
    try JSONDocument.parse(try http.fetch("GET", path, as: .server).body, sizeMax: 1 << 20).root
  }

  @Test(arguments: [
    ("/roles", "captain", #"{"name":"captain"}"#), ("/video/calltypes", "workshop", #"{"name":"workshop"}"#),
    ("/permissions", "own", #"{"id":"own","name":"Own","action":"EndCall"}"#),
    ("/external_storage", "mine", #"{"name":"mine","bucket":"b","storage_type":"s3"}"#),
  ])
  func `if several servers create the same setup, one succeeds, and one removes it`(
    path: String, name: String, body: String
  ) throws {
    #expect(eightTimes("POST", path, body) == [201: 1, 400: 7])
    #expect(eightTimes("DELETE", "\(path)/\(name)") == [200: 1, 404: 7])
    #expect(eightTimes("POST", path, body) == [201: 1, 400: 7])
  }

  @Test
  func `several servers ban a user once, and delete a user permanently among restores`() throws {
    let zoe = #"{"users":{"zoe":{"id":"zoe","name":"Zoe"}}}"#
    #expect(eightTimes("POST", "/users", zoe) == [201: 8])
    #expect(eightTimes("POST", "/moderation/ban", #"{"target_user_id":"zoe","timeout":1}"#) == [201: 8])
    let mixed = http.serve(
      atOnce: (0..<8).map { number in
        number % 2 == 0 ? ("POST", "/users", zoe) : ("POST", "/users/delete", #"{"user_ids":["zoe"],"user":"soft"}"#)
      })
    #expect(mixed.enumerated().allSatisfy { $1 == 201 || $0 % 2 == 0 && $1 == 404 }, "\(mixed)")
    #expect(eightTimes("POST", "/users", zoe) == [404: 8])
  }

  @Test
  func `each server that asks gets its own trunk, and one server removes a trunk`() throws {
    let path = "/video/sip/inbound_trunks"
    #expect(eightTimes("POST", path, #"{"name":"desk","numbers":["+1"]}"#) == [201: 8])
    let trunks = try #require(try server(path).at("sip_trunks")?.elements)
    let ids = trunks.compactMap { $0["id"]?.string }
    #expect(Set(ids).count == 8)
    #expect(eightTimes("DELETE", "\(path)/\(ids[0])") == [200: 1, 404: 7])
    let changed = http.serve(
      atOnce: (0..<8).map { ("PUT", "\(path)/\(ids[1])", #"{"name":"desk-\#($0)","numbers":["+\#($0)"]}"#) })
    #expect(changed == Array(repeating: 200, count: 8))
    let kept = try #require(try server(path).at("sip_trunks")?.elements?.first { $0["id"]?.string == ids[1] })
    // One of them as a whole.
    #expect(kept["name"]?.string?.last == kept["numbers"]?.elements?.first?.string?.last)
  }

  @Test
  func `grants of several servers to roles of one call type are all kept`() throws {
    let roles = ["host", "moderator", "user", "guest", "call_member"]
    let statuses = http.serve(
      atOnce: roles.map { role in
        ("PUT", "/video/calltypes/default", #"{"grants":{"\#(role)":["read-call","\#(role)-was-here"]}}"#)
      })
    #expect(statuses == [200, 200, 200, 200, 200])
    let type = try server("/video/calltypes/default")
    for role in roles {
      #expect(type.at("grants.\(role)")?.elements?.contains { $0.string == "\(role)-was-here" } == true, "\(role)")
    }
  }

  @Test
  func `a permission grants its final actions, however it was changed during grants`() throws {
    _ = try http.ask("POST", "call/default/a")
    let wish = #"{"id":"own","name":"Own","action":"EndCall"}"#
    #expect(try http.fetch("POST", "/permissions", wish, as: .server).status == 201)
    for (last, capability) in [("MuteUsers", "mute-users"), ("EndCall", "end-call")] {
      let statuses = http.serve(atOnce: [
        ("PUT", "/video/calltypes/default", #"{"grants":{"user":["read-call","own"]}}"#),
        ("PUT", "/permissions/own", #"{"name":"Own","action":"\#(last)"}"#),
        ("PUT", "/video/calltypes/default", #"{"settings":{"audio":{"mic_default_on":false}}}"#),
      ])
      #expect(statuses == [200, 200, 200])
      let own = try http.ask("GET", "call/default/a", as: .user("bob")).body.strings("own_capabilities")
      #expect(own == [capability, "read-call"].sorted())
    }
  }

  @Test
  func `a push provider removed during its use leaves no template`() throws {
    let provider = #"{"push_provider":{"type":"apn","name":"mine"}}"#
    #expect(try http.fetch("POST", "/push_providers", provider, as: .server).status == 201)
    func template(_ event: String) -> (method: String, path: String, body: String) {
      let body = #"{"event_type":"\#(event)","push_provider_type":"apn","push_provider_name":"mine"}"#
      return ("POST", "/push_templates", body)
    }
    let before = (0..<4).map { template("before-\($0)") }
    let statuses = http.serve(
      atOnce: before + [("DELETE", "/push_providers/apn/mine", "")] + (0..<4).map { template("after-\($0)") })
    #expect(statuses[4] == 200 && Set(statuses).isSubset(of: [200, 201, 404]), "\(statuses)")
    let query = [HTTPField("push_provider_type", "apn")]
    let left = try http.fetch("GET", "/push_templates", as: .server, query: query)
    #expect(try JSONDocument.parse(left.body).root.at("templates")?.count == 0)
  }
}

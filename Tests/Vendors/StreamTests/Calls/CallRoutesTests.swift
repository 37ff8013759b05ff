import GatewayCore
import GatewayJSON
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct CallRoutesTests {
  @Test
  func `a call is made once, with its first data, and announced`() throws {
    let http = try StreamCallWorld()
    let body = """
      {"data":{"custom":{"topic":"tea","n":[1,2]},"team":"blue","members":[{"user_id":"bob","role":"host"}],
      "settings_override":{"audio":{"default_device":"speaker"},"limits":{"max_participants":3}}},"future_member":1}
      """
    let made = try http.ask("POST", "call/default/a", body)
    #expect(made.status == 201)
    #expect(made.body.at("created")?.bool == true)
    #expect(made.body.at("call.custom.topic")?.string == "tea")
    #expect(made.body.at("call.custom.n.1")?.integer == 2)
    #expect(made.body.at("call.team")?.string == "blue")
    #expect(made.body.at("call.created_by.id")?.string == "ann")
    #expect(made.body.at("call.current_session_id")?.string == "")
    #expect(made.body.at("call.settings.audio.default_device")?.string == "speaker")
    #expect(made.body.at("call.settings.limits.max_participants")?.integer == 3)
    #expect(made.body.at("call.settings.video.camera_facing")?.string == "front")
    #expect(made.body.at("members.0.user.id")?.string == "bob")
    #expect(made.body.at("members.0.role")?.string == "host")
    #expect(http.told() == ["call.created"])
    #expect(try http.event("call.created").at("members.0.user_id")?.string == "bob")

    let again = try http.ask("POST", "call/default/a", #"{"data":{"custom":{"topic":"coffee"}}}"#, as: .user("bob"))
    #expect(again.status == 201)
    #expect(again.body.at("created")?.bool == false)
    #expect(again.body.at("call.custom.topic")?.string == "tea")
    #expect(again.body.at("membership.user_id")?.string == "bob")
    #expect(http.told() == ["call.created"])
  }

  @Test
  func `a call is read with as many members as asked for, and GET and PATCH answer 200`() throws {
    let http = try StreamCallWorld()
    let members = (0..<5).map { #"{"user_id":"user\#($0)"}"# }.joined(separator: ",")
    _ = try http.ask("POST", "call/default/a", #"{"data":{"members":[\#(members)]}}"#)
    let answer = try http.ask("GET", "call/default/a", query: [HTTPField("members_limit", "2")])
    #expect(answer.status == 200)
    #expect(answer.body.at("created") == nil)
    #expect(answer.body.at("members")?.count == 2)
    #expect(try http.ask("GET", "call/default/a").body.at("members")?.count == 5)
    #expect(try http.ask("GET", "call/default/a", query: [HTTPField("members_limit", "101")]).status == 400)
  }

  @Test
  func `a call changes as asked, part by part, and only for permitted users`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a", #"{"data":{"settings_override":{"ring":{"auto_cancel_timeout_ms":5}}}}"#)
    let body = """
      {"custom":{"topic":"tea"},"starts_at":"2030-01-01T00:00:00Z","settings_override":{"video":{"enabled":false}}}
      """
    let answer = try http.ask("PATCH", "call/default/a", body)
    #expect(answer.status == 200)
    #expect(answer.body.at("call.custom.topic")?.string == "tea")
    #expect(answer.body.at("call.starts_at")?.string == "2030-01-01T00:00:00.000000000Z")
    #expect(answer.body.at("call.settings.video.enabled")?.bool == false)
    #expect(answer.body.at("call.settings.ring.auto_cancel_timeout_ms")?.integer == 5)
    let event = try http.event("call.updated")
    #expect(event.at("call.custom.topic")?.string == "tea")
    #expect(event.at("capabilities_by_role.anonymous")?.elements?.compactMap(\.string) == ["join-call", "read-call"])
    #expect(try http.ask("PATCH", "call/default/a", "{}", as: .user("bob")).status == 403)
  }

  @Test
  func `a call gains, changes and loses members, and members are told on every connection`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a", #"{"data":{"members":[{"user_id":"bob"}]}}"#)
    let (bob, eve) = (try http.connect("bob"), try http.connect("eve"))
    let added = try http.ask(
      "POST", "call/default/a/members", #"{"update_members":[{"user_id":"eve"},{"user_id":"bob","role":"host"}]}"#,
      as: .server)
    #expect(added.status == 201)
    #expect(added.body.at("members")?.count == 2)
    #expect(http.told() == ["call.created", "call.member_added", "call.member_updated_permission"])
    #expect(http.heard(on: eve) == ["call.member_added"] && http.heard(on: bob) == [], "bob does not watch")
    let permission = try http.event("call.member_updated_permission")
    #expect(permission.at("members.0.role")?.string == "host" && permission.at("capabilities_by_role.host") != nil)
    let both = #"{"update_members":[{"user_id":"bob","role":"admin","custom":{"a":1}},{"user_id":"eve","custom":{}}]}"#
    _ = try http.ask("POST", "call/default/a/members", both, as: .server)
    #expect(http.told().suffix(2) == ["call.member_updated_permission", "call.member_updated"])
    let updated = try http.event("call.member_updated")
    #expect(updated.at("members")?.count == 1 && updated.at("members.0.custom.a")?.integer == 1)
    #expect(updated.at("capabilities_by_role") == nil)
    let removed = try http.ask("POST", "call/default/a/members", #"{"remove_members":["bob","nobody"]}"#)
    #expect(removed.body.at("members.0.user_id")?.string == "eve")
    #expect(try http.event("call.member_removed").at("members.0")?.string == "bob")
    let refused = try http.ask(
      "POST", "call/default/a/members", #"{"update_members":[{"user_id":"zoe"}]}"#, as: .guest)
    #expect(refused.status == 403)
  }

  @Test
  func `only a server may delete a call permanently`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    #expect(try http.ask("POST", "call/default/a/delete", #"{"hard":true}"#).status == 403)
    let answer = try http.ask("POST", "call/default/a/delete", #"{"hard":true}"#, as: .server)
    #expect(answer.status == 201 && answer.body.at("call.cid")?.string == "default:a")
    #expect(http.told().last == "call.deleted")
    #expect(try http.ask("GET", "call/default/a").status == 404)
  }

  @Test
  func `a server creates a call for the user that it names`() throws {
    let http = try StreamCallWorld()
    let refused = try http.ask("POST", "call/default/a", as: .server)
    #expect(refused.status == 400 && refused.body.at("code")?.integer == 4)
    for (call, data) in [("a", #"{"created_by_id":"zoe"}"#), ("b", #"{"created_by":{"id":"zoe"}}"#)] {
      let made = try http.ask("POST", "call/default/\(call)", #"{"data":\#(data)}"#, as: .server, v2: true)
      #expect(made.status == 201)
      #expect(made.body.at("call.created_by.id")?.string == "zoe")
      #expect(made.body.at("own_capabilities")?.count == 32, "but four that the settings disable")
    }
    #expect(try http.ask("POST", "call/default/a", as: .server).body.at("created")?.bool == false)
  }

  @Test
  func `a call too many is refused`() throws {
    let http = try StreamCallWorld(limits: StreamCallLimits(calls: 1))
    #expect(try http.ask("POST", "call/default/a").status == 201)
    let answer = try http.ask("POST", "call/default/b")
    #expect(answer.status == 429 && answer.body.at("code")?.integer == 9)
    #expect(try http.ask("GET", "call/default/a").status == 200)
  }

  @Test
  func `calls ring through devices that come and go`() throws {
    let http = try StreamCallWorld()
    let device = #"{"id":"phone","push_provider":"apn","push_provider_name":"p","voip_token":true}"#
    for root in ["/video/devices", "/api/v2/devices", "/devices"] {
      #expect(try http.fetch("POST", root, device).status == 201)
    }
    let list = try JSONDocument.parse(try http.fetch("GET", "/video/devices").body).root
    #expect(list.at("devices")?.count == 1)
    #expect(list.at("devices.0.user_id")?.string == "ann")
    #expect(list.at("devices.0.created_at")?.string == "2027-01-15T08:00:00.000000000Z")
    let numbers = try JSONDocument.parse(try http.fetch("GET", "/api/v2/devices").body).root
    #expect(numbers.at("devices.0.created_at")?.integer == 1_800_000_000_000_000_000)
    let named = #"{"id":"tablet","push_provider":"firebase","user_id":"bob"}"#
    #expect(try http.fetch("POST", "/api/v2/devices", named, as: .server).status == 201)
    #expect(
      try http.fetch("DELETE", "/video/devices", query: [HTTPField("id", "phone")]).status == 200)
    #expect(try http.fetch("DELETE", "/video/devices", query: [HTTPField("id", "phone")]).status == 404)
    #expect(try http.fetch("DELETE", "/video/devices").status == 400)
  }

  @Test
  func `the client's location is answered, and its telemetry accepted from any client`() throws {
    let http = try StreamCallWorld()
    for method in ["GET"] {
      let hint = try http.fetch(method, "/", as: .nobody)
      #expect(hint.status == 200 && hint.header("x-amz-cf-pop")?.prefix(3) == "FRA")
      #expect(hint.header("access-control-expose-headers") == "x-amz-cf-pop")
    }
    #expect(try http.ask("GET", "edges").body.at("edges")?.count == 0)
    for path in ["/video/call_client_event", "/api/v2/video/call_client_event"] {
      #expect(try http.fetch("POST", path, #"{"event_type":"x"}"#, as: .nobody).status == 201)
    }
  }
}

struct CallRequestTests {
  @Test
  func `a call is made with four requests of the store, and got again with as many`() throws {
    let http = try StreamCallWorld()
    let body = #"{"data":{"members":[{"user_id":"ann"},{"user_id":"bob"}]}}"#
    _ = try http.ask("POST", "call/default/first", body)
    let store = http.stream.space.store
    let before = store.requestCount
    #expect(try http.ask("POST", "call/default/a", body).body.at("created")?.bool == true)
    #expect(store.requestCount - before == 4)
    #expect(try http.ask("POST", "call/default/a", body).body.at("created")?.bool == false)
    #expect(store.requestCount - before == 8)
  }
}

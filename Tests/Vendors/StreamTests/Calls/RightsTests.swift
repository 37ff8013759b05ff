import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct RightsTests {
  private let join = #"{"location":"FRA","create":true}"#

  @Test
  func `a call token opens its calls and no others`() throws {
    let http = try StreamCallWorld()
    let asker = StreamCallWorld.Asker.user("bob", calls: ["default:a"])
    for call in ["a", "b"] { _ = try http.ask("POST", "call/default/\(call)") }
    #expect(try http.ask("GET", "call/default/a", as: asker).status == 200)
    #expect(try http.ask("POST", "call/default/a/join", join, as: asker).status == 201)
    for (method, path, body) in [
      ("GET", "call/default/b", ""), ("POST", "call/default/b", ""), ("POST", "call/default/b/join", join),
      ("POST", "call/default/b/accept", ""), ("POST", "call/default/b/event", #"{"custom":{}}"#),
      ("POST", "call/members", #"{"type":"default","id":"b"}"#),
    ] {
      let answer = try http.ask(method, path, body, as: asker)
      #expect(answer.status == 403 && answer.body.at("code")?.integer == 17, "\(path)")
    }
    let found = try http.ask("POST", "calls", "{}", as: asker).body.at("calls")
    #expect(found?.elements?.compactMap { $0.at("call.id")?.string } == ["a"])
  }

  @Test
  func `a call token's role holds in its calls`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    let host = StreamCallWorld.Asker.user("bob", calls: ["default:a"], role: "host")
    #expect(try http.ask("GET", "call/default/a", as: .user("bob")).body.at("own_capabilities")?.count != 36)
    #expect(
      try http.ask("GET", "call/default/a", as: host).body.at("own_capabilities")?.count == 32,
      "but four that the settings disable")
    #expect(try http.ask("POST", "call/default/a/mark_ended", as: host).status == 201)
  }

  @Test
  func `anonymous users read and join what their token allows, and cannot publish, create or watch`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    let visitor = StreamCallWorld.Asker.anonymous(calls: ["default:a", "default:new"])
    let joined = try http.ask("POST", "call/default/a/join", join, as: visitor)
    #expect(joined.status == 201)
    #expect(joined.body.at("own_capabilities")?.elements?.compactMap(\.string) == ["join-call", "read-call"])
    #expect(try http.ask("GET", "call/default/a", as: visitor).status == 200)
    #expect(try http.ask("POST", "calls", "{}", as: visitor).body.at("calls")?.count == 1)
    #expect(try http.ask("GET", "call/default/a", as: .anonymous(calls: [])).status == 403)
    for (path, body) in [
      ("call/default/new", "{}"), ("call/default/new/join", join), ("call/default/a/event", #"{"custom":{}}"#),
      ("call/default/a/accept", ""), ("call/default/a/mark_ended", ""), ("call/default/a", #"{"ring":true}"#),
      ("call/default/a/reaction", #"{"type":"like"}"#), ("call/default/a/leave", ""),
    ] {
      let answer = try http.ask("POST", path, body, as: visitor)
      #expect(answer.status == 403 && answer.body.at("code")?.integer == 17, "\(path)")
    }
    let foreign = try http.ask("GET", "call/default/a", as: visitor, on: http.connect("ann"))
    #expect(foreign.body.at("code")?.integer == 46)
  }

  @Test
  func `guests join and speak, and in a livestream they only watch`() throws {
    let http = try StreamCallWorld()
    let (users, now) = (http.stream.directory, http.stream.world.wallTime)
    _ = http.stream.world.ask {
      try? await users.updateUser(UserID("guest-1"), creates: true, at: now) { user, _ in user.role = "guest" }
    }
    for type in ["default", "livestream"] {
      _ = try http.ask("POST", "call/\(type)/a")
      _ = try http.ask("POST", "call/\(type)/a/go_live")
    }
    let guest = StreamCallWorld.Asker.user("guest-1")
    let own = try http.ask("POST", "call/default/a/join", join, as: guest).body.at("own_capabilities")
    #expect(own?.elements?.contains { $0.equals("send-audio") } == true)
    #expect(own?.elements?.contains { $0.equals("end-call") } == false)
    let watching = try http.ask("POST", "call/livestream/a/join", join, as: guest).body
    #expect(watching.at("own_capabilities")?.elements?.contains { $0.equals("send-audio") } == false)
    #expect(try http.ask("POST", "call/livestream/new", as: guest).status == 403)
  }

  @Test
  func `a blocked user is out and stays out until unblocked`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann"))
    _ = try http.ask("POST", "call/default/a/join", join, as: .user("bob"), on: http.connect("bob"))
    #expect(try http.ask("POST", "call/default/a/block", #"{"user_id":"ann"}"#, as: .user("bob")).status == 403)
    #expect(try http.ask("POST", "call/default/a/block", #"{"user_id":"bob"}"#).status == 201)
    #expect(http.told().suffix(2) == ["call.session_participant_left", "call.blocked_user"])
    #expect(try http.event("call.blocked_user").at("blocked_by_user.id")?.string == "ann")
    let refused = try http.ask("POST", "call/default/a/join", join, as: .user("bob"))
    #expect(refused.status == 403 && refused.body.at("code")?.integer == 17)
    #expect(try http.ask("GET", "call/default/a").body.at("call.blocked_user_ids.0")?.string == "bob")
    #expect(try http.ask("POST", "call/default/a/unblock", #"{"user_id":"bob"}"#).status == 201)
    #expect(try http.ask("POST", "call/default/a/join", join, as: .user("bob")).status == 201)
  }

  @Test
  func `capabilities are given and taken one by one, and their holder is told`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    let bob = try http.connect("bob")
    let grant = #"{"user_id":"bob","grant_permissions":["mute-users"],"revoke_permissions":["send-audio"]}"#
    #expect(try http.ask("POST", "call/default/a/user_permissions", grant, as: .user("bob")).status == 403)
    #expect(try http.ask("POST", "call/default/a/user_permissions", grant).status == 201)
    #expect(http.heard(on: bob) == ["call.permissions_updated"] && http.told() == ["call.created"])
    let own = try http.ask("GET", "call/default/a", as: .user("bob")).body.at("own_capabilities")
    let names = own?.elements?.compactMap(\.string) ?? []
    #expect(names.contains("mute-users") && !names.contains("send-audio"))
    #expect(
      try http.ask("POST", "call/default/a/mute_users", #"{"mute_all_users":true}"#, as: .user("bob")).status == 201)
  }

  @Test
  func `a refusal names the user and the action, in the vendor's words`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    let body = try http.ask("PATCH", "call/default/a", "{}", as: .user("bob")).body
    #expect(
      body.at("message")?.string
        == "UpdateCall failed with error: \"User 'bob' with role 'user' is not allowed to perform action UpdateCall in scope "
        + "'video:default'\"")
    let missing = try http.ask("GET", "call/default/none").body
    #expect(missing.at("code")?.integer == 16 && missing.at("StatusCode")?.integer == 404)
    #expect(missing.at("message")?.string == "GetCall failed with error: \"Can't find call with id default:none\"")
  }
}

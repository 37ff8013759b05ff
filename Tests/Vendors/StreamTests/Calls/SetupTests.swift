import GatewayCore
import GatewayJSON
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct SetupTests {
  private let join = #"{"location":"FRA","create":true}"#
  private static let roles = ["admin", "host", "moderator", "user", "guest", "anonymous", "call_member"]

  /// Returns the capabilities of the user who requests the call.
  private func capabilities(
    _ http: StreamCallWorld, _ call: String = "default/a", as asker: StreamCallWorld.Asker = .user("ann")
  ) throws -> [String] {
    try http.ask("GET", "call/\(call)", as: asker).body.strings("own_capabilities")
  }

  @Test
  func `a call's maker gets the grants that the vendor was seen to give, and later ones`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    // The coordinator's answer in October 2024.
    let seen = [
      "block-users", "change-max-duration", "create-call", "create-reaction", "enable-noise-cancellation", "end-call",
      "join-call", "join-ended-call", "mute-users", "pin-for-everyone", "read-call", "remove-call-member",
      "screenshare", "send-audio", "send-video", "start-broadcast-call", "start-record-call",
      "start-transcription-call", "stop-broadcast-call", "stop-record-call", "stop-transcription-call", "update-call",
      "update-call-member", "update-call-permissions", "update-call-settings",
    ]
    let later = [
      "kick-user", "start-closed-captions-call", "stop-closed-captions-call", "start-individual-record-call",
      "stop-individual-record-call",
    ]
    #expect(try capabilities(http) == (seen + later).sorted())
  }

  @Test
  func `call types exist, and new ones start as a copy of default`() throws {
    let http = try StreamCallWorld()
    let first = try http.ask("GET", "calltypes", as: .server)
    let names = try #require(first.body.at("call_types")?.members?.map(\.name))
    #expect(first.status == 200 && names == ["audio_room", "default", "development", "livestream"])
    #expect(try http.ask("POST", "call/workshop/a").status == 404)
    let wish = #"{"name":"workshop","settings":{"audio":{"mic_default_on":false}},"external_storage":"mine"}"#
    let made = try http.ask("POST", "calltypes", wish, as: .server)
    #expect(made.status == 201 && made.body.at("name")?.string == "workshop")
    #expect(made.body.at("settings.audio.mic_default_on")?.bool == false)
    #expect(made.body.at("settings.video.enabled")?.bool == true && made.body.at("external_storage")?.string == "mine")
    #expect(made.body.at("notification_settings.call_ring.apns") != nil)
    #expect(made.body.at("grants.user")?.elements?.contains { $0.equals("end-call") } == true)
    #expect(try http.ask("POST", "calltypes", wish, as: .server).body.at("code")?.integer == 4)
    let call = try http.ask("POST", "call/workshop/a")
    #expect(call.status == 201 && call.body.at("call.settings.audio.mic_default_on")?.bool == false)
    let change = #"{"settings":{"backstage":{"enabled":true}},"notification_settings":{"call_ring":{"enabled":false}}}"#
    let changed = try http.ask("PUT", "calltypes/workshop", change, as: .server)
    #expect(changed.status == 200 && changed.body.at("settings.audio.mic_default_on")?.bool == false)
    #expect(changed.body.at("notification_settings.call_ring.enabled")?.bool == false)
    #expect(try http.ask("POST", "call/workshop/b").body.at("call.backstage")?.bool == true)
    #expect(try http.ask("GET", "call/workshop/a").body.at("call.settings.backstage.enabled")?.bool == true)
    #expect(try http.ask("GET", "calltypes/workshop", as: .server, v2: true).body.at("created_at")?.integer != nil)
    #expect(try http.ask("DELETE", "calltypes/workshop", as: .server).status == 200)
    #expect(try http.ask("GET", "calltypes/workshop", as: .server).status == 404)
    #expect(try http.ask("PUT", "calltypes/workshop", "{}", as: .server).status == 404)
    #expect(try http.ask("POST", "call/workshop/c").status == 404)
  }

  @Test
  func `built-in types can be changed and stay, and nonsense is refused`() throws {
    let http = try StreamCallWorld()
    #expect(try http.ask("DELETE", "calltypes/default", as: .server).status == 400)
    #expect(try http.ask("GET", "calltypes", as: .user("ann")).status == 403)
    for body in [
      "{}", #"{"name":"a b"}"#, #"{"name":"default"}"#, #"{"name":"x","grants":{"user":"end-call"}}"#,
      #"{"name":"x","grants":{"captain":["end-call"]}}"#, #"{"name":"x","settings":{"audio":{"default_device":"x"}}}"#,
      #"{"name":"x","grants":{"user":["\#(String(repeating: "x", count: 256))"]}}"#,
    ] {
      let refused = try http.ask("POST", "calltypes", body, as: .server)
      #expect(refused.status == 400 && refused.body.at("code")?.integer == 4, "\(body)")
    }
    let much = (0..<64).map { "\"p\($0)\(String(repeating: "x", count: 240))\"" }.joined(separator: ",")
    let roles = Self.roles.map { "\"\($0)\":[\(much)]" }.joined(separator: ",")
    #expect(try http.ask("PUT", "calltypes/default", "{\"grants\":{\(roles)}}", as: .server).status == 400)
    #expect(try http.ask("GET", "calltypes/default", as: .server).status == 200)
  }

  @Test
  func `grants give roles their rights, and owners more, in existing calls too`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    let grants = #"{"grants":{"user":["join-call","read-call","send-audio","end-call-owner","no-such-thing"]}}"#
    #expect(try http.ask("PUT", "calltypes/default", grants, as: .server).status == 200)
    #expect(try capabilities(http) == ["end-call", "join-call", "read-call", "send-audio"])
    #expect(try capabilities(http, as: .user("bob")) == ["join-call", "read-call", "send-audio"])
    #expect(try http.ask("POST", "call/default/b").status == 403, "users make no calls any more")
    #expect(try http.ask("PUT", "calltypes/default", #"{"grants":{"guest":[]}}"#, as: .server).status == 200)
    #expect(try http.ask("GET", "call/default/a", as: .guest).status == 403)
    let opened = StreamCallWorld.Asker.user("guest-00000000-0000-4000-8000-000000000000-tom", calls: ["default:a"])
    #expect(try capabilities(http, as: opened) == ["join-call", "read-call"], "a call token opens its call")
    let updated = try http.ask("PATCH", "call/default/a", "{}", as: .server)
    #expect(updated.status == 200)
    #expect(try http.event("call.updated").at("capabilities_by_role")?["user"]?.count == 3)
    let found = try http.ask("POST", "calls", "{}", as: .user("bob")).body
    #expect(found.at("calls.0.own_capabilities")?.count == 3)
  }

  @Test
  func `custom roles must be created before grants to them`() throws {
    let http = try StreamCallWorld()
    let grant = #"{"grants":{"captain":["join-call","read-call","mute-users"]}}"#
    #expect(try http.ask("PUT", "calltypes/default", grant, as: .server).body.at("code")?.integer == 4)
    let made = try http.fetch("POST", "/api/v2/roles", #"{"name":"captain"}"#, as: .server)
    #expect(made.status == 201)
    #expect(try http.ask("PUT", "calltypes/default", grant, as: .server).status == 200)
    let roles = try JSONDocument.parse(try http.fetch("GET", "/roles", as: .server).body).root.at("roles")?.elements
    let captain = try #require(roles?.first { $0["name"]?.equals("captain") == true })
    #expect(captain["custom"]?.bool == true && captain.at("scopes.0")?.string == "video:default")
    #expect(roles?.contains { $0["name"]?.equals("call_member") == true && $0["custom"]?.bool == false } == true)
    #expect(try http.fetch("POST", "/roles", #"{"name":"captain"}"#, as: .server).status == 400)
    #expect(try http.fetch("POST", "/roles", #"{"name":"admin"}"#, as: .server).status == 400)
    #expect(
      try http.fetch("POST", "/users", #"{"users":{"cap":{"id":"cap","role":"captain"}}}"#, as: .server).status == 201)
    _ = try http.ask("POST", "call/default/a")
    #expect(try capabilities(http, as: .user("cap")) == ["join-call", "mute-users", "read-call"])
    #expect(try http.fetch("DELETE", "/roles/captain", as: .server).status == 200)
    #expect(try http.fetch("DELETE", "/roles/captain", as: .server).status == 404)
    #expect(try http.fetch("DELETE", "/roles/user", as: .server).status == 400)
  }

  @Test
  func `permissions are looked up`() throws {
    let http = try StreamCallWorld()
    let all = try JSONDocument.parse(try http.fetch("GET", "/permissions", as: .server).body, sizeMax: 1 << 20).root
    let ids = all.at("permissions")?.elements?.compactMap { $0["id"]?.string } ?? []
    #expect(ids.contains("end-call") && ids.contains("end-call-owner") && Set(ids).count == ids.count)
    let one = try JSONDocument.parse(try http.fetch("GET", "/api/v2/permissions/end-call-owner", as: .server).body).root
    #expect(one.at("permission.action")?.string == "EndCall" && one.at("permission.owner")?.bool == true)
    #expect(try http.fetch("GET", "/permissions/fly", as: .server).status == 404)
  }

  @Test
  func `push providers are stored without their secrets`() throws {
    let http = try StreamCallWorld()
    let wish = """
      {"push_provider":{"type":"apn","name":"mine","apn_topic":"pro.example","apn_auth_key":"SECRET","description":"phones"}}
      """
    let made = try http.fetch("POST", "/api/v2/push_providers", wish, as: .server)
    #expect(made.status == 201)
    let text = String(decoding: try http.fetch("GET", "/push_providers", as: .server).body, as: UTF8.self)
    #expect(text.contains("pro.example") && text.contains("phones") && !text.contains("SECRET"))
    #expect(
      try http.fetch("POST", "/push_providers", #"{"push_provider":{"type":"fax","name":"x"}}"#, as: .server).status
        == 400)
    #expect(try http.fetch("POST", "/push_providers", "{}", as: .server).status == 400)
    for number in 0..<24 {
      let body = #"{"push_provider":{"type":"firebase","name":"p\#(number)"}}"#
      #expect(try http.fetch("POST", "/push_providers", body, as: .server).status == 201)
    }
    let one = #"{"push_provider":{"type":"firebase","name":"more"}}"#
    #expect(try http.fetch("POST", "/push_providers", one, as: .server).status == 429)
    #expect(try http.fetch("POST", "/push_providers", wish, as: .server).status == 201, "it is there already")
    #expect(try http.fetch("DELETE", "/push_providers/apn/mine", as: .server).status == 200)
    #expect(try http.fetch("DELETE", "/push_providers/apn/mine", as: .server).status == 404)
  }

  @Test
  func `calls that go on are counted, with their participants`() throws {
    let http = try StreamCallWorld()
    func summary(_ name: String) throws -> Int64? {
      try http.ask("GET", "active_calls_status", as: .server).body.at("summary.\(name)")?.integer
    }
    #expect(try summary("active_calls") == 0)
    let connections = try ["ann", "bob"].map { try http.connect($0) }
    for (user, connection) in zip(["ann", "bob"], connections) {
      _ = try http.ask("POST", "call/default/a/join", join, as: .user(user), on: connection)
    }
    #expect(try summary("active_calls") == 1 && summary("participants") == 2)
    http.disconnect(connections[0])
    #expect(try summary("participants") == 1)
  }

  @Test
  func `no telephone leads to calls`() throws {
    let http = try StreamCallWorld()
    let numbers = #"{"sip_caller_number":"+1","sip_trunk_number":"+2"}"#
    #expect(try http.ask("POST", "sip/auth", numbers).body.at("auth_result")?.string == "no_trunk_found")
    #expect(try http.ask("POST", "sip/resolve", numbers).body.at("code")?.integer == 16)
    #expect(try http.ask("POST", "sip/auth", "{}").body.at("code")?.integer == 4)
  }

  @Test
  func `rates are unlimited unless limits are set, and then the remaining requests are reported`() throws {
    let free = try SimulatedStream()
    func limits(_ stream: SimulatedStream, _ query: [HTTPField]) throws -> JSONView {
      let answer = try #require(stream.fetch("GET", "/rate_limits", token: stream.serverToken, query: query))
      return try JSONDocument.parse(answer.body).root
    }
    #expect(try limits(free, []).at("server_side")?.members?.isEmpty == true)
    let held = try SimulatedStream { $0.limits = StreamLimits() }
    _ = held.fetch("GET", "/users", token: held.serverToken)
    let all = try limits(held, [])
    #expect(all.at("server_side.QueryUsers.remaining")?.integer == 9_999 && all.at("web.QueryUsers") == nil)
    let named = try limits(held, [HTTPField("ios", "true"), HTTPField("endpoints", "JoinCall,GetApp")])
    #expect(named.at("ios.JoinCall.limit")?.integer == 10_000 && named.at("server_side") == nil)
  }

  @Test
  func `users are removed, one at once and several by a task whose file is stored for a day`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("GET", "call/default/none", as: .user("bob"))
    let one = try JSONDocument.parse(try http.fetch("GET", "/api/v2/users/bob/export", as: .server).body).root
    #expect(one.at("user.id")?.string == "bob" && one.at("messages")?.count == 0)
    #expect(try http.fetch("GET", "/users/none/export", as: .server).status == 404)
    #expect(try http.fetch("POST", "/export/users", #"{"user_ids":["bob","none"]}"#, as: .server).status == 404)
    let body = try http.fetch("POST", "/export/users", #"{"user_ids":["bob"]}"#, as: .server).body
    let task = try #require(try JSONDocument.parse(body).root["task_id"]?.string)
    let done = try JSONDocument.parse(try http.fetch("GET", "/tasks/\(task)", as: .server).body).root
    #expect(done["status"]?.string == "completed")
    let url = try #require(done.at("result.url")?.string)
    let path = "/video/exports/\(try #require(url.split(separator: "/").last))"
    let file = try http.fetch("GET", path, as: .nobody)
    #expect(file.status == 200 && String(decoding: file.body, as: UTF8.self).contains(#""id":"bob""#))
    #expect(try http.fetch("GET", "/video/exports/none", as: .nobody).status == 404)
    http.advance(by: .seconds(86_401))
    #expect(try http.fetch("GET", path, as: .nobody).status == 404)
    #expect(try http.fetch("GET", "/tasks/\(task)", as: .server).status == 404)
  }
}

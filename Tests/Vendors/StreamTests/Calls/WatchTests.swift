import GatewayCore
import GatewayJSON
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct WatchTests {
  private let join = #"{"location":"FRA","create":true}"#

  @Test(arguments: [
    ("POST", "call/default/a", "{}"), ("GET", "call/default/a", ""),
    ("POST", "call/default/a/join", #"{"location":"FRA"}"#),
    ("POST", "calls", #"{"watch":true,"filter_conditions":{"cid":{"$in":["default:a"]}}}"#),
  ])
  func `every request with watch makes the connection that it names a watcher`(
    method: String, path: String, body: String
  )
    throws
  {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    let connection = try http.connect("bob")
    try wave(http)
    let answer = try http.ask(method, path, body, as: .user("bob"), on: connection)
    #expect(answer.status == (method == "GET" ? 200 : 201))
    #expect(!http.heard(on: connection).contains("custom"))
    try wave(http)
    #expect(http.heard(on: connection).last == "custom")
  }

  @Test
  func `a query watches only if it asks for it, and cannot without a connection`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    let ann = try http.connect("ann")
    #expect(try http.ask("POST", "calls", "{}", on: ann).status == 201)
    try wave(http)
    #expect(http.heard(on: ann) == [])
    let refused = try http.ask("POST", "calls", #"{"watch":true}"#)
    #expect(refused.status == 400 && refused.body.at("code")?.integer == 4)
  }

  @Test(arguments: ["of bob", "ended", "nonsense", "conn_0_1", String(repeating: "9", count: 400)])
  func `a connection that is not the caller's own is not found`(name: String) throws {
    let http = try StreamCallWorld()
    let bobs = try http.connect("bob")
    let connection = name == "of bob" ? bobs : name == "ended" ? try http.connect("ann") : name
    if name == "ended" { http.disconnect(connection) }
    for (path, body) in [("call/default/a", "{}"), ("call/default/a/join", join), ("calls", #"{"watch":true}"#)] {
      let answer = try http.ask("POST", path, body, on: connection)
      #expect(answer.status == 400 && answer.body.at("code")?.integer == 46)
    }
    #expect(try http.ask("GET", "call/default/a").status == 404)
    _ = try http.ask("POST", "call/default/a")
    try wave(http)
    #expect(http.told() == ["call.created", "custom"] && http.heard(on: bobs) == [])
  }

  /// Causes an event of the call, which its watchers receive.
  private func wave(_ http: StreamCallWorld) throws {
    #expect(try http.ask("POST", "call/default/a/event", #"{"custom":{}}"#, as: .user("eve")).status == 201)
  }

  @Test(arguments: [
    ("call/default/a/accept", ""), ("call/default/a/event", "{}"), ("call/default/a/members", "{}"),
    ("call/default/a/mark_ended", ""), ("calls", "{}"),
  ])
  func `an ended connection does no harm if it watches nothing`(path: String, body: String) throws {
    let http = try StreamCallWorld()
    let connection = try http.connect("ann")
    _ = try http.ask("POST", "call/default/a", on: connection)
    http.disconnect(connection)
    #expect(try http.ask("POST", path, body, on: connection).status == 201)
  }

  @Test
  func `a custom event reaches the watchers in each family's dates, its sender among them`() throws {
    let http = try StreamCallWorld()
    let (ann, bob) = (try http.connect("ann"), try http.connect("bob"))
    _ = try http.ask("POST", "call/default/a", on: ann)
    let answer = try http.ask("POST", "call/default/a/event", #"{"custom":{"wave":"hello","n":{"x":1.5}}}"#)
    #expect(answer.status == 201)
    #expect(http.heard(on: ann) == ["call.created", "custom"] && http.heard(on: bob) == [])
    let text = try http.event("custom", .video)
    let number = try http.event("custom", .v2)
    for event in [text, number] {
      #expect(event.at("call_cid")?.string == "default:a")
      #expect(event.at("custom.wave")?.string == "hello")
      #expect(event.at("custom.n.x")?.number == 1.5)
      #expect(event.at("user.id")?.string == "ann")
    }
    #expect(text.at("created_at")?.string == "2027-01-15T08:00:00.000000000Z")
    #expect(number.at("created_at")?.integer == 1_800_000_000_000_000_000)
    #expect(text.at("user.created_at")?.string != nil && number.at("user.created_at")?.integer != nil)
  }

  @Test(.long, arguments: [StreamDialect.Kind.video, .v2])
  func `every event has the members that the clients' models require`(kind: StreamDialect.Kind) throws {
    let http = try StreamCallWorld()
    let required: [String: String] = [
      "call.created": "call members", "call.updated": "call capabilities_by_role", "call.deleted": "call",
      "call.ended": "call user", "call.live_started": "call", "call.session_started": "call session_id",
      "call.session_ended": "call session_id", "call.session_participant_joined": "session_id participant",
      "call.session_participant_left": "session_id participant duration_seconds",
      "call.session_participant_count_updated": "session_id participants_count_by_role anonymous_participant_count",
      "call.member_added": "call members",
      "call.member_updated_permission": "call members capabilities_by_role", "call.member_updated": "call members",
      "call.member_removed": "call members",
      "call.ring": "call members session_id user video", "call.notification": "call members session_id user",
      "call.accepted": "call user", "call.rejected": "call user reason",
      "call.missed": "call members session_id user notify_user", "call.blocked_user": "user blocked_by_user",
      "call.unblocked_user": "user", "call.kicked_user": "user kicked_by_user",
      "call.user_muted": "from_user_id muted_user_ids reason", "call.permission_request": "permissions user",
      "call.permissions_updated": "own_capabilities user", "call.reaction_new": "reaction", "custom": "custom user",
    ]
    let host = try http.connect("ann")
    // Events for members only are received by them.
    let members = [try http.connect("bob", on: kind), try http.connect("eve", on: kind)]
    let steps: [(String, String, StreamCallWorld.Asker)] = [
      ("", #"{"ring":true,"notify":true,"data":{"members":[{"user_id":"bob"},{"user_id":"eve"}]}}"#, .user("ann")),
      ("/join", #"{"location":"FRA"}"#, .user("ann")), ("/accept", "", .user("bob")),
      ("/reject", #"{"reason":"busy"}"#, .user("eve")), ("/ring", "", .user("ann")),
      (
        "/members", #"{"update_members":[{"user_id":"zoe"},{"user_id":"bob","role":"host","custom":{"a":1}}]}"#,
        .server
      ),
      ("/join", #"{"location":"FRA"}"#, .anonymous(calls: ["default:a"])),
      ("/members", #"{"remove_members":["zoe"]}"#, .user("ann")), ("/go_live", "", .user("ann")),
      ("/event", #"{"custom":{}}"#, .user("bob")), ("/reaction", #"{"type":"like"}"#, .user("bob")),
      ("/mute_users", #"{"user_ids":["bob"],"audio":true}"#, .user("ann")),
      ("/request_permission", #"{"permissions":["screenshare"]}"#, .user("eve")),
      ("/user_permissions", #"{"user_id":"eve","revoke_permissions":["send-audio"]}"#, .user("ann")),
      ("/kick", #"{"user_id":"bob"}"#, .user("ann")), ("/block", #"{"user_id":"eve"}"#, .user("ann")),
      ("/unblock", #"{"user_id":"eve"}"#, .user("ann")), ("/mark_ended", "", .user("ann")), ("/delete", "", .server),
    ]
    for (path, body, asker) in steps {
      let isAnn = if case .user("ann", _, _) = asker { true } else { false }
      let answer = try http.ask("POST", "call/default/a\(path)", body, as: asker, on: isAnn ? host : nil)
      #expect(answer.status == 201, "\(path) \(answer.body.text)")
    }
    let events = http.events(kind) + members.flatMap { http.events(on: $0) }
    #expect(Set(events.compactMap { $0["type"]?.string }) == Set(required.keys))
    for event in events {
      let type = try #require(event["type"]?.string)
      let names = (required[type] ?? "").split(separator: " ").map(String.init) + ["created_at", "call_cid"]
      #expect(names.filter { event.at($0) == nil } == [], "\(type)")
      #expect((event["created_at"]?.string == nil) == (kind == .v2))
    }
  }
}

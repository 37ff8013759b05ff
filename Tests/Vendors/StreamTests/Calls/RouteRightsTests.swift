import GatewayCore
import GatewayJSON
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct RouteRightsTests {
  /// A user who sends requests about a call of ann's.
  enum Role: String, CaseIterable, CustomTestStringConvertible {
    case anonymous, guest, stranger, member, host, owner, server

    var testDescription: String { rawValue }

    var asker: StreamCallWorld.Asker {
      switch self {
      case .anonymous: .anonymous(calls: ["default:a", "livestream:a"])
      case .guest: .guest
      case .stranger: .user("eve")
      case .member: .user("bob")
      case .host: .user("hal")
      case .owner: .user("ann")
      case .server: .server
      }
    }
  }

  /// A route with its permission, and the users who have it in calls of each type.
  struct Row: Sendable, CustomTestStringConvertible {
    var route: String
    var body: String
    var permission: String
    var passes: [String: Set<Role>]

    init(_ route: String, _ body: String, _ permission: String, _ inDefault: Set<Role>, _ inLivestream: Set<Role>) {
      self.route = route
      self.body = body
      self.permission = permission
      passes = ["default": inDefault, "livestream": inLivestream]
    }

    var testDescription: String { "\(route) \(body) asks for \(permission)" }
  }

  private static let all = Set(Role.allCases)
  private static let known = all.subtracting([.anonymous])
  /// The users with the rights of `user` or more.
  private static let users: Set<Role> = [.stranger, .member, .host, .owner, .server]
  private static let owners: Set<Role> = [.host, .owner, .server]
  private static let hosts: Set<Role> = [.host, .server]

  static let rows: [Row] = [
    Row("GET ", "", "read-call", all, all),
    Row("PATCH ", #"{"custom":{"a":1}}"#, "update-call", owners, owners),
    Row(
      "PATCH ", #"{"settings_override":{"audio":{"mic_default_on":false}}}"#, "update-call-settings", owners, hosts),
    Row(
      "PATCH ", #"{"settings_override":{"limits":{"max_duration_seconds":60}}}"#, "change-max-duration", owners, owners),
    Row("POST /members", #"{"update_members":[{"user_id":"zoe"}]}"#, "update-call-member", users, owners),
    Row(
      "POST /members", #"{"update_members":[{"user_id":"zoe","role":"admin"}]}"#, "update-call-member-role", hosts,
      owners),
    Row(
      "POST /members", #"{"update_members":[{"user_id":"bob","role":"host"}]}"#, "update-call-member-role", hosts,
      owners),
    Row(
      "POST /members", #"{"update_members":[{"user_id":"hal","role":"user"}]}"#, "update-call-member-role", hosts,
      owners),
    Row("POST /members", #"{"remove_members":["bob"]}"#, "remove-call-member", users, owners),
    Row("POST /delete", "{}", "delete-call", owners, owners),
    Row("POST /delete", #"{"hard":true}"#, "a server's token", [.server], [.server]),
    Row("POST /event", #"{"custom":{}}"#, "send-event", known, known),
    Row("POST /reaction", #"{"type":"like"}"#, "create-call-reaction", users, known),
    Row("POST /ring", #"{"members_ids":["bob"]}"#, "join-call", known, known),
    Row("POST /mark_ended", "", "end-call", users, owners),
    Row("POST /go_live", "{}", "update-call", owners, owners),
    Row("POST /stop_live", "{}", "update-call", owners, owners),
    Row("POST /block", #"{"user_id":"zed"}"#, "block-user", owners, owners),
    Row("POST /unblock", #"{"user_id":"zed"}"#, "block-user", owners, owners),
    Row("POST /kick", #"{"user_id":"zed"}"#, "kick-user", owners, owners),
    Row("POST /mute_users", #"{"mute_all_users":true}"#, "mute-users", owners, owners),
    Row(
      "POST /user_permissions", #"{"user_id":"bob","grant_permissions":["send-audio"]}"#, "update-call-permissions",
      owners, owners),
    Row("POST /pin", #"{"user_id":"zed","session_id":"s"}"#, "pin-call-track", owners, owners),
    Row("POST /start_recording", "{}", "start-recording", users, owners),
    Row("POST /recordings/individual/start", "{}", "start-individual-recording", users, owners),
    Row("POST /stop_recording", "{}", "stop-recording", users, owners),
    Row("POST /start_transcription", "{}", "start-transcription", users, owners),
    Row("POST /start_closed_captions", "{}", "start-closed-captions", users, owners),
    Row("POST /start_broadcasting", "{}", "start-broadcasting", users, owners),
    Row("POST /rtmp_broadcasts/stop", "{}", "stop-broadcasting", users, owners),
    Row("POST /closed_captions", #"{"speaker_id":"bob","text":"hi"}"#, "send-closed-captions", hosts, hosts),
    Row("GET /recordings", "", "list-recordings", users, owners),
    Row("DELETE /s/recordings/f.mp4", "", "delete-recording", hosts, hosts),
    Row("DELETE /s/transcriptions/f.jsonl", "", "delete-recording", hosts, hosts),
    Row("GET /transcriptions", "", "read-call", known, known),
    Row("GET /report", "", "read-call", known, known),
  ]

  @Test(.long, arguments: rows)
  func `a route refuses with code 17 exactly the users whose grants lack its permission`(_ row: Row) throws {
    for (type, passing) in row.passes {
      for role in Role.allCases {
        let http = try world(of: type)
        let parts = row.route.split(separator: " ", omittingEmptySubsequences: false)
        var body = row.body
        if case .server = role, body.hasPrefix("{") { body = Self.acting(body) }
        let answer = try http.ask(
          String(parts[0]), "call/\(type)/a\(parts[1])", body, as: role.asker,
          query: role == .server && body.isEmpty ? [HTTPField("user_id", "ann")] : [])
        if passing.contains(role) {
          #expect(answer.status != 403, "\(role) in \(type): \(answer.body.text)")
        } else {
          #expect(answer.status == 403 && answer.body.at("code")?.integer == 17, "\(role) in \(type): \(answer.status)")
        }
      }
    }
  }

  /// Returns the body with the user that a server acts for, unless it names one.
  private static func acting(_ body: String) -> String {
    guard !body.contains(#"{"user_id""#), !body.contains("members") else { return body }
    return body == "{}" ? #"{"user_id":"ann"}"# : String(body.dropLast()) + #","user_id":"ann"}"#
  }

  /// Returns a call that ann has created, with the member bob and the host hal.
  private func world(of type: String) throws -> StreamCallWorld {
    let http = try StreamCallWorld()
    let members = #"{"data":{"members":[{"user_id":"bob"},{"user_id":"hal","role":"host"}]}}"#
    #expect(try http.ask("POST", "call/\(type)/a", members).status == 201)
    return http
  }

  // MARK: Roles of members

  private func put(_ member: String, as asker: StreamCallWorld.Asker, in http: StreamCallWorld) throws -> Int {
    try http.ask("POST", "call/default/a/members", #"{"update_members":[\#(member)]}"#, as: asker).status
  }

  @Test
  func `a stranger cannot become admin of a call, and stays without rights over others`() throws {
    let http = try world(of: "default")
    for role in ["admin", "host", "moderator", "guest", "made-up"] {
      #expect(try put(#"{"user_id":"eve","role":"\#(role)"}"#, as: .user("eve"), in: http) == 403, "\(role)")
    }
    #expect(try put(#"{"user_id":"eve"},{"user_id":"bob","role":"admin"}"#, as: .user("eve"), in: http) == 403)
    #expect(try put(#"{"user_id":"new","role":"admin"}"#, as: .user("eve"), in: http) == 403)
    #expect(try http.ask("GET", "call/default/a").body.at("members")?.count == 2, "nobody was added on the way")
    // A member without a role of his own has no more rights than before.
    #expect(try put(#"{"user_id":"eve"}"#, as: .user("eve"), in: http) == 201)
    #expect(try put(#"{"user_id":"eve","role":"admin"}"#, as: .user("eve"), in: http) == 403)
    for (path, body) in [("kick", #"{"user_id":"bob"}"#), ("block", #"{"user_id":"bob"}"#)] {
      #expect(try http.ask("POST", "call/default/a/\(path)", body, as: .user("eve")).status == 403)
    }
  }

  @Test
  func `naming the role that a user has anyway asks for no permission beyond update-call-member`() throws {
    let http = try world(of: "default")
    for member in [
      #"{"user_id":"eve","role":"user"}"#, #"{"user_id":"zoe","role":"call_member"}"#,
      #"{"user_id":"bob","role":"user","custom":{"a":1}}"#, #"{"user_id":"hal","role":"host"}"#,
    ] {
      #expect(try put(member, as: .user("eve"), in: http) == 201, "\(member)")
    }
    let guest = "guest-00000000-0000-4000-8000-000000000000-tom"
    #expect(try put(#"{"user_id":"\#(guest)","role":"user"}"#, as: .user("eve"), in: http) == 403)
  }

  @Test
  func `names that only grants use are neither listed as capabilities nor granted one by one`() throws {
    let http = try world(of: "default")
    let unlisted: Set = ["delete-call", "delete-recording", "list-recordings", "send-event", "update-call-member-role"]
    for asker in [StreamCallWorld.Asker.user("ann"), .user("hal"), .server] {
      let own = try http.ask("GET", "call/default/a", as: asker).body.strings("own_capabilities")
      #expect(!own.isEmpty && unlisted.isDisjoint(with: own))
    }
    for name in unlisted {
      let body = #"{"user_id":"bob","grant_permissions":["\#(name)"]}"#
      #expect(try http.ask("POST", "call/default/a/user_permissions", body).body.at("code")?.integer == 4, "\(name)")
    }
  }

  @Test
  func `the creator of a default call may join it after stop_live, and a stranger may not`() throws {
    let http = try world(of: "default")
    let join = #"{"location":"FRA"}"#
    _ = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann"))
    #expect(try http.ask("POST", "call/default/a/stop_live", "{}").status == 201)
    #expect(try http.ask("POST", "call/default/a/join", join, on: http.connect("ann")).status == 201)
    let refused = try http.ask("POST", "call/default/a/join", join, as: .user("eve"))
    #expect(refused.status == 403 && refused.body.at("code")?.integer == 17)
    #expect(try http.ask("POST", "call/default/a/go_live", "{}").status == 201)
    #expect(try http.ask("POST", "call/default/a/join", join, as: .user("eve")).status == 201)
  }

  @Test
  func `the creator of a call deletes it, and it is gone for everyone`() throws {
    let http = try world(of: "default")
    let deleted = try http.ask("POST", "call/default/a/delete", #"{"hard":false}"#)
    #expect(deleted.status == 201 && deleted.body.at("call.cid")?.string == "default:a")
    #expect(http.told().last == "call.deleted")
    #expect(try http.ask("GET", "call/default/a").status == 404)
    #expect(try http.ask("POST", "call/default/a/delete", "{}").status == 404)
  }

  @Test
  func `a single participant's recording starts in a default call as created`() throws {
    let http = try world(of: "default")
    #expect(try http.ask("POST", "call/default/a/recordings/individual/start", "{}").status == 201)
    #expect(try http.event("call.recording_started").at("recording_type")?.string == "individual")
    let own = try http.ask("GET", "call/default/a").body.strings("own_capabilities")
    #expect(own.contains("start-individual-record-call") && own.contains("stop-individual-record-call"))
  }
}

import Foundation
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlain
import GatewayTokens
import GatewayWires
import TestSupport
import Testing

/// The shipped descriptions, each with its client against its own gateway.
struct ServedWireTests {
  private static let secrets = ["app_key": "k", "apikey": "k"]

  /// All except the plain dialect's own, whose path is in use.
  static let wires = WireDescriptionTests.shipped.filter { $0 != "postern-plain" }

  static func wire(_ name: String) throws -> WireDescription {
    let bytes = Array(try Data(contentsOf: WireDescriptionTests.folder.appending(path: "\(name).json")))
    return try WireDescription(try DescriptionFile.parse(bytes, file: "\(name).json"))
  }

  private static func storm(_ wire: WireDescription, stale: Bool = false) throws -> VirtualStorm {
    var storm = try VirtualStorm()
    if stale { storm.plan.behaviours = try BehaviourMix(parsing: "stale=100") }
    storm.plan.clients = 50
    storm.dialect = DescribedClientDialect(wire, provider: PlainClientDialect(), secrets: secrets)
    storm.vendor = try settings(wire)
    return storm
  }

  static func settings(_ wire: WireDescription) throws -> ServedSettings {
    let key = try VerificationKey(try KeyMaterial.secret(Array(VirtualStorm.secret.utf8)))
    let verifier = JWTVerifier(keys: try KeySet([key]))
    return try ServedSettings(wire, secrets: secrets) { ground in
      PlainAuthenticator(
        verifier: verifier, directory: PlainDirectory(ground.store, generator: SeededGenerator(seed: ground.seed)))
    }
  }

  @Test(arguments: wires)
  func `a described client renews every token of the gateway that plays its wire, and understands every word`(
    name: String
  ) throws {
    let wire = try Self.wire(name)
    let storm = try Self.storm(wire)
    let result = try storm.run().result
    let tally = try #require(result.behaviours[.wellBehaved])
    #expect(result.connects.failed.total == 0, "\(result.connects.failed)")
    #expect(result.errors.total == 0, "\(result.errors)")
    #expect(tally.connected == 50 && tally.kept == 50 && tally.lostUnexpectedly == 0)
    switch wire.habits.refresh.how {
    case .none:
      // Tokens were still requested, one for each connection.
      #expect(result.refreshes.accepted == 0 && result.provider.calls == 50)
    case .reconnect:
      #expect(result.refreshes.accepted == 50 && result.returns.returned == 50 && result.connects.accepted == 100)
    case .asked, .timer, .http, .pushed:
      #expect(result.refreshes.accepted == 50 && result.returns.interrupted == 0 && result.connects.accepted == 50)
    }
  }

  @Test(arguments: wires.filter { $0 != "pusher" })
  func `a described gateway refuses old tokens, and admits no client with one`(name: String) throws {
    var storm = try Self.storm(try Self.wire(name))
    storm.plan.behaviours = try BehaviourMix(parsing: "stale=100")
    let result = try storm.run().result
    let tally = try #require(result.behaviours[.stale])
    #expect(tally.connected == 50 && tally.lostExpectedly == 50, "\(tally)")
    let habit = storm.dialect.habits.refresh
    // A client that reconnects before the end does so once, with a token that is still valid.
    let ahead = habit.how == .reconnect && habit.lead != nil ? 50 : 0
    #expect(result.connects.accepted == 50 + ahead, "an old token let somebody in: \(result.connects)")
    if habit.how == .reconnect {
      #expect(result.returns.refused.total + result.returns.failed.total > 0 && result.refreshes.accepted == 0)
    }
  }

  @Test(arguments: ["centrifugo", "supabase-realtime", "phoenix"])
  func `a storm measures how close to the expiry of a token its renewal came`(name: String) throws {
    let result = try Self.storm(try Self.wire(name)).run().result
    let least = try #require(result.tokens.margin(percent: 0))
    let most = try #require(result.tokens.margin(percent: 100))
    #expect(least <= most)
    switch name {
    // It renews when the token has expired, and a network is in between.
    case "centrifugo": #expect(most < .zero && least > .seconds(-2))
    // A fifth of its life before the end.
    case "supabase-realtime": #expect(least > .milliseconds(500) && most < .seconds(7))
    // Ten seconds before the end, or at once.
    default: #expect(least > .seconds(3))
    }
  }

  @Test
  func `a described client asks for a token only when the gateway has named the connection, and sends that name`()
    throws
  {
    var wire = try Self.wire("pusher")
    #expect(wire.habits.asksAtNeed && wire.takenBeforeToken == ["socket_id"])
    let text = """
      { "tokens": 1, "request": { "url": "/auth", "form": { "socket_id": "{{taken.socket_id}}", "user": "{{user}}" } },
        "answer": { "token": "/auth" } }
      """
    let file = try DescriptionFile.parse(Array(text.utf8), file: "t.json")
    let endpoint = DescribedTokenEndpoint(try TokenDescription(file, wireTaken: wire.takenBeforeToken))
    let wish = TokenWish(
      user: UserID("ann"), number: 1, life: .lasting(.seconds(5)), now: WallTime(seconds: 0), taken: ["1.7"])
    let request = try endpoint.request(wish, endpoint.memory())
    #expect(String(decoding: request.http.body, as: UTF8.self) == "socket_id=1.7&user=ann")
    #expect(throws: (any Error).self) { try TokenDescription(file) }
    wire = try Self.wire("centrifugo")
    #expect(wire.takenBeforeToken.isEmpty)
  }

  @Test
  func `a described gateway keeps the grace of a wire whose renewals are not answered`() throws {
    let result = try Self.storm(try Self.wire("supabase-realtime"), stale: true).run().result
    let tally = try #require(result.behaviours[.stale])
    #expect(tally.connected == 50 && tally.lostExpectedly == 50, "\(tally)")
    // Announced on the channel, and not by a close frame.
    #expect(result.disconnects.counts.keys.allSatisfy { !$0.hasPrefix("4000") }, "\(result.disconnects)")
    #expect(result.tokens.endsEarly == 0)
  }

  // MARK: Events that clients are not told

  @Test
  func `a refused renewal that is answered with silence, and a message without an answer, are warned about`() throws {
    let text = """
      { "wire": 1, "name": "x", "connect": { "path": "/x" },
        "say": { "login": { "json": { "t": "{{token}}" } }, "renew": { "json": { "r": "{{token}}" } }, "beat": { "json": { "b": 1 } } },
        "at_open": { "say": "login" },
        "hear": [
          { "when": { "text": "IN" }, "is": "logged_in", "as": { "text": "IN" } },
          { "when": { "text": "OK" }, "is": "refreshed", "as": { "text": "OK" } }
        ],
        "refresh": { "how": "timer", "lead": "1s", "say": "renew" },
        "keep_alive": { "say": "beat", "every": "10s" } }
      """
    func silences(_ text: String) throws -> [String] {
      try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json")).silences
    }
    let found = try silences(text)
    #expect(found.count == 2 && found[0].contains("a refused 'renew'") && found[1].contains("nobody answers 'beat'"))
    let mended = text.replacing(
      #""every": "10s" } }"#, with: #""every": "10s" }, "serve": { "closes": { "refresh_expired": 4401 } } }"#)
    #expect(try silences(mended).count == 1)
    for name in Self.wires { #expect(try Self.wire(name).silences == [], "\(name)") }
  }

  // MARK: Descriptions that no gateway can play

  private func complaint(_ text: String) -> String {
    do {
      let wire = try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json"))
      _ = try Self.settings(wire)
      return ""
    } catch {
      return "\(error)"
    }
  }

  private static let good = """
    { "wire": 1, "name": "x", "connect": { "path": "/socket" },
      "before": { "path": "/negotiate", "headers": { "Authorization": "Bearer {{token}}" }, "take": { "sid": "/a/sid" },
        "as": { "json": { "a": { "sid": "{{connection}}" } } } },
      "say": { "hello": { "text": "HELLO" }, "login": { "json": { "t": "{{token}}", "s": "{{taken.sid}}" } },
        "renew": { "text": "R {{token}}" } },
      "at_open": { "say": "hello" },
      "hear": [
        { "when": { "text": "GO" }, "is": "step", "say": "login", "as": { "text": "GO" } },
        { "when": { "text": "IN" }, "is": "logged_in", "as": { "text": "IN" } },
        { "when": { "text": "ASK" }, "is": "ask", "as": { "text": "ASK" } },
        { "when": { "prefix": "OK" }, "is": "refreshed", "as": { "text": "OK {{wait_ms}}" } }
      ],
      "refresh": { "how": "asked", "say": "renew" },
      "serve": { "closes": { "expired": 4401 }, "values": { "sid": 7 }, "ping_every": "25s" } }
    """

  @Test
  func `a description without a mistake can be played`() { #expect(complaint(Self.good) == "") }

  @Test(arguments: [
    (#""say": "login", "as": { "text": "GO" }"#, #""say": "login""#, "/hear/0: a step of the login has no \"as\""),
    (
      #""is": "logged_in", "as": { "text": "IN" }"#, #""is": "logged_in""#, "/hear/1: a rule that is logged_in has no"
    ),
    (#""is": "ask", "as": { "text": "ASK" }"#, #""is": "ask""#, "/hear/2: a rule that is ask has no \"as\""),
    (#", "as": { "text": "OK {{wait_ms}}" }"#, "", "/hear/3: a rule that is refreshed has no \"as\""),
    (#""text": "OK {{wait_ms}}""#, #""text": "OK {{waits}}""#, "/hear/3/as/text: no such hole 'waits'"),
    (#""text": "R {{token}}""#, #""prefix": "{{now}}", "json": ["{{token}}"]"#, "/say/renew: its prefix has holes"),
    (#""t": "{{token}}""#, #""t": "a""#, "no message of the login and nothing of the upgrade has {{token}}"),
    (#""path": "/negotiate""#, #""path": "/n/{{user}}""#, "/before: a path with holes cannot be answered"),
    (#""path": "/negotiate","#, "", "/before: lacks \"path\""),
    (#""path": "/negotiate""#, #""path": "/n?a=1""#, "/before/path: a path begins with / and has no query"),
    (#""path": "/socket""#, #""path": "/so cket""#, "/connect/path: a path has no spaces"),
    (#""Authorization""#, #""Content-Length""#, "/before/headers/Content-Length: postern writes this field itself"),
    (#""Authorization""#, #""Auth orization""#, "is no name of a header field"),
    (#""take": { "sid": "/a/sid" }"#, #""take": { "sid": "a" }"#, "/before/take/sid: 'a' is no JSON pointer"),
    (#""take": { "sid": "/a/sid" }"#, #""take": { "life_s": "/a" }"#, "'life_s' has a meaning for messages only"),
    (#""a": { "sid": "{{connection}}" }"#, #""b": 1"#, "/before/as: nothing to take as 'sid' is in it"),
    (#""take": { "sid": "/a/sid" },"#, #""method": "HEAD", "take": {},"#, "/before/method: no such method 'HEAD'"),
    (#""take": { "sid": "/a/sid" },"#, #""method": "GET", "json": 1,"#, "/before/json: a GET carries no body"),
    (
      #""take": { "sid": "/a/sid" },"#, #""json": 1, "form": {}, "take": { "sid": "/a/sid" },"#,
      "/before: \"json\" and \"form\" are given"
    ),
    (
      #""take": { "sid": "/a/sid" },"#, #""json": "{{taken.sid}}", "take": { "sid": "/a/sid" },"#,
      "this request is the first"
    ),
    (
      #""expired": 4401"#, #""expires": 4401"#,
      "/serve/closes/expires: no such reason to close 'expires'; did you mean"
    ),
    (#""expired": 4401"#, #""expired": 1006"#, "/serve/closes/expired: 1006 stands in no close frame"),
    (#""expired": 4401"#, #""expired": 99999999999999999999"#, "expected a whole number from 1000 to 4999"),
    (#""expired": 4401"#, #""expired": 1e400"#, "w.json:"),
    (#""sid": 7"#, #""said": 7"#, "/serve/values/said: no such name that a rule takes 'said'; did you mean 'sid'?"),
    (#""sid": 7"#, #""sid": [7]"#, "/serve/values/sid: an array; expected text, a number, true or false"),
    (#""ping_every": "25s""#, #""ping_every": "1ns""#, "/serve/ping_every:"),
    (#""ping_every": "25s""#, #""ping_every": "99999999999999999999d""#, "/serve/ping_every:"),
    (#""serve": {"#, #""serve": { "pings": 1,"#, "/serve/pings: no such key 'pings'"),
    (
      #""wire": 1"#, #""wire": 1, "token": "at_need""#,
      "/token: /before says {{token}}, for which nobody has asked yet"
    ),
    (#""wire": 1"#, #""wire": 1, "token": "later""#, "/token: no such moment to ask for a token 'later'"),
    (
      #"{ "text": "R {{token}}" }"#, #"{ "text": "R {{token}}", "known_by": { "/a": 1 } }"#,
      "points into JSON, and the message is none"
    ),
    (
      #"{ "json": { "t": "{{token}}", "s": "{{taken.sid}}" } }"#,
      #"{ "json": { "t": "{{token}}", "s": "{{taken.sid}}" }, "known_by": { "/t": "{{user}}" } }"#,
      "/say/login/known_by/~1t: has no holes"
    ),
    (#""name": "x""#, "\"name\": \"x\", \"settle\": \"-1s\"", "/settle: '-1s' is no duration"),
    (#""expired": 4401"#, #""refresh_expird": 4401"#, "no such reason to close 'refresh_expird'; did you mean"),
    (#""serve": {"#, #""serve": { "at_end": "go","#, "/serve/at_end: no such end of a session 'go'"),
    (#""serve": {"#, #""serve": { "login_timeout": "0s","#, "/serve/login_timeout: expected 10ms to 365d"),
    (#""serve": {"#, #""serve": { "hear": [{ "say": { "text": "a" } }],"#, "/serve/hear/0: lacks \"when\""),
    (
      #""serve": {"#, #""serve": { "hear": [{ "when": { "text": "a" } }, { "when": { "text": "a" } }],"#,
      "/serve/hear/1: never reached: /serve/hear/0 has the same condition"
    ),
    (
      #""serve": {"#, #""serve": { "hear": [{ "when": { "text": "a" }, "say": { "text": "{{heard.id}}" } }],"#,
      "nothing takes 'id' from a client's message"
    ),
    (
      #""serve": {"#,
      #""serve": { "hear": [{ "when": { "json": { "/a": 1 } }, "take": { "ident": "/a" }, "say": { "text": "{{heard.idnet}}" } }],"#,
      "nothing takes 'idnet' from a client's message"
    ),
    (
      #""serve": {"#, #""serve": { "hear": [{ "when": { "json": { "/a": 1 } }, "take": { "id": "a" } }],"#,
      "/serve/hear/0/take/id: 'a' is no JSON pointer"
    ),
    (#""as": { "text": "IN" }"#, #""as": []"#, "/hear/1/as: an empty list says nothing"),
    (
      #""as": { "text": "IN" }"#, #""as": [{ "text": "IN" }, { "text": "NOBODY" }]"#,
      "/hear/1/as/1: no rule of /hear takes"
    ),
    (
      #"{ "text": "R {{token}}" }"#, #"{ "text": "R {{token}}", "take": { "a": "/a" } }"#,
      "points into JSON, and the message is none"
    ),
  ])
  func `a description that cannot be played is refused, and the error names what is missing, and where`(
    part: String, mistake: String, expected: String
  ) throws {
    let found = try #require(Self.good.range(of: part), "\(part)")
    let complaint = complaint(Self.good.replacingCharacters(in: found, with: mistake))
    #expect(complaint.contains(#/^w\.json:\d+:\d+ /#) && complaint.contains(expected), "\(complaint)")
  }

  @Test
  func `a request during the upgrade that another vendor answers is reported, and traps no parser`() throws {
    let text = Self.good.replacing("/negotiate", with: "/v1/tokens")
    let wire = try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json"))
    var storm = try VirtualStorm()
    storm.vendor = try Self.settings(wire)
    #expect(throws: RouteClash(["POST /v1/tokens"])) { try storm.run() }
  }

  @Test
  func `a description cut anywhere, or with any byte lost, is accepted or refused, and nothing worse`() {
    let bytes = Array(Self.good.utf8)
    for length in stride(from: 0, to: bytes.count, by: 3) {
      _ = complaint(String(decoding: bytes[..<length], as: UTF8.self))
      _ = complaint(String(decoding: bytes[..<length] + bytes.dropFirst(length + 1), as: UTF8.self))
    }
    let deep = Self.good.replacing("\"OK {{wait_ms}}\"", with: String(repeating: "[", count: 5_000))
    #expect(complaint(deep).hasPrefix("w.json:"))
  }
}

import Foundation
import GatewayCore
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import GatewayWires
import Testing

struct EyesTests {
  private static let ann = [
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDAsIm4iOjF9.c2ln",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDAsIm4iOjJ9.c2ln",
  ]
  private static let bob = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IiLCJleHAiOjQxMDI0NDQ4MDAsIm4iOjF9.c2ln"

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Deploy/wires")

  private static func dialect(_ name: String) throws -> ServedDialect {
    let bytes = Array(try Data(contentsOf: folder.appending(path: "\(name).json")))
    return try ServedDialect(reading: try WireDescription(try DescriptionFile.parse(bytes, file: "\(name).json")))
  }

  private static func world(_ name: String) throws -> ProxyWorld {
    ProxyWorld(
      conditions: LinkConditions(latency: .milliseconds(5) ... .milliseconds(5)), isControlled: true,
      wire: ProxyWire(try dialect(name)))
  }

  /// A client of the plain wire that is logged in, and the gateway's side of it.
  private func plain(
    _ proxied: ProxyWorld, _ token: String
  ) throws -> (client: SimulatedPeer, target: TargetSocket) {
    let client = proxied.connect(HTTPRequest(method: "GET", path: "/v1/connect"))
    let target = try #require(proxied.site.sockets.last)
    client.say(#"{"type":"connect","token":"\#(token)"}"#)
    proxied.world.advance(by: .seconds(1))
    target.act { _ = $0.send(Frame(text: #"{"type":"connected","expires_in_ms":60000}"#)) }
    proxied.world.advance(by: .seconds(1))
    return (client, target)
  }

  private func kinds(_ proxied: ProxyWorld) -> [String] {
    proxied.onLoop {
      proxied.control?.journal.page(Journal.Query()).lines.map {
        "\($0.event.kind.rawValue) \($0.user?.rawValue ?? "-")"
      } ?? []
    }
  }

  @Test
  func `logins and refreshes of a described wire have their lines, with user and fingerprint and without a token`()
    throws
  {
    let proxied = try Self.world("postern-plain")
    let (client, target) = try plain(proxied, Self.ann[0])
    target.act { _ = $0.send(Frame(text: #"{"type":"refresh_required","cause":"expiry","timeout_ms":60000}"#)) }
    proxied.world.advance(by: .seconds(1))
    client.say(#"{"type":"refresh","token":"\#(Self.ann[1])"}"#)
    proxied.world.advance(by: .seconds(1))
    target.act { _ = $0.send(Frame(text: #"{"type":"refreshed","expires_in_ms":60000}"#)) }
    proxied.world.advance(by: .seconds(1))
    #expect(
      kinds(proxied) == [
        "connection_opened -", "message_in -", "login_asked -", "message_out -", "logged_in ann", "message_out ann",
        "refresh_requested ann", "message_in ann", "message_out ann", "refreshed ann",
      ])
    let lines = proxied.lines
    #expect(lines.allSatisfy { $0.firstRange(of: "eyJ") == nil })
    let (login, refresh) = (lines[4], lines[9])
    #expect(login.firstRange(of: #""expires_in_ms":60000"#) != nil)
    #expect(refresh.firstRange(of: #""after_ms":"#) != nil)
    let fingerprint = try #require(login.firstMatch(of: #/token_fingerprint":"([0-9a-f]{32})"/#))
    #expect(refresh.firstRange(of: fingerprint.1) == nil)
    #expect(lines[1].firstRange(of: #""message":"credentials""#) != nil)
  }

  @Test
  func `an operator's expire sends the gateway's own request for a token, to one user`() async throws {
    let proxied = try Self.world("postern-plain")
    let (ann, target) = try plain(proxied, Self.ann[0])
    let (bob, _) = try plain(proxied, Self.bob)
    #expect(try await proxied.askText("POST", "/users/ann/expire") == #"200 {"sessions":1}"#)
    #expect(ann.texts.last == #"{"type":"refresh_required","cause":"expiry","timeout_ms":60000}"#)
    #expect(bob.texts.count == 1 && target.texts.count == 1)
    ann.say(#"{"type":"refresh","token":"\#(Self.ann[1])"}"#)
    proxied.world.advance(by: .seconds(1))
    target.act { _ = $0.send(Frame(text: #"{"type":"refreshed","expires_in_ms":60000}"#)) }
    proxied.world.advance(by: .seconds(1))
    #expect(proxied.lines(.refreshed).map { $0.user?.rawValue } == ["ann"])
    let sessions = try await proxied.askText("GET", "/sessions?user=ann")
    #expect(sessions.firstRange(of: #""phase":"active""#) != nil && sessions.firstRange(of: #""user_id":"ann""#) != nil)
    #expect(sessions.firstRange(of: "bob") == nil)
    let verdict = try await proxied.askText(
      "POST", "/journal/expect", #"{"expect": "refreshed_in_time", "user": "ann", "within_ms": 60000}"#)
    #expect(verdict.firstRange(of: #""verdict":"passed""#) != nil, "\(verdict)")
    #expect(try await proxied.askText("POST", "/users/bob/disconnect") == #"200 {"sessions":1}"#)
    #expect(bob.ending?.code == 4005 && ann.ending == nil)
    #expect(try await proxied.askText("POST", "/users/nobody/expire") == #"200 {"sessions":0}"#)
  }

  @Test
  func `faults select messages by meaning, connections by user, and moments by login`() throws {
    let proxied = try Self.world("postern-plain")
    try proxied.fail(
      #"{"fault": "drop", "what": "refresh", "who": {"users": ["ann"]}, "when": {"after": "logged_in"}}"#)
    try proxied.fail(#"{"fault": "replace", "what": "request:refresh", "text": "odd", "who": {"users": ["bob"]}}"#)
    for (token, isAnn) in [(Self.ann[0], true), (Self.bob, false)] {
      let (client, target) = try plain(proxied, token)
      target.act { _ = $0.send(Frame(text: #"{"type":"refresh_required","cause":"expiry","timeout_ms":60000}"#)) }
      proxied.world.advance(by: .seconds(1))
      client.say(#"{"type":"refresh","token":"\#(token)"}"#)
      proxied.world.advance(by: .seconds(1))
      #expect(target.texts.count == (isAnn ? 1 : 2))
      #expect((client.texts.last == "odd") != isAnn)
    }
    #expect(proxied.lines(.faulted).map { $0.user?.rawValue } == ["ann", "bob"])
    for order in [
      #"{"fault": "refuse_token"}"#, #"{"fault": "replace", "what": "reply:refresh", "error": "overloaded"}"#,
    ] {
      let error = try #require(throws: GatewayError.self) { try proxied.fail(order) }
      #expect(error.name == "not_ours")
    }
  }

  @Test
  func `a wire whose clients renew on a timer has no message that asks for a token, and shows its renewals`()
    async throws
  {
    let proxied = try Self.world("centrifugo")
    let client = proxied.connect(HTTPRequest(method: "GET", path: "/connection/websocket"))
    let target = try #require(proxied.site.sockets.last)
    for (up, down) in [
      (
        #"{"id":7,"connect":{"token":"\#(Self.ann[0])"}}"#,
        #"{"id":7,"connect":{"client":"c","ttl":25,"ping":25,"pong":true}}"#
      ),
      (#"{"id":9,"refresh":{"token":"\#(Self.ann[1])"}}"#, #"{"id":9,"refresh":{"ttl":25}}"#),
    ] {
      client.say(up)
      proxied.world.advance(by: .seconds(1))
      target.act { _ = $0.send(Frame(text: down)) }
      proxied.world.advance(by: .seconds(1))
    }
    #expect(proxied.lines(.loggedIn).count == 1 && proxied.lines(.refreshed).map { $0.user?.rawValue } == ["ann"])
    let refused = try await proxied.askText("POST", "/users/ann/expire")
    #expect(refused.utf8.starts(with: "409".utf8) && refused.firstRange(of: "clock_is_real") != nil)
  }

  @Test
  func `a wire whose clients reconnect gets the gateway's close message`() async throws {
    let proxied = try Self.world("socketio")
    let query = [HTTPField("EIO", "4"), HTTPField("transport", "websocket")]
    let client = proxied.connect(HTTPRequest(method: "GET", path: "/socket.io/", query: query))
    let target = try #require(proxied.site.sockets.last)
    target.act {
      _ = $0.send(Frame(text: #"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1}"#))
    }
    proxied.world.advance(by: .seconds(1))
    client.say(#"40{"token":"\#(Self.ann[0])"}"#)
    proxied.world.advance(by: .seconds(1))
    target.act { _ = $0.send(Frame(text: #"40{"sid":"b"}"#)) }
    proxied.world.advance(by: .seconds(1))
    #expect(kinds(proxied).last == "logged_in ann")
    #expect(try await proxied.askText("POST", "/sessions/expire") == #"200 {"sessions":1}"#)
    #expect(client.texts.last == "41")
  }

  @Test(arguments: [("-ERR 'User Authentication Expired'", "renew"), ("PING", "retry")])
  func `a close means what the message before it announced`(last: String, then: String) throws {
    let proxied = try Self.world("nats")
    let client = proxied.connect(HTTPRequest(method: "GET", path: "/"))
    let target = try #require(proxied.site.sockets.last)
    func say(_ line: String) {
      target.act { _ = $0.send(Frame(.binary, Array("\(line)\r\n".utf8))) }
      proxied.world.advance(by: .seconds(1))
    }
    say("INFO {}")
    client.say(Frame(.binary, Array("CONNECT {\"jwt\":\"\(Self.ann[0])\"}\r\nPING\r\n".utf8)))
    proxied.world.advance(by: .seconds(1))
    say("PONG")
    say("-ERR 'User Authentication Expired'")
    say(last)
    let reason = try #require(CloseReason(code: 1008, name: "other"))
    target.act { $0.close(reason) }
    proxied.world.advance(by: .seconds(1))
    let ends = proxied.lines.filter { $0.firstRange(of: #""kind":"cut_off""#) != nil }
    #expect(ends.count == 1 && ends[0].firstRange(of: #""then":"\#(then)""#) != nil, "\(ends)")
  }

  @Test(arguments: [
    "ably", "ably-msgpack", "centrifugo", "graphql-transport-ws", "nats", "phoenix", "pusher", "signalr-json",
    "wamp-ticket",
  ])
  func `no message of either side stops the proxy or loses its way`(name: String) throws {
    let proxied = try Self.world(name)
    let dialect = try Self.dialect(name)
    let client = proxied.connect(HTTPRequest(method: "GET", path: dialect.socketPath ?? "/"))
    let target = try #require(proxied.site.sockets.last)
    let bytes = Array(try Data(contentsOf: Self.folder.appending(path: "\(name).json")))
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let start = Int.random(in: 0..<bytes.count, using: &generator)
      let piece = Array(bytes[start..<min(bytes.count, start + Int.random(in: 0...400, using: &generator))])
      let frame = Frame(Bool.random(using: &generator) ? .text : .binary, piece)
      client.say(frame)
      target.act { _ = $0.send(frame) }
      proxied.world.advance(by: .milliseconds(20))
    }
    #expect(target.texts.count == 300 && client.ending == nil)
    #expect(proxied.lines(.messageIn).count == 300 && proxied.lines(.messageOut).count == 300)
  }
}

import Foundation
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlain
import GatewayTokens
import GatewayWires
import TestSupport
import Testing

/// A gateway that plays a description must accept every message, in any pieces.
struct ServedConversationTests {
  private static let ann = DialectContext(
    connection: ConnectionID(loop: 0, serial: 1), isLoggedIn: false, now: WallTime(seconds: 1000))

  private static func conversation(_ name: String, path: String) throws -> any Conversation {
    let bytes = Array(try Data(contentsOf: WireDescriptionTests.folder.appending(path: "\(name).json")))
    let wire = try WireDescription(try DescriptionFile.parse(bytes, file: "\(name).json"))
    let dialect = try ServedDialect(wire)
    let upgrade = HTTPRequest(method: "GET", path: path)
    #expect(dialect.accepts(upgrade))
    return try #require(dialect.conversation(for: upgrade))
  }

  private func messages(_ conversation: any Conversation, _ text: String) -> [String] {
    Array(text.utf8).withUnsafeBytes { conversation.messages(in: $0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: 1...7)
  func `a conversation of lines is read line by line, wherever frames are cut`(size: Int) throws {
    let conversation = try Self.conversation("nats", path: "/")
    let lines = ["CONNECT {\"jwt\":\"a.b.c\",\"name\":\"other\"}", "PING", "", "PUB a 1", "PONG"]
    let whole = Array(lines.map { $0 + "\r\n" }.joined().utf8)
    var heard: [String] = []
    for start in stride(from: 0, to: whole.count, by: size) {
      heard += messages(conversation, String(decoding: whole[start..<min(start + size, whole.count)], as: UTF8.self))
    }
    #expect(heard == lines)
    // The login's own PING is part of it; a later one is answered.
    let meanings = heard.map { conversation.decode(Array($0.utf8), Self.ann) }
    #expect(meanings[0] == .credentials(Credentials(token: "a.b.c"), request: nil))
    #expect(meanings[1...] == [nil, nil, nil, nil])
    guard case .ping? = conversation.decode(Array("PING".utf8), Self.ann) else {
      Issue.record("a ping of its own is no ping")
      return
    }
  }

  @Test
  func `a conversation stores no more of an endless line than a message may have`() throws {
    let conversation = try Self.conversation("nats", path: "/")
    for _ in 0..<40 { #expect(messages(conversation, String(repeating: "a", count: 5_000)).isEmpty) }
    #expect(messages(conversation, "\r\n").allSatisfy { $0.utf8.count <= 1 << 16 })
    #expect(messages(conversation, "PING\r\n") == ["PING"])
  }

  @Test
  func `a conversation greets first if the gateway does, and answers each step of a login with the next`() throws {
    let wamp = try Self.conversation("wamp-ticket", path: "/")
    #expect(wamp.greeting(Self.ann).isEmpty)
    let hello = #"[1,"realm1",{"roles":{"subscriber":{},"caller":{}},"authmethods":["ticket"],"authid":"ann"}]"#
    let step = try #require(wamp.decode(Array(hello.utf8), Self.ann))
    guard case .ping(let request) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(wamp.encode(.pong(request: request), Self.ann).map(\.text) == [#"[4,"ticket",{}]"#])
    #expect(
      wamp.decode(Array(#"[5,"a.b.c",{"x":1}]"#.utf8), Self.ann)
        == .credentials(Credentials(token: "a.b.c"), request: nil))
    let socketIO = try Self.conversation("socketio", path: "/socket.io/")
    #expect(socketIO.greeting(Self.ann).map(\.text).first?.hasPrefix(#"0{"sid":"conn_0_1""#) == true)
  }

  @Test
  func `a conversation repeats the number of a client's message, as text or number, and never a token`() throws {
    let phoenix = try Self.conversation("phoenix", path: "/socket/websocket")
    let join = #"["1","77","user:ann","phx_join",{"token":"a.b.c"}]"#
    #expect(phoenix.decode(Array(join.utf8), Self.ann) == .credentials(Credentials(token: "a.b.c"), request: nil))
    let id = ConnectionID(loop: 0, serial: 1)
    let welcome = OutboundMessage.connected(
      id, user: UserID("ann"), kind: .regular, expiresIn: .seconds(60), request: nil)
    #expect(
      phoenix.encode(welcome, Self.ann).map(\.text)
        == [#"["1","77","user:ann","phx_reply",{"status":"ok","response":{}}]"#])
    let centrifugo = try Self.conversation("centrifugo", path: "/connection/websocket")
    let connect = #"{"connect":{"name":"js","token":"a.b.c"},"id":9}"#
    _ = centrifugo.decode(Array(connect.utf8), Self.ann)
    let text = try #require(centrifugo.encode(welcome, Self.ann).first?.text)
    #expect(text.hasPrefix(#"{"id":9,"#) && text.contains(#""ttl":60,"#) && !text.contains("a.b.c"))
    // A pong is not a login, nor is an unknown object.
    #expect(centrifugo.decode(Array("{}".utf8), Self.ann) == nil)
    #expect(centrifugo.decode(Array(#"{"id":1e999}"#.utf8), Self.ann) == nil)
    #expect(centrifugo.decode(Array(#"{"id":"9","connect":{"token":"a.b.c"}}"#.utf8), Self.ann) == nil)
  }

  private static let live = DialectContext(
    connection: ConnectionID(loop: 0, serial: 1), isLoggedIn: true, now: WallTime(seconds: 1000))

  private static let welcome = OutboundMessage.connected(
    live.connection, user: UserID("ann"), kind: .regular, expiresIn: .seconds(60), request: nil)

  private func texts(_ conversation: any Conversation, _ message: OutboundMessage) -> [String] {
    conversation.encode(message, Self.live).compactMap(\.text)
  }

  @Test(
    arguments: [
      (.tokenExpired, 3005), (.tokenRevoked, 3005), (.tokenNotRenewed, 3005), (.signatureInvalid, 3500),
      (.userMismatch, 3500),
    ] as [(GatewayError, UInt16)])
  func `a refused refresh of Centrifugo's is no reply, and closes with the code of its cause`(
    error: GatewayError, code: UInt16
  ) throws {
    let centrifugo = try Self.conversation("centrifugo", path: "/connection/websocket")
    _ = centrifugo.decode(Array(#"{"id":1,"connect":{"token":"a.b.c"}}"#.utf8), Self.ann)
    #expect(texts(centrifugo, Self.welcome).count == 1)
    _ = centrifugo.decode(Array(#"{"id":2,"refresh":{"token":"a.b.d"}}"#.utf8), Self.live)
    #expect(texts(centrifugo, .error(error, request: nil)).isEmpty)
    #expect(centrifugo.closeReason(for: .tooManyFailures)?.code == code)
    // Other closes keep their own codes.
    #expect(centrifugo.closeReason(for: .serviceRestart) == nil)
    #expect(centrifugo.farewell(before: .tooManyFailures, Self.live).isEmpty)
  }

  @Test
  func `a refused login of Centrifugo's is 109 and 3005 for an expired token, and 3500 alone for a bad one`() throws {
    for (error, words, code) in [
      (GatewayError.tokenExpired, [#"{"id":1,"error":{"code":109,"message":"token expired"}}"#], UInt16(3005)),
      (.signatureInvalid, [], 3500),
    ] {
      let bytes = Array(try Data(contentsOf: WireDescriptionTests.folder.appending(path: "centrifugo.json")))
      let dialect = try ServedDialect(try WireDescription(try DescriptionFile.parse(bytes, file: "centrifugo.json")))
      let upgrade = HTTPRequest(method: "GET", path: "/connection/websocket")
      let centrifugo = try #require(dialect.conversation(for: upgrade))
      _ = centrifugo.decode(Array(#"{"id":1,"connect":{"token":"a.b.c"}}"#.utf8), Self.ann)
      #expect(texts(centrifugo, .loginRefused(error, request: nil)) == words)
      let reason = centrifugo.closeReason(for: .invalidToken) ?? dialect.closeReason(for: .invalidToken)
      #expect(reason.code == code)
    }
  }

  @Test
  func `subscribe and its like are answered under their own number, and undescribed messages get no answer`() throws {
    let centrifugo = try Self.conversation("centrifugo", path: "/connection/websocket")
    _ = centrifugo.decode(Array(#"{"id":1,"connect":{"token":"a.b.c"}}"#.utf8), Self.ann)
    func answer(_ text: String, _ context: DialectContext = Self.live) -> [String]? {
      #expect(centrifugo.decode(Array(text.utf8), context) == nil)
      return centrifugo.answer(to: Array(text.utf8), context)?.compactMap(\.text)
    }
    #expect(answer(#"{"id":7,"subscribe":{"channel":"news"}}"#) == [#"{"id":7,"subscribe":{}}"#])
    #expect(answer(#"{"id":8,"publish":{"channel":"news","data":1}}"#) == [#"{"id":8,"publish":{}}"#])
    #expect(answer(#"{"send":{"data":1}}"#) == [])
    #expect(answer(#"{"id":9,"teleport":{}}"#) == nil)
    // A number that is not one cannot be repeated as one, and another message's number cannot replace it.
    #expect(answer(#"{"id":"x","subscribe":{}}"#) == nil)
    #expect(answer(#"{"subscribe":{}}"#) == nil)
    #expect(answer(#"{"id":1e999,"subscribe":{}}"#) == nil)
    // Before the login there are no answers.
    #expect(answer(#"{"id":7,"subscribe":{}}"#, Self.ann) == nil)
  }

  @Test
  func `Supabase's channels are answered under their own names, and each is told the end`() throws {
    let supabase = try Self.conversation("supabase-realtime", path: "/realtime/v1/websocket")
    func join(_ topic: String, ref: Int, _ context: DialectContext) -> InboundMessage? {
      let text =
        #"{"topic":"\#(topic)","event":"phx_join","ref":"\#(ref)","payload":{"config":{"broadcast":{"self":true}},"access_token":"a.b.c"}}"#
      return supabase.decode(Array(text.utf8), context)
    }
    #expect(join("realtime:lobby", ref: 1, Self.ann) == .credentials(Credentials(token: "a.b.c"), request: nil))
    #expect(
      texts(supabase, Self.welcome)
        == [#"{"topic":"realtime:lobby","event":"phx_reply","ref":"1","payload":{"status":"ok","response":{}}}"#])
    #expect(join("realtime:news\\\"", ref: 2, Self.live) != nil)
    let second = texts(supabase, .refreshed(expiresIn: .seconds(60), request: nil, welcome: nil))
    #expect(
      second == [
        #"{"topic":"realtime:news\"","event":"phx_reply","ref":"2","payload":{"status":"ok","response":{}}}"#
      ])
    // A heartbeat in between does not concern channels.
    _ = supabase.decode(Array(#"{"topic":"phoenix","event":"heartbeat","ref":"3","payload":{}}"#.utf8), Self.live)
    let end = texts(supabase, .loggedOut(user: UserID("ann"), request: nil))
    #expect(end.count == 4)
    #expect(end[0].contains(#""topic":"realtime:lobby","event":"system""#))
    #expect(end[0].contains("Access token has expired"))
    #expect(end[1].hasPrefix(#"{"topic":"realtime:lobby","event":"phx_close""#))
    #expect(end[2].contains(#"realtime:news\""#) && end[3].contains(#"realtime:news\""#))
    // Only once.
    #expect(texts(supabase, .loggedOut(user: UserID("ann"), request: nil)).isEmpty)
    let leave = #"{"topic":"realtime:lobby","event":"phx_leave","ref":"9","payload":{}}"#
    #expect(supabase.decode(Array(leave.utf8), Self.ann) == nil)
    let answers = supabase.answer(to: Array(leave.utf8), Self.ann)?.compactMap(\.text)
    #expect(
      answers?.first
        == #"{"topic":"realtime:lobby","event":"phx_reply","ref":"9","payload":{"status":"ok","response":{}}}"#)
  }

  @Test(arguments: WireDescriptionTests.shipped)
  func `a conversation without end messages ends silently, and takes any bytes`(name: String) throws {
    guard name != "postern-plain" else { return }
    let bytes = Array(try Data(contentsOf: WireDescriptionTests.folder.appending(path: "\(name).json")))
    let wire = try WireDescription(try DescriptionFile.parse(bytes, file: "\(name).json"))
    let dialect = try ServedDialect(wire, secrets: ["app_key": "k", "apikey": "k"])
    let conversation = try #require(dialect.conversation(for: HTTPRequest(method: "GET", path: "/")))
    var generator = SeededGenerator(seed: 11)
    let words = [
      "{", "}", "[", "]", "\"token\"", ":", "1", "null", "\r\n", "\u{1e}", "40", "CONNECT ", "\"", "\\", "é", "{}",
    ]
    for _ in 0..<2_000 {
      let text = (0..<Int(generator.next() % 12)).map { _ in words[Int(generator.next() % UInt64(words.count))] }
        .joined()
      for message in messages(conversation, text) {
        let bytes = Array(message.utf8)
        if case .credentials(let credentials, _)? = conversation.decode(bytes, Self.ann) {
          #expect(credentials.token.utf8.count <= text.utf8.count)
        }
        _ = conversation.answer(to: bytes, generator.next() % 2 == 0 ? Self.ann : Self.live)
        _ = bytes.withUnsafeBytes { dialect.redacted($0, .text, isUnderstood: false) }
      }
    }
  }
}

import Foundation
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlain
import GatewayTokens
import GatewayWires
import TestSupport
import Testing

/// What a gateway that plays a description hears, however it is cut and whatever it says.
@Suite("A conversation of a described wire")
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

  @Test("hears lines as lines, wherever frames are cut", arguments: 1...7)
  func cut(size: Int) throws {
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

  @Test("keeps no more of a line without an end than a gateway takes at once")
  func endless() throws {
    let conversation = try Self.conversation("nats", path: "/")
    for _ in 0..<40 { #expect(messages(conversation, String(repeating: "a", count: 5_000)).isEmpty) }
    #expect(messages(conversation, "\r\n").allSatisfy { $0.utf8.count <= 1 << 16 })
    #expect(messages(conversation, "PING\r\n") == ["PING"])
  }

  @Test("greets first where the gateway does, and answers each step of a login with the next")
  func steps() throws {
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

  @Test("gives back the number of a client's message, as text or number, and repeats no token")
  func numbers() throws {
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
    // A pong is no login, nor is an object that nobody described.
    #expect(centrifugo.decode(Array("{}".utf8), Self.ann) == nil)
    #expect(centrifugo.decode(Array(#"{"id":1e999}"#.utf8), Self.ann) == nil)
    #expect(centrifugo.decode(Array(#"{"id":"9","connect":{"token":"a.b.c"}}"#.utf8), Self.ann) == nil)
  }

  @Test("ends no message with anything, and takes any bytes", arguments: WireDescriptionTests.shipped)
  func anything(name: String) throws {
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
        _ = bytes.withUnsafeBytes { dialect.redacted($0, .text, isUnderstood: false) }
      }
    }
  }
}

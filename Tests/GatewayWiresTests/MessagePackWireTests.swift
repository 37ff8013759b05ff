import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlain
import GatewayWires
import Synchronization
import TestSupport
import Testing

struct MessagePackWireTests {
  static let text = """
    { "wire": 1, "name": "packed", "connect": { "path": "/packed" }, "frames": { "encoding": "msgpack" },
      "say": {
        "login": { "json": { "op": 1, "id": "{{id:number}}", "auth": { "token": { "$base64": "{{token:base64}}" } } } },
        "renew": { "json": { "op": 2, "id": "{{id:number}}", "token": "{{token}}" } },
        "pong": { "json": { "op": 9 } }, "word": { "text": "hello", "kind": "text" } },
      "at_open": { "say": "login" },
      "hear": [
        { "when": { "json": { "/op": 1, "/id": "{{sent.login:number}}" } }, "is": "logged_in", "take": { "life_s": "/ttl" },
          "as": { "json": { "op": 1, "id": "{{sent.login:number}}", "ttl": "{{life_s:number}}" } } },
        { "when": { "json": { "/op": 2, "/error": { "exists": true } } }, "is": "refresh_refused", "as": { "json": { "op": 2, "error": "no" } } },
        { "when": { "json": { "/op": 2 } }, "is": "refreshed", "take": { "life_s": "/ttl" }, "as": { "json": { "op": 2, "ttl": "{{life_s:number}}" } } },
        { "when": { "json": { "/op": 9 } }, "is": "alive", "say": "pong", "as": { "json": { "op": 9, "at": { "$ext": -1, "$base64": "AAAAAA==" } } } },
        { "when": { "json": { "/op": 7 } }, "is": "goodbye", "then": "renew" },
      ],
      "refresh": { "how": "timer", "lead": "0s", "say": "renew", "grace": "5s" } }
    """

  static func wire(_ text: String = text) throws -> WireDescription {
    try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json"))
  }

  private func context(_ isLoggedIn: Bool) -> DialectContext {
    DialectContext(
      connection: ConnectionID(loop: 0, serial: 1), isLoggedIn: isLoggedIn, expiresIn: .seconds(300),
      now: WallTime(seconds: 1000))
  }

  private func read(_ frame: Frame) -> String {
    MessagePack.json(frame.payload).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  @Test
  func `a client and a gateway of one description understand each other in MessagePack`() throws {
    let wire = try Self.wire()
    let seen = Mutex<[String]>([])
    let dialect = DescribedClientDialect(wire, provider: PlainClientDialect()).watched { sight in
      seen.withLock { $0.append("\(sight)") }
    }
    let served = try ServedDialect(wire)
    let gateway = try #require(served.conversation(for: HTTPRequest(method: "GET", path: "/packed")))
    var client = ClientIdentity(user: UserID("ann"), token: Credentials(token: "a.b.c"))
    let memory = dialect.memory(of: client)
    let login = try #require(dialect.frames(.connect(Credentials(token: "a.b.c")), of: client, memory).first)
    #expect(login.kind == .binary && read(login) == #"{"op":1,"id":1,"auth":{"token":{"$base64":"YS5iLmM="}}}"#)
    let heard = login.payload.withUnsafeBytes { gateway.messages(in: $0) }
    #expect(heard == [login.payload])
    #expect(gateway.decode(heard[0], context(false)) == .credentials(Credentials(token: "a.b.c"), request: nil))
    let reply = gateway.encode(
      .connected(
        ConnectionID(loop: 0, serial: 1), user: UserID("ann"), kind: .regular, expiresIn: .seconds(300), request: nil),
      context(false))
    #expect(reply.map(read) == [#"{"op":1,"id":1,"ttl":300}"#] && reply[0].kind == .binary)
    var notices: [ServerNotice?] = []
    client.token = Credentials(token: "a.b.c")
    reply[0].payload.withUnsafeBytes { bytes in
      dialect.hear(bytes, .binary, by: { (.loggingIn, client) }, memory) { notices.append($0) }
    }
    #expect(notices.count == 2 && notices.first == .tokenLife(.seconds(300)))
    // A ping with a timestamp is answered, and a message of text frames is read as it is.
    let pings = gateway.ping(context(true))
    #expect(pings.map(read) == [#"{"op":9,"at":{"$ext":-1,"$base64":"AAAAAA=="}}"#])
    #expect(dialect.frames(.cued(3), of: client, memory) == [Frame(text: "hello")])
    #expect(dialect.frames(.garbage, of: client, memory) == [Frame(.binary, [0xc1])])
    let shown = seen.withLock { $0 }.joined(separator: "\n")
    #expect(shown.contains("<token>") && !shown.contains("YS5i") && !shown.contains("a.b.c"), "\(shown)")
  }

  @Test
  func `a journal shows a message of MessagePack as JSON, without its secrets and without bytes`() throws {
    let served = try ServedDialect(try Self.wire())
    func shown(_ json: String, isUnderstood: Bool) throws -> String? {
      let packed = try #require(MessagePack.packed(Array(json.utf8)))
      return packed.withUnsafeBytes { served.redacted($0, .binary, isUnderstood: isUnderstood) }
    }
    for isUnderstood in [true, false] {
      let login = try shown(
        #"{"op":1,"auth":{"token":{"$base64":"czNjcjN0"}},"n":[1,"two"]}"#, isUnderstood: isUnderstood)
      #expect(login == #"{"op":1,"auth":{"token":"(redacted)"},"n":[1,"two"]}"#)
      let bytes = try shown(#"{"$map":[[1,{"$base64":"czNjcjN0"}],{"password":"s3cr3t"}]}"#, isUnderstood: isUnderstood)
      #expect(bytes?.contains("czNj") == false && bytes?.contains("s3cr3t") == false)
    }
    // Two members of one name have no form in JSON.
    let twice: [UInt8] = [0x82, 0xa1, 0x61, 0x01, 0xa1, 0x61, 0x02]
    #expect(twice.withUnsafeBytes { served.redacted($0, .binary, isUnderstood: true) } == nil)
  }

  @Test
  func `a reader of both sides knows logins of MessagePack and tells another life in place`() throws {
    let served = try ServedDialect(reading: try Self.wire())
    let eyes = served.eyes(for: HTTPRequest(method: "GET", path: "/packed"), ConnectionID(loop: 0, serial: 1))
    let now = WallTime(seconds: 1_800_000_000)
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDAsIm4iOjF9.c2ln"
    let login = try #require(
      MessagePack.packed(
        Array(#"{"op":1,"id":7,"auth":{"token":{"$base64":"\#(Base64.encode(Array(token.utf8)))"}}}"#.utf8)))
    #expect(login.withUnsafeBytes { eyes.fromClient($0, at: now) } == [.credentials(isRenewal: false)])
    // Three members in longer forms than they need, with a nil and bytes that nobody reads.
    let reply: [UInt8] =
      [0xde, 0, 4] + [0xa2, 0x6f, 0x70, 0xcc, 1] + [0xa2, 0x69, 0x64, 7] + [
        0xa3, 0x74, 0x74, 0x6c, 0xce, 0, 0, 1, 0x2c,
      ]
      + [0xa1, 0x78, 0xc4, 2, 1, 2]
    #expect(reply.withUnsafeBytes { eyes.fromGateway($0, at: now) } == [.loggedIn])
    #expect(eyes.accepted?.user == UserID("ann") && eyes.end == now + .seconds(300))
    let told = reply.withUnsafeBytes { eyes.telling(.seconds(3), in: $0, at: now) }
    let wanted: [UInt8] =
      [0xde, 0, 4] + [0xa2, 0x6f, 0x70, 0xcc, 1] + [0xa2, 0x69, 0x64, 7] + [0xa3, 0x74, 0x74, 0x6c, 3] + [
        0xa1, 0x78, 0xc4, 2, 1, 2,
      ]
    #expect(told == wanted)
  }

  @Test
  func `an operator's JSON is said in MessagePack, and other messages as they are`() throws {
    let served = try ServedDialect(try Self.wire())
    #expect(served.worded(Frame(text: #"{"op":8}"#)) == Frame(.binary, [0x81, 0xa2, 0x6f, 0x70, 8]))
    for frame in [Frame(text: "hello"), Frame(text: "{\"op\":"), Frame(.binary, Array("{}".utf8))] {
      #expect(served.worded(frame) == frame)
    }
  }

  @Test(arguments: [
    (#""encoding": "msgpack""#, #""encoding": "msgpak""#, "no such encoding 'msgpak'; did you mean 'msgpack'?"),
    (#""encoding": "msgpack""#, #""encoding": "msgpack", "kind": "text""#, "MessagePack is in binary frames"),
    (#""encoding": "msgpack""#, #""encoding": "msgpack", "split": "\n""#, "a frame of MessagePack is one message"),
    (#""text": "hello", "kind": "text""#, #""text": "hello""#, "frames of MessagePack have \"json\" alone"),
    (#""pong": { "json": { "op": 9 } }"#, #""pong": { "hex": "2a" }"#, "/say/pong/hex: frames of MessagePack"),
    (#""pong": { "json": { "op": 9 } }"#, #""pong": { "json": 9 }"#, "/say/pong: cannot be MessagePack"),
    (
      #""json": { "op": 2, "error": "no" }"#, #""json": { "op": 2, "error": { "$base64": "?" } }"#,
      "cannot be MessagePack"
    ),
    (#"{ "json": { "/op": 7 } }"#, #"{ "hex": "2a" }"#, "compared as JSON"),
  ])
  func `a wrong use of MessagePack in a description is named with its place`(
    right: String, wrong: String, reason: String
  ) throws {
    #expect(Self.text.contains(right))
    let error = #expect(throws: DescriptionError.self) { try Self.wire(Self.text.replacing(right, with: wrong)) }
    #expect(error.map { "\($0)".contains(reason) } == true, "\(String(describing: error))")
  }
}

import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamLoginTests {
  private let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream()
  }

  private func root(_ text: String?) throws -> JSONView {
    try JSONDocument.parse(try #require(text)).root
  }

  /// Returns code and status of a refusal, after which the socket must be closed with 1000 and no text.
  private func refusal(_ client: SimulatedPeer) throws -> [Int64?] {
    let message = try root(client.texts.first)
    #expect(message["type"]?.string == "connection.error" && message["connection_id"]?.string == "")
    let error = try #require(message["error"])
    for name in ["code", "message", "StatusCode", "duration", "more_info", "details"] {
      #expect(error[member: name] != nil, "Swift's decoder needs \(name)")
    }
    #expect(client.texts.count == 1 && client.ending?.code == 1000 && client.ending?.name == "")
    return [error["code"]?.integer, error["StatusCode"]?.integer]
  }

  @Test
  func `a client gets connection.ok with the members that the Swift decoder needs, with dates as the family has them`()
    throws
  {
    for kind in [StreamDialect.Kind.video, .v2] {
      let client = stream.connect(stream.token(), on: kind)
      let message = try root(client.texts.first)
      #expect(message["type"]?.string == "connection.ok")
      let id = try #require(message["connection_id"]?.string)
      #expect(id.utf8.count == 36 && StreamConnectionID.read(id) != nil)
      let me = try #require(message["me"])
      for name in [
        "id", "role", "language", "teams", "devices", "custom", "created_at", "updated_at", "banned", "online",
        "invisible", "mutes", "channel_mutes", "unread_count", "total_unread_count", "unread_channels",
        "unread_threads",
      ] { #expect(me[member: name] != nil, "\(name)") }
      for date in [message["created_at"], me["created_at"]] {
        #expect(kind == .v2 ? date?.integer != nil : date?.string.flatMap(StreamDates.read) != nil)
      }
    }
  }

  @Test(arguments: [StreamDialect.Kind.video, .v2])
  func `a client may send pings before it has its answer`(kind: StreamDialect.Kind) throws {
    let client = stream.open(kind, query: [HTTPField("stream-auth-type", "jwt")])
    client.say(#"{"token":"\#(stream.token())","user_details":{"id":"ann"}}"#)
    for sign in [#"[{"type":"health.check"}]"#, #"{"type":"health.check"}"#, ""] { client.say(sign) }
    stream.world.settle()
    #expect(try client.texts.map { try root($0)["type"]?.string } == ["connection.ok"] && client.ending == nil)
  }

  @Test
  func `a client over the chat query gets a health.check that names it, without sending a message`() throws {
    let client = stream.connect(stream.token(), on: .chat)
    let message = try root(client.texts.first)
    #expect(message["type"]?.string == "health.check" && message["cid"]?.string == "*")
    #expect(message["me"]?["id"]?.string == "ann" && message["connection_id"]?.string?.utf8.count == 36)
  }

  @Test
  func `a client may authenticate in a binary frame, in any order of members, with unknown members`() throws {
    let client = stream.open(.video)
    let text =
      #"{"x":[1],"user_details":{"custom":{},"id":"ann","z":{}},"products":["video"],"token":"\#(stream.token())"}"#
    client.say(Frame(.binary, Array(text.utf8)))
    stream.world.settle()
    #expect(try root(client.texts.first)["type"]?.string == "connection.ok")
  }

  @Test
  func `a client may have a token in a header of its upgrade, but the message decides`() throws {
    let headers = [HTTPField("authorization", "rubbish"), HTTPField("stream-auth-type", "jwt")]
    let client = stream.open(.video, headers: headers)
    #expect(client.texts.isEmpty && client.isOpen)
    client.say(#"{"token":"\#(stream.token())","user_details":{"id":"ann"}}"#)
    stream.world.settle()
    #expect(try root(client.texts.first)["type"]?.string == "connection.ok")
  }

  @Test(arguments: [
    #"[{"type":"health.check","client_id":"ann--7f4d"}]"#, #"[{"type":"health.check","client_id":"00"}]"#,
    #"{"type":"connection.ok","connection_id":"x","me":{}}"#, #"{"type":"health.check","client_id":"x"}"#,
    #"{"type":"health.check","cid":"*"}"#, "garbage", "", #"{"token":"x","user_details":{"id":"bob"}}"#,
  ])
  func `a client gets a health.check for whatever it sends afterwards, and a pong for every ping`(text: String) throws {
    let client = stream.connect(stream.token())
    client.say(text)
    client.say(Frame(.binary, Array(text.utf8)))
    client.ping()
    stream.world.settle()
    let answers = try client.texts.dropFirst().map { try root($0) }
    #expect(answers.map { $0["type"]?.string } == ["health.check", "health.check", "health.check"])
    let id = try root(client.texts[0])["connection_id"]?.string
    #expect(answers.allSatisfy { $0["connection_id"]?.string == id && $0["created_at"] != nil })
    #expect(client.events.contains { $0.event == .pong } && client.isOpen)
  }

  @Test(arguments: [
    ("not JSON", 5, 401), ("[]", 5, 401), ("{}", 5, 401), (#"{"type":"health.check"}"#, 5, 401),
    (#"{"token":7,"user_details":{"id":"ann"}}"#, 4, 400), (#"{"token":"","user_details":{"id":"ann"}}"#, 5, 401),
    (#"{"user_details":{"id":"ann"}}"#, 5, 401), (#"{"token":"a.b.c"}"#, 4, 400),
    (#"{"token":"a.b.c","user_details":[]}"#, 4, 400), (#"{"token":"a.b.c","user_details":{}}"#, 4, 400),
    (#"{"token":"a.b.c","user_details":{"id":7}}"#, 4, 400),
  ])
  func `a client that sends something else first is refused`(text: String, code: Int64, status: Int64) throws {
    let client = stream.open(.video)
    client.say(text)
    stream.world.settle()
    #expect(try refusal(client) == [code, status])
  }

  @Test
  func `a silent client gets 800101 when the login timeout has passed`() throws {
    let client = stream.open(.video)
    stream.world.advance(by: .seconds(10))
    #expect(try refusal(client) == [5, 401])
    #expect(client.texts[0].contains(#""details":[800101]"#))
  }

  @Test(arguments: [nil, "", "other"])
  func `a client without an API key or with an unknown one is refused with 2`(key: String?) throws {
    for kind in [StreamDialect.Kind.video, .v2] {
      let client = stream.open(kind, key: key)
      client.say(#"{"token":"\#(stream.token())","user_details":{"id":"ann"}}"#)
      stream.world.settle()
      #expect(try refusal(client) == [2, 401])
    }
  }

  @Test(arguments: StreamDialect.Kind.allCases)
  func `an anonymous client gets no socket`(kind: StreamDialect.Kind) throws {
    let token = stream.token("!anon", calls: ["default:a"])
    #expect(try refusal(stream.connect(token, as: "!anon", on: kind)) == [17, 403])
    let header = stream.open(kind, query: [HTTPField("stream-auth-type", "anonymous")])
    if kind != .chat { header.say(#"{"token":"\#(stream.token())","user_details":{"id":"ann"}}"#) }
    stream.world.settle()
    #expect(try refusal(header) == [17, 403])
  }

  @Test
  func `a client with a server's token, or as another user, is refused with 5`() throws {
    for claims in ["{}", #"{"server":true}"#] {
      #expect(try refusal(stream.connect(stream.token(claims: claims))) == [5, 401])
    }
    #expect(try refusal(stream.connect(stream.token("bob"), as: "ann")) == [5, 401])
    #expect(try refusal(stream.connect("undefined", on: .chat)) == [5, 401])
  }

  @Test
  func `a client describes its user, and earlier descriptions stay`() throws {
    let client = stream.open(.video)
    client.say(
      #"{"token":"\#(stream.token())","user_details":{"id":"ann","name":"Ann","role":"admin","custom":{"a":{"b":1}}}}"#)
    stream.world.settle()
    let again = stream.connect(stream.token())
    for text in [client.texts[0], again.texts[0]] {
      let me = try #require(try root(text)["me"])
      #expect(me["name"]?.string == "Ann" && me["custom"]?["a"]?["b"]?.integer == 1)
      #expect(me["role"]?.string == "user", "nobody gives themselves a role")
    }
  }

  @Test
  func `a guest client is the guest of its token, under the name asked for or an earlier guest's`() throws {
    func make() throws -> (id: String, token: String) {
      let response = try #require(
        stream.fetch("POST", "/video/guest", body: #"{"user":{"id":"tommaso","type":"guest"}}"#))
      #expect(response.status == 201)
      let body = try JSONDocument.parse(response.body).root
      #expect(body["user"]?["role"]?.string == "guest")
      return (try #require(body["user"]?["id"]?.string), try #require(body["access_token"]?.string))
    }
    let (first, second) = (try make(), try make())
    #expect(first.id != second.id && first.id.contains("tommaso") && first.id.hasPrefix("guest-"))
    for name in [second.id, first.id, "tommaso"] {
      #expect(try root(stream.connect(second.token, as: name).texts[0])["me"]?["id"]?.string == second.id)
    }
    #expect(try refusal(stream.connect(second.token, as: "somebody")) == [5, 401])
    let sessions = stream.space.sessions(of: UserID(second.id))
    #expect(sessions.count == 3 && sessions.allSatisfy { $0.kind == .guest })
  }

  @Test
  func `a client is closed with a code that every client returns from when the gateway drains`() throws {
    let client = stream.connect(stream.token())
    #expect(stream.control("ann", .drain(until: stream.world.now + .seconds(2))) == 1)
    stream.world.advance(by: .seconds(2))
    #expect(client.ending?.code == 1012 && client.texts.count == 1)
  }
}

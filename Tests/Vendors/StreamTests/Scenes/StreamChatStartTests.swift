import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamChatStartTests {
  private let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream()
  }

  private func ask(
    _ method: String, _ path: String, _ body: String = "", query: [HTTPField] = [], token: String? = nil
  ) throws -> (status: Int, body: JSONView) {
    let answer = try #require(
      stream.fetch(method, path, token: token ?? stream.token(), query: query, body: body))
    return (answer.status, try JSONDocument.parse(answer.body).root)
  }

  @Test(arguments: ["", "/api/v2/chat"])
  func `a starting chat client is answered as by an application without channels`(family: String) throws {
    let sync = #"{"channel_cids":["messaging:a"],"last_sync_at":"2026-01-01T00:00:00Z"}"#
    let missed = try ask("POST", "\(family)/sync", sync)
    #expect(missed.status == 201 && missed.body["events"]?.count == 0)
    #expect(try ask("POST", "\(family)/sync", "{}").body["code"]?.integer == 4)
    #expect(try ask("POST", "\(family)/channels/read", "{}").status == 201)
    let unread = try ask("GET", "\(family)/unread")
    #expect(unread.status == 200 && unread.body["total_unread_count"]?.integer == 0)
    for name in ["channels", "channel_type", "threads"] { #expect(unread.body[member: name]?.count == 0) }
    #expect(try ask("POST", "\(family)/threads", "{}").body["threads"]?.count == 0)
    let query = [HTTPField("payload", #"{"query":"tea","filter_conditions":{}}"#)]
    #expect(try ask("GET", "\(family)/search", query: query).body["results"]?.count == 0)
    for (method, path) in [("POST", "channels/read"), ("GET", "unread"), ("POST", "threads")] {
      #expect(try ask(method, "\(family)/\(path)", token: stream.serverToken).body["code"]?.integer == 4)
      let query = [HTTPField("user_id", "ann")]
      #expect(try ask(method, "\(family)/\(path)", query: query, token: stream.serverToken).status < 300)
    }
  }

  // MARK: Long polls

  private func begin(_ token: String) throws -> String {
    let json = #"{"user_id":"ann","user_details":{"id":"ann","name":"Ann"}}"#
    let first = try ask("GET", "/longpoll", query: [HTTPField("json", json)], token: token)
    #expect(first.status == 200 && first.body.at("event.type")?.string == "health.check")
    #expect(first.body.at("event.me.name")?.string == "Ann" && first.body.at("event.me.unread_count")?.integer == 0)
    return try #require(first.body.at("event.connection_id")?.string)
  }

  /// Starts a poll that waits for its answer.
  private func poll(_ connection: String, _ token: String) -> Started<Result<HTTPResponse, DialFailure>> {
    let query = [HTTPField("api_key", SimulatedStream.key), HTTPField("connection_id", connection)]
    let request = HTTPRequest(
      method: "GET", path: "/longpoll", query: query,
      headers: [HTTPField("authorization", token), HTTPField("stream-auth-type", "jwt")])
    let dialer = SimulatedDialer(stream.space.network, on: stream.space.clients)
    return stream.space.start { await dialer.fetch(request, from: .gateway, timeout: .seconds(60)) }
  }

  @Test
  func `a long poll waits without an event, and starts again`() throws {
    let token = stream.token()
    let connection = try begin(token)
    let waiting = poll(connection, token)
    stream.world.advance(by: .seconds(24))
    #expect(waiting.value == nil)
    stream.world.advance(by: .seconds(3))
    let answer = try #require(try waiting.value?.get())
    #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self).hasPrefix(#"{"events":[]"#))
    let query = [HTTPField("connection_id", connection), HTTPField("close", "true")]
    #expect(try ask("GET", "/longpoll", query: query).status == 200)
    #expect(try ask("POST", "/longpoll", query: query).status == 200)
    for stray in ["x", String(repeating: "0", count: 36), "0000-0000-4000-8000-0000"] {
      let answer = try ask("GET", "/longpoll", query: [HTTPField("connection_id", stray)])
      #expect(answer.status == 400 && answer.body["code"]?.integer == 46)
    }
    let foreign = [HTTPField("json", #"{"user_id":"bob","user_details":{"id":"bob"}}"#)]
    #expect(try ask("GET", "/longpoll", query: foreign).body["code"]?.integer == 5)
  }

  @Test
  func `a long poll is refused with 40 in its middle when the token ends`() throws {
    let token = stream.token(life: .seconds(10))
    let connection = try begin(token)
    let waiting = poll(connection, token)
    stream.world.advance(by: .seconds(12))
    let answer = try #require(try waiting.value?.get())
    #expect(answer.status == 401 && String(decoding: answer.body, as: UTF8.self).contains(#""code":40"#))
    stream.world.advance(by: .seconds(1))
    let next = poll(connection, stream.token())
    stream.world.advance(by: .seconds(26))
    #expect(try next.value?.get().status == 200)
  }
}

import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamChatAnonymousTests {
  private let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream { $0.admitsAnonymousToChat = true }
  }

  /// Connects like JavaScript's `connectAnonymousUser`: with a random name and without a token.
  private func visit(_ json: String = #"{"user_id":"8e2e","user_details":{"id":"8e2e","anon":true}}"#) -> SimulatedPeer
  {
    stream.open(
      .chat,
      query: [
        HTTPField("json", json), HTTPField("authorization", "undefined"), HTTPField("stream-auth-type", "anonymous"),
      ])
  }

  @Test
  func `anonymous users get a socket as the special user, are kept alive, and may query channels`() throws {
    let peers = [visit(), visit()]
    for peer in peers {
      let first = try JSONDocument.parse(try #require(peer.texts.first)).root
      #expect(first["type"]?.string == "health.check" && first["connection_id"]?.string?.utf8.count == 36)
      #expect(first["me"]?["id"]?.string == "!anon" && first["me"]?["role"]?.string == "anonymous")
      for name in [
        "roles", "created_at", "updated_at", "last_active", "banned", "online", "invisible", "devices", "mutes",
        "channel_mutes", "total_unread_count", "unread_channels", "unread_count", "language",
      ] { #expect(first["me"]?[member: name] != nil, "\(name)") }
      peer.say("[]")
    }
    stream.world.settle()
    #expect(peers.allSatisfy { $0.count("health.check") == 2 && $0.isOpen })
    #expect(stream.fetch("POST", "/channels", body: #"{"filter_conditions":{}}"#)?.status == 201)
    #expect(stream.space.sessions().map(\.kind) == [.anonymous, .anonymous])
  }

  @Test
  func `anonymous users stay when all tokens are revoked, since they have none`() throws {
    let peer = visit()
    let limit = StreamDates.text(stream.world.wallTime + .seconds(60))
    let body = #"{"revoke_tokens_issued_before":"\#(limit)"}"#
    #expect(stream.fetch("PATCH", "/app", token: stream.serverToken, body: body)?.status == 200)
    #expect(peer.isOpen)
  }

  @Test
  func `anonymous users watch nothing by a connection, neither their own nor another's`() throws {
    let id = try #require(try JSONDocument.parse(visit().texts[0]).root["connection_id"]?.string)
    let call = stream.token("!anon", calls: ["default:a"])
    _ = stream.fetch("POST", "/video/call/default/a", token: stream.token())
    let headers = [HTTPField("stream-auth-type", "anonymous"), HTTPField("authorization", call)]
    let query = [HTTPField("connection_id", id)]
    let refused = try #require(stream.fetch("GET", "/video/call/default/a", query: query, headers: headers))
    #expect(try JSONDocument.parse(refused.body).root["code"]?.integer == 46)
    #expect(stream.fetch("GET", "/video/call/default/a", headers: headers)?.status == 200)
  }

  @Test
  func `anonymous users get no socket on other paths, nor with a query without a user or with an unknown key`() throws {
    for kind in [StreamDialect.Kind.video, .v2] {
      let peer = stream.open(kind, query: [HTTPField("stream-auth-type", "anonymous")])
      peer.say(#"{"token":"\#(stream.token())","user_details":{"id":"ann"}}"#)
      stream.world.settle()
      #expect(peer.count(#""code":17"#) == 1 && !peer.isOpen)
    }
    for json in ["", "{}", "[]"] { #expect(visit(json).count(#""code":4"#) == 1) }
    let stranger = stream.open(.chat, query: [HTTPField("stream-auth-type", "anonymous")], key: "other")
    #expect(stranger.count(#""code":2"#) == 1 && !stranger.isOpen)
  }
}

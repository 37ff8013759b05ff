import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

/// Names that are equal as Swift strings, and different at Stream.
@Suite(.onNodes)
struct StreamNamesTests {
  private static let one = "\u{e9}"
  private static let two = "e\u{301}"
  private let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream()
  }

  private func ask(
    _ method: String, _ path: String, _ body: String = "", token: String? = nil, query: [HTTPField] = [],
    key: String? = SimulatedStream.key
  ) throws -> JSONView {
    let token = token ?? stream.serverToken
    let response = try #require(stream.fetch(method, path, token: token, query: query, body: body, key: key))
    return try JSONDocument.parse(response.body).root
  }

  private func names(_ view: JSONView?, _ member: String) -> [Name] {
    view?.elements?.compactMap { $0[member: member]?.string.map { Name($0) } } ?? []
  }

  @Test
  func `two users whose names differ only in bytes are two users, and a token logs in and renames only its own`() throws
  {
    _ = try ask("POST", "/users", #"{"users":{"\#(Self.one)":{"id":"\#(Self.one)","name":"First"}}}"#)
    let peer = stream.open(.video, query: [HTTPField("stream-auth-type", "jwt")])
    peer.say(#"{"token":"\#(stream.token(Self.two))","user_details":{"id":"\#(Self.one)","name":"Mallory"}}"#)
    stream.world.settle()
    #expect(peer.count(#""code":5"#) == 1 && !peer.isOpen)
    #expect(stream.connect(stream.token(Self.two), as: Self.two).count("connection.ok") == 1)
    let users = try ask("GET", "/users")["users"]
    #expect(names(users, "id") == [Name(Self.two), Name(Self.one)], "in the order of their bytes")
    #expect(names(users, "name") == ["First"])
    let swapped = try ask("POST", "/users", #"{"users":{"\#(Self.one)":{"id":"\#(Self.two)"}}}"#)
    #expect(swapped["code"]?.integer == 4)
  }

  @Test
  func `two guests' wishes that differ in bytes only stay apart`() throws {
    let guest = try ask("POST", "/guest", #"{"user":{"id":"\#(Self.one)"}}"#)
    let token = try #require(guest["access_token"]?.string)
    #expect(!stream.connect(token, as: Self.two).isOpen)
    #expect(stream.connect(token, as: Self.one).isOpen)
  }

  @Test
  func `two members of a user's own data that differ in bytes only are set, unset and found separately`() throws {
    let both = #"{"\#(Self.one)":1,"\#(Self.two)":2}"#
    let made = try ask("POST", "/api/v2/users", #"{"users":{"ann":{"id":"ann","custom":\#(both)}}}"#)
    #expect(made["users"]?["ann"]?["custom"]?.count == 2)
    let patch = #"{"users":[{"id":"ann","unset":["\#(Self.one)"]}]}"#
    #expect(
      Array(try ask("PATCH", "/api/v2/users", patch)["users"]!["ann"]!["custom"]!.text.utf8)
        == Array(#"{"\#(Self.two)":2}"#.utf8))
    for (name, count) in [(Self.one, 0), (Self.two, 1)] {
      let filter = HTTPField("payload", #"{"filter_conditions":{"\#(name)":2}}"#)
      #expect(try ask("GET", "/users", query: [filter])["users"]?.count == count)
    }
  }

  @Test
  func `two values, roles, members and devices that differ in bytes only stay apart`() throws {
    let users = #"{"users":{"ann":{"id":"ann","role":"\#(Self.one)"},"bob":{"id":"bob","role":"\#(Self.two)"}}}"#
    _ = try ask("POST", "/users", users)
    for condition in [#""\#(Self.two)""#, #"{"$in":["\#(Self.two)"]}"#, #"{"$gt":"d","$lt":"f"}"#] {
      let filter = HTTPField("payload", #"{"filter_conditions":{"role":\#(condition)}}"#)
      #expect(names(try ask("GET", "/users", query: [filter])["users"], "id") == ["bob"])
    }
    let members = #"{"data":{"created_by_id":"ann","members":[{"user_id":"\#(Self.one)"},{"user_id":"\#(Self.two)"}]}}"#
    _ = try ask("POST", "/users", #"{"users":{"\#(Self.one)":{"id":"\#(Self.one)"}}}"#)
    _ = try ask("POST", "/users", #"{"users":{"\#(Self.two)":{"id":"\#(Self.two)"}}}"#)
    #expect(try ask("POST", "/video/call/default/a", members)["members"]?.count == 2)
    let left = try ask("POST", "/video/call/default/a/members", #"{"remove_members":["\#(Self.one)"]}"#)
    #expect(names(left["members"], "user_id") == [Name(Self.two)])
    for id in [Self.one, Self.two] {
      _ = try ask("POST", "/devices", #"{"id":"\#(id)","push_provider":"apn"}"#, token: stream.token())
    }
    #expect(try ask("GET", "/devices", token: stream.token())["devices"]?.count == 2)
    _ = try ask("DELETE", "/devices", token: stream.token(), query: [HTTPField("id", Self.two)])
    #expect(names(try ask("GET", "/devices", token: stream.token())["devices"], "id") == [Name(Self.one)])
  }

  @Test
  func `two API keys that differ in bytes only stay apart`() throws {
    let secret = SimulatedStream.secret
    let application = try StreamApplication(secret: secret)
    let stream = try SimulatedStream {
      $0.applications = StreamApplications([Name(Self.one): application])
    }
    func status(_ key: String) -> Int? { stream.fetch("GET", "/app", token: stream.serverToken, key: key)?.status }
    #expect(status(Self.one) == 200 && status(Self.two) == 401)
  }
}

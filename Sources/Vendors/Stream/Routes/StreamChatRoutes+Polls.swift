internal import GatewayCore
internal import GatewayJSON

// Chat's long polls, for networks that block WebSockets. A poll is not a connection: it receives no events, and ends
// with code 40 when its token expires.

extension StreamChatRoutes {
  /// The length of a poll: JavaScript allows it 30 s.
  private static let wait = Duration.seconds(25)
  /// The interval at which the token is checked during a poll.
  private static let step = Duration.seconds(1)

  var pollRoutes: [HTTPRoute] {
    ["GET", "POST"].flatMap { method in
      rest.resource(method, .one("/longpoll"), "Longpoll", .user) { request throws(StreamError) in
        guard let connection = request.http.parameter("connection_id") else { return try await begin(request) }
        guard Self.isName(connection) else {
          throw .connectionIDNotFound("no poll has this connection_id: begin anew without one")
        }
        if request.http.parameter("close") != "true" { try await poll(request) }
        return StreamAnswer(200) { $0.member("events", strings: []) }
      }
    }
  }

  /// Answers the first poll: identifies the client.
  private func begin(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let id = try request.actingUser()
    let text = request.http.parameter("json") ?? ""
    let said = text.isEmpty ? .empty : try StreamBody(Array(text.utf8), "json")
    if let named = try said.string("user_id"), UserID(named) != id, !StreamGuestID.isSameWish(named, id) {
      throw .authentication("the token's user_id \(id) is not the user_id of json")
    }
    let change = try said.object("user_details").map { (details) throws(StreamError) in
      try StreamUserChange(details, isFlat: true, mayNameRole: false)
    }
    let user = try await rest.update(id, creates: true, at: request.receivedAt) { (user, _) throws(GatewayError) in
      try change?.apply(to: &user)
      user.lastActive = request.receivedAt
    }
    let name = Self.name(high: await rest.word(), low: await rest.word())
    return StreamAnswer(200) { json in
      json.member("event") { json in
        json.member("type", "health.check")
        json.member("cid", "*")
        json.member("connection_id", name)
        json.member("created_at", request.receivedAt, request.dates)
        json.member("me") { user.writeFullMembers(to: &$0, request.family, isOnline: true) }
      }
    }
  }

  /// Waits without an event, at most as long as the token is valid.
  private func poll(_ request: StreamRequest) async throws(StreamError) {
    let until = request.receivedAt + Self.wait
    while rest.services.wallTime < until {
      let before = rest.services.wallTime
      await rest.services.sleep(for: min(Self.step, until - before), as: "a long poll that waits for an event")
      _ = try await rest.caller(of: request.http, .user)
      // If a sleep returns at once, the gateway has ended.
      if rest.services.wallTime <= before { return }
    }
  }

  // Returns the name of a poll: a UUID that differs from connections' names in its third part.

  private static func name(high: UInt64, low: UInt64) -> String {
    let uuid = StreamGuestID.uuid(high: high, low: low)
    return "\(uuid.prefix(14))5\(uuid.dropFirst(15))"
  }

  private static func isName(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts[2].utf8.first == UInt8(ascii: "5")
      && parts.allSatisfy { $0.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit } }
  }
}

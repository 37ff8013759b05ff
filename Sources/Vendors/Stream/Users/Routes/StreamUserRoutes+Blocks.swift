internal import GatewayCore
internal import GatewayJSON

// The users that a user has blocked.

extension StreamUserRoutes {
  /// The maximum number of users that one user may block.
  private static let blockedMax = 1000

  var blocks: [HTTPRoute] {
    rest.resource("POST", .common("users/block"), "BlockUsers", .user) { request throws(StreamError) in
      try await block(request)
    }
      + rest.resource("POST", .common("users/unblock"), "UnblockUsers", .user) { request throws(StreamError) in
        let (user, blocked) = try Self.pair(request)
        _ = try await rest.update(user, creates: false, at: request.receivedAt) { user, _ in
          user.blocked.removeAll { $0 == blocked }
        }
        return StreamAnswer(201)
      }
      + rest.resource("GET", .common("users/block"), "GetBlockedUsers", .user) { request throws(StreamError) in
        try await blocked(request)
      }
  }

  private static func pair(_ request: StreamRequest) throws(StreamError) -> (user: UserID, blocked: UserID) {
    (try request.actingUser(), try StreamUser.checkedID(try request.body.requiredString("blocked_user_id")))
  }

  private func block(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let (id, blocked) = try Self.pair(request)
    guard id != blocked else { throw .input("a user cannot block themselves", field: "blocked_user_id") }
    guard try await !rest.users([blocked]).isEmpty else {
      throw .doesNotExist("user with id \(blocked) does not exist")
    }
    _ = try await rest.update(id, creates: false, at: request.receivedAt) { (user, _) throws(GatewayError) in
      guard !user.blocked.contains(blocked) else { return }
      guard user.blocked.count < Self.blockedMax else { throw .tooMany.detailed("\(Self.blockedMax) blocked users") }
      user.blocked.append(blocked)
    }
    return StreamAnswer(201) { json in
      json.member("blocked_by_user_id", id.rawValue)
      json.member("blocked_user_id", blocked.rawValue)
      json.member("created_at", request.receivedAt, request.dates)
    }
  }

  private func blocked(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let id = try request.actingUser()
    guard let user = await rest.seen(try await rest.users([id])).first else {
      throw .doesNotExist("user with id \(id) does not exist")
    }
    let blocked = await rest.seen(try await rest.users(user.blocked))
    return StreamAnswer(200) { json in
      json.member("blocks", objects: blocked) { other, json in
        json.member("blocked_user_id", other.id.rawValue)
        json.member("user_id", id.rawValue)
        json.member("created_at", user.updatedAt, request.dates)
        json.member("blocked_user", other, request.family)
        json.member("user", user, request.family)
      }
    }
  }
}

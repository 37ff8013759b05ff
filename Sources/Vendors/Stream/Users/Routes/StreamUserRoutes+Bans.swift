internal import GatewayCore
internal import GatewayJSON

// Bans of users from calls by the application's moderators.

extension StreamUserRoutes {
  /// The longest ban with an end, in minutes: a hundred years.
  private static let minutesMax: Int64 = 52_560_000

  var bans: [HTTPRoute] {
    rest.resource("POST", .common("moderation/ban"), "Ban", .server) { request throws(StreamError) in
      try await ban(request)
    }
      + rest.resource("POST", .common("moderation/unban"), "Unban", .server) { request throws(StreamError) in
        try await unban(request, 201)
      }
      // The path that Chat's clients use.
      + rest.resource("DELETE", .common("moderation/ban"), "Unban", .server) { request throws(StreamError) in
        try await unban(request, 200)
      }
  }

  private func ban(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let body = request.body
    let id = try StreamUser.checkedID(try body.requiredString("target_user_id"))
    try Self.checkNoChannel([try body.string("channel_cid"), try body.string("id")])
    let users = [try body.object("banned_by"), try body.object("user")]
    var names = [try body.string("banned_by_id"), try body.string("user_id")]
    for user in users { names.append(try user?.string("id")) }
    let by = names.compactMap(\.self).first
    let minutes = try body.integer("timeout", in: 1...Self.minutesMax)
    let now = request.receivedAt
    let ban = StreamBan(
      by: try by.map { (name) throws(StreamError) in try StreamUser.checkedID(name) },
      reason: try body.string("reason"), createdAt: now, expires: minutes.map { now + .seconds(60 * $0) })
    // Addresses change users often, so they are not banned.
    _ = try body.bool("ip_ban")
    // A shadow ban only hides messages, of which there are none.
    if try body.bool("shadow") ?? false {
      _ = try await known([id])
    } else {
      try await tell(id, at: now) { () async throws(GatewayError) in try await rest.directory.ban(id, ban, at: now) }
    }
    return StreamAnswer(201)
  }

  private func unban(_ request: StreamRequest, _ status: Int) async throws(StreamError) -> StreamAnswer {
    guard let named = request.http.parameter("target_user_id"), !named.isEmpty else {
      throw .input("target_user_id is a required field", field: "target_user_id")
    }
    let id = try StreamUser.checkedID(named)
    try Self.checkNoChannel([request.http.parameter("channel_cid"), request.http.parameter("id")])
    let now = request.receivedAt
    try await tell(id, at: now) { () async throws(GatewayError) in try await rest.directory.unban(id, at: now) }
    return StreamAnswer(status)
  }

  /// Changes the user, and sends the event about it.
  private func tell(
    _ id: UserID, at now: WallTime, _ change: () async throws(GatewayError) -> StreamUser
  ) async throws(StreamError) {
    let user: StreamUser
    do throws(GatewayError) {
      user = try await change()
    } catch {
      throw error.isSame(as: .userUnknown)
        ? .doesNotExist("user with id \(id) does not exist") : StreamError(error)
    }
    await rest.tell(.updated, user, at: now)
  }

  /// Throws if a channel is named, since there are none.
  private static func checkNoChannel(_ names: [String?]) throws(StreamError) {
    if let named = names.compactMap(\.self).first { throw .doesNotExist("Can't find channel with id \(named)") }
  }
}

internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Banned, muted and blocked users: lists and single users.

extension SendbirdChannelRoutes {
  var blockRoutes: [HTTPRoute] {
    let all = "/v3/users/{user_id}/block"
    return [
      resource.route("GET", all) { request throws(SendbirdError) in try await blocked(request) },
      resource.route("POST", all) { request throws(SendbirdError) in
        try await setBlocked(true, try request.body.neededUser("target_id"), request)
      },
      resource.route("DELETE", all + "/{target_id}") { request throws(SendbirdError) in
        try await setBlocked(false, UserID(request.path["target_id"]), request)
      },
    ]
  }

  func barRoutes(_ kind: SendbirdChannel.Kind) -> [HTTPRoute] {
    let one = Self.path(kind) + "/{channel_url}"
    return [
      resource.route("GET", one + "/mute") { request throws(SendbirdError) in try await muted(kind, request) },
      resource.route("GET", one + "/mute/{user_id}") { request throws(SendbirdError) in try await mute(kind, request) },
      resource.route("GET", one + "/ban") { request throws(SendbirdError) in try await banned(kind, request) },
      resource.route("GET", one + "/ban/{user_id}") { request throws(SendbirdError) in try await ban(kind, request) },
    ]
  }

  // MARK: Lists

  private func muted(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request, whole: true)
    let bars = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.muted(in: channel, at: services.wallTime)
    }
    return try await answer("muted_list", bars, request) { bar, user, json in
      json.members(of: user)
      json.member("is_active", user.isActive)
      json.member("restriction_type", "muted")
      Self.write(bar, to: &json)
    }
  }

  private func banned(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(kind, request)
    try needsOperator(of: channel, request)
    let bars = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.banned(from: channel.url, at: services.wallTime)
    }
    return try await answer("banned_list", bars, request) { bar, user, json in
      json.member("user") { json in
        json.members(of: user)
        json.member("is_active", user.isActive)
      }
      json.member("restriction_type", "banned")
      Self.write(bar, to: &json)
    }
  }

  private func blocked(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let user = try await own(request)
    let bars = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.blocked(by: user, at: services.wallTime)
    }
    return try await answer("users", bars, request) { _, user, json in
      json.members(of: user)
      json.member("is_active", user.isActive)
      json.member("is_blocked_by_me", true)
    }
  }

  private func answer(
    _ name: StaticString, _ bars: [SendbirdBar], _ request: SendbirdRequest,
    _ write: (SendbirdBar, SendbirdUser, inout JSONWriter) -> Void
  ) async throws(SendbirdError) -> HTTPResponse {
    let named = bars.compactMap { bar in bar.user.map { (bar: bar, user: $0) } }
    let page = try SendbirdPage(of: named, for: request, by: \.user.rawValue)
    let users = try await directory.find(Set(page.items.map(\.user)), at: services.wallTime)
    return SendbirdResource.answer { json in
      json.member(name, objects: page.items) { entry, json in
        write(entry.bar, users[entry.user] ?? SendbirdUser(entry.user, createdAt: entry.bar.since), &json)
      }
      json.member("next", page.next)
    }
  }

  static func write(_ bar: SendbirdBar, to json: inout JSONWriter) {
    json.member("description", bar.description ?? "")
    json.member("start_at", bar.since.milliseconds)
    // -1 means for ever.
    json.member("end_at", bar.until?.milliseconds ?? -1)
  }

  // MARK: One user

  /// Returns the mute of a user. A client may ask about itself, an operator or a server about any user.
  private func mute(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request)
    let (user, now) = (request.userInPath, services.wallTime)
    if case .user(let own, _) = request.caller, own != user { try needsOperator(of: channel, request) }
    let bar = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.mute(of: user, in: channel, at: now)
    }
    return SendbirdResource.answer { json in
      json.member("is_muted", bar != nil)
      guard let bar else { return }
      Self.write(bar, to: &json)
      json.member("remaining_duration", bar.until.map { max(0, $0.milliseconds - now.milliseconds) } ?? -1)
    }
  }

  private func ban(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(kind, request)
    try needsOperator(of: channel, request)
    let (user, now) = (request.userInPath, services.wallTime)
    let found = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.ban(of: user, in: channel.url, at: now)
    }
    guard let bar = found else { throw .notFound("Banned user") }
    let known = try await directory.find(user, at: now) ?? SendbirdUser(user, createdAt: bar.since)
    return SendbirdResource.answer { json in
      json.member("user") { $0.members(of: known) }
      Self.write(bar, to: &json)
    }
  }

  // MARK: Blocking

  private func setBlocked(
    _ isBlocked: Bool, _ target: UserID, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let user = try await own(request)
    guard let known = try await directory.find(target, at: services.wallTime) else { throw .notFound("User") }
    try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.setBlocked(isBlocked, target, by: user, at: services.wallTime)
    }
    await events.blocked(isBlocked, target, by: user, on: services)
    return SendbirdResource.answer { $0.members(of: known) }
  }
}

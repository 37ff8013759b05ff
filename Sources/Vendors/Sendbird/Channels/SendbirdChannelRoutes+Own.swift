internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// A user's own view of channels, requested for the user.

extension SendbirdChannelRoutes {
  var ownRoutes: [HTTPRoute] {
    let user = "/v3/users/{user_id}"
    return [
      resource.route("GET", user + "/my_group_channels") { request throws(SendbirdError) in
        try await ownChannels(request)
      },
      resource.route("PUT", user + "/my_group_channels/leave") { request throws(SendbirdError) in
        try await leaveAll(request)
      },
      resource.route("PUT", user + "/mark_as_read_all") { request throws(SendbirdError) in
        try await markAllRead(request)
      },
      // A client reports a screenshot. No other client is told.
      resource.route("POST", Self.path(.group) + "/{channel_url}/screenshot") { request throws(SendbirdError) in
        try request.needsWriter()
        _ = try await visible(.group, request)
        return SendbirdResource.answer()
      },
    ]
  }

  private func ownChannels(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let user = try await own(request)
    var query = try SendbirdChannelQuery(.group, request)
    query.member = user
    if request.text("show_empty") == nil { query.showsEmpty = request.isServer }
    switch request.text("member_state_filter") {
    case nil, "all": query.memberState = nil
    case "joined_only": query.memberState = .joined
    case "invited_only", "invited_by_friend", "invited_by_non_friend": query.memberState = .invited
    default: throw .invalid("member_state_filter")
    }
    switch request.text("hidden_mode") {
    case nil, "unhidden_only": query.hiding = SendbirdChannelQuery.Hiding.none
    case "hidden_only": query.hiding = .any
    case "hidden_allow_auto_unhide": query.hiding = .untilTheNextMessage
    case "hidden_prevent_auto_unhide": query.hiding = .forGood
    case "all": query.hiding = nil
    default: throw .invalid("hidden_mode")
    }
    return try await answer(query, request, showsMembers: try request.flag("show_member") ?? false)
  }

  private func leaveAll(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let user = try await own(request)
    let now = services.wallTime
    let type = try request.body.name("custom_type", max: SendbirdLimits.customType)
    let types = type.flatMap { $0 == "" ? nil : Set([$0]) }
    try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.leaveAll(user, of: types, at: now) { await events.left($0, on: services) }
    }
    return SendbirdResource.answer()
  }

  private func markAllRead(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let user = try await own(request)
    var urls = try request.body.strings(
      "channel_urls", count: SendbirdLimits.usersOfRequest, max: SendbirdLimits.channelURL)?.map { Name($0) }
    if urls == nil {
      var query = SendbirdChannelQuery(.group)
      query.member = user
      query.memberState = .joined
      query.limit = .max / 2
      urls = try await ask { [query] () throws(SendbirdChannelRefusal) in
        try await channels.urls(query, at: services.wallTime)
      }
    }
    for url in urls ?? [] { try await markRead(url, user) }
    return SendbirdResource.answer()
  }

  /// Notes that the user has read everything, and announces it.
  func markRead(_ url: Name, _ user: UserID) async throws(SendbirdError) {
    let now = services.wallTime
    let reader = SendbirdMessage.Sender(await events.who([user], at: now)[user] ?? SendbirdUser(user, createdAt: now))
    _ = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.markRead(url, user: user, at: now) {
        await events.read($0, by: reader, at: now, except: nil, on: services)
      }
    }
  }

  /// Marks the message and all later ones as unread, and announces it.
  func markUnread(_ url: Name, from id: Int64, _ user: UserID) async throws(SendbirdError) -> HTTPResponse {
    let now = services.wallTime
    let reader = SendbirdMessage.Sender(await events.who([user], at: now)[user] ?? SendbirdUser(user, createdAt: now))
    let (mark, unread) = try await ask { () throws(SendbirdChannelRefusal) in
      let mark = try await channels.markUnread(url, from: id, user: user, at: now) {
        await events.unread($0, by: reader, on: services)
      }
      return (mark, try await channels.unread(user, at: now))
    }
    return SendbirdResource.answer { json in
      json.member("channel_url", url.text)
      json.member("ts", mark.readAt.milliseconds)
      json.member("unread_message_count", Int64(mark.count))
      json.member("total_unread_count") { unread.write(to: &$0, at: now) }
    }
  }

  /// Returns the user in the path, who must exist and be the caller, unless a server asks.
  func own(_ request: SendbirdRequest) async throws(SendbirdError) -> UserID {
    try request.needs(request.userInPath)
    let known = try await directory.find(request.userInPath, at: services.wallTime)
    guard known != nil else { throw .notFound("User") }
    return request.userInPath
  }
}

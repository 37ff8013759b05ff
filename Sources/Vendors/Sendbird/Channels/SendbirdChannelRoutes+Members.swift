internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Members of channels: lists, joining and leaving.

extension SendbirdChannelRoutes {
  var memberRoutes: [HTTPRoute] {
    let one = Self.path(.group) + "/{channel_url}"
    return [
      resource.route("GET", one + "/members") { request throws(SendbirdError) in try await members(request) },
      resource.route("GET", one + "/members/{user_id}") { request throws(SendbirdError) in try await isMember(request)
      },
      resource.route("POST", one + "/invite") { request throws(SendbirdError) in try await invite(request) },
      resource.route("PUT", one + "/join") { request throws(SendbirdError) in try await join(request) },
      resource.route("PUT", one + "/accept") { request throws(SendbirdError) in try await accept(request) },
      resource.route("PUT", one + "/decline") { request throws(SendbirdError) in try await decline(request) },
      resource.route("PUT", one + "/leave") { request throws(SendbirdError) in try await leave(request) },
      resource.route("GET", Self.path(.open) + "/{channel_url}/participants") { request throws(SendbirdError) in
        try await participants(request)
      },
    ]
  }

  private func members(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(.group, request, whole: true)
    let page = try SendbirdPage(of: channel.members, for: request, by: \.user.rawValue)
    let object = try await present([channel], to: request.actor(nil), showsMembers: true)[0]
    return SendbirdResource.answer { json in
      json.member("members", objects: page.items) { object.writeMember($0, to: &$1) }
      json.member("next", page.next)
    }
  }

  private func isMember(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let member = try await member(request.userInPath, of: try await visible(.group, request))
    return SendbirdResource.answer { json in
      json.member("is_member", member != nil)
      json.member("state", member?.state.rawValue ?? "none")
    }
  }

  private func participants(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(.open, request)
    let all = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.participants(channel.url, at: services.wallTime)
    }
    let page = try SendbirdPage(of: all, for: request, by: \.user.rawValue)
    let users = try await directory.find(Set(page.items.map(\.user)), at: services.wallTime)
    return SendbirdResource.answer { json in
      json.member("participants", objects: page.items) { participant, json in
        let user = users[participant.user]
        json.members(of: user ?? SendbirdUser(participant.user, createdAt: channel.createdAt))
        json.member("is_active", user?.isActive ?? false)
        // Every user in an open channel is connected.
        json.member("is_online", true)
        json.member("is_muted", participant.isMuted)
      }
      json.member("next", page.next)
    }
  }

  // MARK: Joining

  private func invite(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await changeable(.group, request)
    let body = try request.body
    guard let ids = try body.users("user_ids") else { throw .missing("user_ids") }
    let known = try await directory.find(Set(ids), at: services.wallTime)
    guard known.count == ids.count else { throw .notFound("User") }
    let inviter = request.actor(try body.user("inviter_id"))
    let (said, asked) = (try body.invitations, try await wantingToBeAsked(ids))
    let now = services.wallTime
    let new = ids.map { user in
      SendbirdMember(
        user, said[user] ?? asked.contains(user) ? .invited : .joined, inviter: inviter, at: now)
    }
    let membership = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.invite(new, to: channel.url, at: now) {
        await events.invited($0, by: inviter, on: services)
      }
    }
    return try await answer(membership.channel, request, showsMembers: true)
  }

  private func join(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let user = try await subject(request)
    let channel = try await known(.group, request)
    if !request.isServer && !channel.properties.isPublic {
      guard try await member(user, of: channel) != nil else { throw .notAuthorized }
    }
    return try await enter(channel, user, request)
  }

  private func accept(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let user = try await subject(request)
    let channel = try await known(.group, request)
    guard try await member(user, of: channel) != nil else { throw .notFound("Invitation") }
    return try await enter(channel, user, request)
  }

  private func enter(
    _ channel: SendbirdChannel, _ user: UserID, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let now = services.wallTime
    let membership = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.join(channel.url, user: user, at: now) { await events.joined($0, on: services) }
    }
    return try await answer(membership.channel, request, showsMembers: true)
  }

  // MARK: Leaving

  private func decline(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let user = try await subject(request)
    guard try await member(user, of: try await known(.group, request))?.state == .invited else {
      throw .notFound("Invitation")
    }
    return try await leave(request, [user], as: .declined)
  }

  /// Removes members: a client removes itself, a server any user or all.
  private func leave(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    if case .user(let user, _) = request.caller { return try await leave(request, [user]) }
    let body = try request.body
    let channel = try await known(.group, request, whole: true)
    if try body.bool("should_leave_all") == true { return try await leave(request, channel.members.map(\.user)) }
    let single = try body.user("user_id").map { [$0] }
    guard let users = try body.users("user_ids") ?? single else { throw .missing("user_ids") }
    return try await leave(request, users)
  }

  private func leave(
    _ request: SendbirdRequest, _ users: [UserID], as category: SendbirdChannelEvents.Category = .left
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(.group, request)
    let now = services.wallTime
    let membership = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.leave(channel.url, users: Set(users), at: now) {
        await events.left($0, as: category, on: services)
      }
    }
    return try await answer(membership.channel, request, showsMembers: true)
  }

  /// Returns the user that the body names if a server asks; otherwise the caller.
  func subject(_ request: SendbirdRequest) async throws(SendbirdError) -> UserID {
    try request.needsWriter()
    guard let user = request.actor(try request.body.user("user_id")) else { throw .missing("user_id") }
    guard try await directory.find(user, at: services.wallTime) != nil else { throw .notFound("User") }
    return user
  }
}

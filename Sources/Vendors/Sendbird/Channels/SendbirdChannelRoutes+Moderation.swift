internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Operators and their actions: freezing a channel, banning and muting users.

extension SendbirdChannelRoutes {
  func moderationRoutes(_ kind: SendbirdChannel.Kind) -> [HTTPRoute] {
    let one = Self.path(kind) + "/{channel_url}"
    let routes = [
      resource.route("PUT", one + "/freeze") { request throws(SendbirdError) in try await freeze(kind, request) },
      resource.route("POST", one + "/ban") { request throws(SendbirdError) in
        try await setBanned(true, try request.body.neededUser("user_id"), kind, request)
      },
      resource.route("DELETE", one + "/ban/{user_id}") { request throws(SendbirdError) in
        try await setBanned(false, request.userInPath, kind, request)
      },
      resource.route("GET", one + "/operators") { request throws(SendbirdError) in
        try await operators(kind, request)
      },
      resource.route("POST", one + "/operators") { request throws(SendbirdError) in
        try await addOperators(kind, request)
      },
      resource.route("DELETE", one + "/operators") { request throws(SendbirdError) in
        try await removeOperators(kind, request)
      },
    ]
    return routes + [
      resource.route("POST", one + "/mute") { request throws(SendbirdError) in
        try await setMuted(true, try request.body.neededUser("user_id"), kind, request)
      },
      resource.route("DELETE", one + "/mute/{user_id}") { request throws(SendbirdError) in
        try await setMuted(false, request.userInPath, kind, request)
      },
    ]
  }

  private func freeze(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(kind, request)
    try needsOperator(of: channel, request)
    guard let freezes = try request.body.bool("freeze") else { throw .missing("freeze") }
    let frozen = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.update(
        channel.url, at: services.wallTime,
        telling: { channel in
          await events.event(freezes ? .frozen : .unfrozen, in: channel, on: services) { $0.member("freeze", freezes) }
        }
      ) { $0.isFrozen = freezes }
    }
    return try await answer(frozen, request, showsMembers: true)
  }

  private func setBanned(
    _ isBanned: Bool, _ user: UserID, _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(kind, request)
    try needsOperator(of: channel, request)
    guard let known = try await directory.find(user, at: services.wallTime) else { throw .notFound("User") }
    let now = services.wallTime
    let (until, description) = isBanned ? try Self.term(request, at: now) : (nil, nil)
    let ban = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.setBanned(isBanned, user, in: channel.url, until: until, because: description, at: now) {
        ban in
        let users = ban.channel.joined.union([user])
        await events.event(isBanned ? .banned : .unbanned, of: user, in: ban.channel, to: users, on: services)
      }
    }
    for connection in ban.connections {
      await services.unwatch(SendbirdChannelEvents.call(ban.channel.number), by: connection)
    }
    return SendbirdResource.answer { json in
      guard isBanned else { return }
      json.member("user") { $0.members(of: known) }
      Self.write(SendbirdBar(user, since: now, until: until, description: description), to: &json)
    }
  }

  private func setMuted(
    _ isMuted: Bool, _ user: UserID, _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(kind, request)
    try needsOperator(of: channel, request)
    guard try await directory.find(user, at: services.wallTime) != nil else { throw .notFound("User") }
    let now = services.wallTime
    let (until, description) = isMuted ? try Self.term(request, at: now) : (nil, nil)
    let muted = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.setMuted(isMuted, user, in: channel.url, until: until, because: description, at: now) {
        await events.event(isMuted ? .muted : .unmuted, of: user, in: $0, on: services)
      }
    }
    return try await answer(muted, request, showsMembers: true)
  }

  /// Reads the duration and the reason. -1 is for ever.
  private static func term(
    _ request: SendbirdRequest, at now: WallTime
  ) throws(SendbirdError) -> (until: WallTime?, description: String?) {
    let body = try request.body
    let description = try body.string("description", max: SendbirdLimits.description)
    guard let value = body.value("seconds"), value.integer != -1 else { return (nil, description) }
    guard let seconds = try body.integer("seconds") else { return (nil, description) }
    guard seconds > 0, seconds <= SendbirdLimits.barSeconds else { throw .outOfRange("seconds") }
    return (now + .seconds(seconds), description)
  }

  // MARK: Operators

  private func operators(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request)
    let object = try await present([channel], to: nil, showsMembers: false)[0]
    let page = try SendbirdPage(of: channel.properties.operators, for: request, by: \.rawValue)
    return SendbirdResource.answer { json in
      json.member("operators", objects: page.items) { object.writeUser($0, to: &$1) }
      json.member("next", page.next)
    }
  }

  private func addOperators(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(kind, request)
    try needsOperator(of: channel, request)
    guard let users = try request.body.users("operator_ids", count: SendbirdLimits.operators) else {
      throw .missing("operator_ids")
    }
    guard try await directory.find(Set(users), at: services.wallTime).count == users.count else {
      throw .notFound("User")
    }
    guard Set(channel.properties.operators).union(users).count <= SendbirdLimits.operators else {
      throw .tooMany("operators")
    }
    return try await changeOperators(of: channel) { operators in
      operators += users.filter { !operators.contains($0) }
    }
  }

  private func removeOperators(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(kind, request)
    try needsOperator(of: channel, request)
    let users = request.texts("operator_ids")
    let isForAll = try request.flag("delete_all") ?? false
    guard users != nil || isForAll else { throw .missing("operator_ids") }
    return try await changeOperators(of: channel) { operators in
      operators.removeAll { isForAll || users?.contains($0.name) == true }
    }
  }

  private func changeOperators(
    of channel: SendbirdChannel, _ change: @escaping @Sendable (inout [UserID]) -> Void
  ) async throws(SendbirdError) -> HTTPResponse {
    _ = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.update(
        channel.url, at: services.wallTime, telling: { await events.event(.changed, in: $0, on: services) }
      ) { change(&$0.operators) }
    }
    return SendbirdResource.answer()
  }
}

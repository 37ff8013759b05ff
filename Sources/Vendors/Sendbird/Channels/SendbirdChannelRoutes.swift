internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes of channels and messages, for servers by `Api-Token` and for clients by `Session-Key`.
struct SendbirdChannelRoutes: Sendable {
  let services: any GatewayServices
  let directory: SendbirdDirectory
  let channels: SendbirdChannels
  let preferences: SendbirdPreferences
  let storage: SendbirdStorage
  let events: SendbirdChannelEvents
  let resource: SendbirdResource

  init(
    gate: SendbirdGate, services: any GatewayServices, directory: SendbirdDirectory,
    channels: SendbirdChannels, preferences: SendbirdPreferences, storage: SendbirdStorage,
    rates: SendbirdRates? = nil
  ) {
    self.services = services
    self.directory = directory
    self.channels = channels
    self.preferences = preferences
    self.storage = storage
    events = SendbirdChannelEvents(directory: directory, channels: channels)
    resource = SendbirdResource(gate: gate, services: services, rates: rates)
  }

  var routes: [HTTPRoute] {
    var routes = changeLogRoutes + memberRoutes + ownRoutes + countRoutes + blockRoutes + settingRoutes
    routes += searchRoutes
    for kind in SendbirdChannel.Kind.allCases {
      routes += channelRoutes(kind) + messageRoutes(kind) + moderationRoutes(kind) + barRoutes(kind)
      routes += markRoutes(kind) + metadataRoutes(kind) + counterRoutes(kind)
      routes += metaArrayRoutes(kind)
    }
    return routes
  }

  /// Returns the path of the channels of a kind.
  static func path(_ kind: SendbirdChannel.Kind) -> String {
    "/v3/\(kind.rawValue)_channels"
  }

  private func channelRoutes(_ kind: SendbirdChannel.Kind) -> [HTTPRoute] {
    let all = Self.path(kind)
    let one = all + "/{channel_url}"
    return [
      resource.route("POST", all) { request throws(SendbirdError) in try await create(kind, request) },
      resource.route("GET", all) { request throws(SendbirdError) in try await list(kind, request) },
      resource.route("GET", one) { request throws(SendbirdError) in try await get(kind, request) },
      // The path at which clients look up the channel of a received message.
      resource.route("GET", "/v3/sdk/\(kind.rawValue)_channels/{channel_url}") { request throws(SendbirdError) in
        try await get(kind, request)
      },
      resource.route("PUT", one) { request throws(SendbirdError) in try await update(kind, request) },
      resource.route("DELETE", one) { request throws(SendbirdError) in try await delete(kind, request) },
    ]
  }

  // MARK: Channels

  private func create(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let body = try request.body
    let now = services.wallTime
    let order = try SendbirdChannelOrder(kind, body, creator: request.actor(nil))
    let known = try await directory.find(order.users, at: now)
    guard !order.isStrict || known.count == order.users.count else { throw .notFound("User") }
    let url: Name
    if let wanted = order.url { url = wanted } else { url = await makeURL(kind) }
    let asked = try await wantingToBeAsked(order.invitees)
    var channel = order.channel(url: url, known: Set(known.keys), asked: asked, at: now)
    if let cover = try await storage.keep("cover_file", of: request, at: now) {
      channel.properties.coverURL = cover.url
    }
    let creation = try await ask { [channel] () throws(SendbirdChannelRefusal) in
      try await channels.create(channel, at: now) { creation in
        guard creation.isNew else { return }
        await events.hook("create", "created_at", in: creation.channel, at: now)
        guard kind == .group else { return }
        let others = creation.channel.members.map(\.user).filter { $0 != channel.createdBy }
        await events.invited(
          SendbirdMembership(channel: creation.channel, changed: others), by: order.inviter, on: services)
      }
    }
    return try await answer(creation.channel, request, showsMembers: true, isCreated: creation.isNew)
  }

  /// Returns a new unique URL.
  private func makeURL(_ kind: SendbirdChannel.Kind) async -> Name {
    var digits = ""
    for _ in 0..<3 {
      let chance = UInt64(await services.nextShare() * 0x1_0000_0000)
      digits += String(chance | 0x1_0000_0000, radix: 16).dropFirst()
    }
    return Name("sendbird_\(kind.rawValue)_channel_\(digits)")
  }

  private func list(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    var query = try SendbirdChannelQuery(kind, request)
    // Clients see public channels.
    if !request.isServer && kind == .group { query.isPublic = true }
    return try await answer(query, request, showsMembers: try request.flag("show_member") ?? false)
  }

  private func get(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request, whole: true)
    let shows = try request.flag("show_member") ?? !request.isServer
    return try await answer(channel, request, showsMembers: shows)
  }

  private func update(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await changeable(kind, request)
    let change = try SendbirdChannelChange(try request.body)
    let cover = try await storage.keep("cover_file", of: request, at: services.wallTime)
    let changed = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.update(
        channel.url, at: services.wallTime, telling: { await events.event(.changed, in: $0, on: services) }
      ) { properties in
        change.apply(to: &properties)
        if let cover { properties.coverURL = cover.url }
      }
    }
    return try await answer(changed, request, showsMembers: true)
  }

  private func delete(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await known(kind, request)
    try needsOperator(of: channel, request)
    let now = services.wallTime
    let end = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.delete(channel.url, at: now) {
        await events.event(.deleted, in: $0.channel, on: services)
        await events.hook("remove", "removed_at", in: $0.channel, at: now)
      }
    }
    for connection in end.connections {
      await services.unwatch(SendbirdChannelEvents.call(end.channel.number), by: connection)
    }
    return SendbirdResource.answer()
  }
}

// MARK: - Shared parts

extension SendbirdChannelRoutes {
  /// Returns the directory's answer, its refusals as HTTP errors.
  func ask<Answer>(
    _ question: nonisolated(nonsending) () async throws(SendbirdChannelRefusal) -> Answer
  ) async throws(SendbirdError) -> Answer {
    do throws(SendbirdChannelRefusal) {
      return try await question()
    } catch {
      throw SendbirdError(request: error)
    }
  }

  /// Returns the channel in the path, with its members only if it is `whole`.
  func known(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest, whole: Bool = false
  ) async throws(SendbirdError) -> SendbirdChannel {
    let (url, now) = (request.channelURL, services.wallTime)
    let channel = try await ask { () throws(SendbirdChannelRefusal) in
      whole ? try await channels.channel(url, at: now) : try await channels.outline(url, at: now)
    }
    guard let channel, channel.kind == kind else { throw .notFound("Channel") }
    return channel
  }

  /// Returns the channel if the caller may see it: members of a group channel may, and all users if it is public.
  func visible(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest, whole: Bool = false
  ) async throws(SendbirdError) -> SendbirdChannel {
    let channel = try await known(kind, request, whole: whole)
    if case .user(let user, _) = request.caller, kind == .group, !channel.properties.isPublic,
      try await member(user, of: channel) == nil
    {
      throw .notAuthorized
    }
    return channel
  }

  func member(_ user: UserID, of channel: SendbirdChannel) async throws(SendbirdError) -> SendbirdMember? {
    try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.member(user, of: channel.url, at: services.wallTime)
    }
  }

  /// Returns the time until which the channel's history is hidden from the caller.
  func history(of channel: SendbirdChannel, _ request: SendbirdRequest) async throws(SendbirdError) -> WallTime? {
    guard case .user(let user, _) = request.caller, channel.kind == .group else { return nil }
    return try await member(user, of: channel)?.settings.historyFrom
  }

  /// Returns those users who join a channel only after they have accepted an invitation.
  func wantingToBeAsked(_ users: [UserID]) async throws(SendbirdError) -> Set<UserID> {
    do throws(GatewayError) {
      return try await preferences.wantingToBeAsked(users, at: services.wallTime)
    } catch {
      throw SendbirdError(error)
    }
  }

  /// Returns the channel if the caller may change it: members of a group channel may, and operators of an open one.
  func changeable(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> SendbirdChannel {
    try request.needsWriter()
    let channel = try await known(kind, request)
    guard case .user(let user, _) = request.caller, kind == .group else {
      try needsOperator(of: channel, request)
      return channel
    }
    guard try await member(user, of: channel)?.state == .joined else { throw .notAuthorized }
    return channel
  }

  func needsOperator(of channel: SendbirdChannel, _ request: SendbirdRequest) throws(SendbirdError) {
    try request.needsWriter()
    guard case .user(let user, _) = request.caller else { return }
    guard channel.isOperator(user) else { throw .notAuthorized }
  }

  func answer(
    _ channel: SendbirdChannel, _ request: SendbirdRequest, showsMembers: Bool, isCreated: Bool = false
  ) async throws(SendbirdError) -> HTTPResponse {
    let viewer = request.actor(request.text("user_id").map { UserID($0) })
    var object = try await present([channel], to: viewer, showsMembers: showsMembers, showsReceipts: true)[0]
    object.isCreated = isCreated
    return SendbirdResource.answer { object.write(to: &$0) }
  }

  func answer(
    _ query: SendbirdChannelQuery, _ request: SendbirdRequest, showsMembers: Bool
  ) async throws(SendbirdError) -> HTTPResponse {
    let page = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.channels(query, at: services.wallTime)
    }
    let viewer = request.actor(query.member)
    let objects = try await present(page.channels, to: viewer, showsMembers: showsMembers, showsReceipts: showsMembers)
    let now = services.wallTime
    return SendbirdResource.answer { json in
      json.member("channels", objects: objects) { $0.write(to: &$1) }
      json.member("next", query.token(of: page.next))
      json.member("ts", now.milliseconds)
    }
  }

  /// Returns the channels with the users they name.
  func present(
    _ channels: [SendbirdChannel], to viewer: UserID?, showsMembers: Bool, showsReceipts: Bool = false
  ) async throws(SendbirdError) -> [SendbirdChannelObject] {
    var named: Set<UserID> = []
    for channel in channels {
      if let creator = channel.createdBy { named.insert(creator) }
      named.formUnion(channel.properties.operators)
      if let inviter = viewer.flatMap({ channel.member($0)?.inviter }) { named.insert(inviter) }
      if showsMembers { named.formUnion(channel.members.lazy.map(\.user)) }
    }
    let users = try await directory.find(named, at: services.wallTime)
    var online: Set<UserID> = []
    if showsMembers {
      online = await services.connected(of: Array(users.keys))
    }
    var objects: [SendbirdChannelObject] = []
    for channel in channels {
      var object = SendbirdChannelObject(
        channel: channel, viewer: viewer, showsMembers: showsMembers, showsReceipts: showsReceipts, users: users,
        online: online, now: services.wallTime)
      if let member = viewer.flatMap({ channel.member($0) }) {
        object.mentions = try await ask { () throws(SendbirdChannelRefusal) in
          try await self.channels.unreadMentions(of: member, in: channel.url, at: services.wallTime)
        }
      }
      objects.append(object)
    }
    return objects
  }
}

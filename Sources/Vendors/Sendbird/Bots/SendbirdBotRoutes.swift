internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The routes of bots, for servers: users that a server controls. Messages to a bot are not sent to its server.
struct SendbirdBotRoutes: Sendable {
  private let base: SendbirdChannelRoutes
  private let bots: SendbirdBots
  private let secrets: Secrets
  private let lifecycle: SendbirdUserLifecycle
  private let ask = SendbirdQuestion(of: "User", "bots")
  private var services: any GatewayServices { base.services }
  private var directory: SendbirdDirectory { base.directory }

  /// Creates the routes.
  ///
  /// - Parameters:
  ///   - bots: The directory of bots.
  ///   - channels: The channels in which bots act.
  ///   - secrets: The source of their tokens.
  init(bots: SendbirdBots, channels: SendbirdChannelRoutes, secrets: Secrets) {
    self.bots = bots
    base = channels
    self.secrets = secrets
    lifecycle = SendbirdUserLifecycle(
      services: channels.services, channels: channels.channels, events: channels.events)
  }

  var routes: [HTTPRoute] {
    let resource = base.resource
    let one = "/v3/bots/{bot_userid}"
    return [
      resource.route("POST", "/v3/bots") { request throws(SendbirdError) in try await create(request) },
      resource.route("GET", "/v3/bots") { request throws(SendbirdError) in try await list(request) },
      resource.route("GET", one) { request throws(SendbirdError) in
        try request.needsServer()
        return Self.answer(try await known(request))
      },
      resource.route("PUT", one) { request throws(SendbirdError) in try await update(request) },
      resource.route("DELETE", one) { request throws(SendbirdError) in try await delete(request) },
      resource.route("POST", one + "/channels") { request throws(SendbirdError) in try await join(request) },
      resource.route("DELETE", one + "/channels") { request throws(SendbirdError) in
        try request.needsServer()
        let bot = try await known(request)
        try await lifecycle.leaveAll(bot.user.id)
        return SendbirdResource.answer()
      },
      resource.route("DELETE", one + "/channels/{channel_url}") { request throws(SendbirdError) in
        try await leave(request)
      },
      resource.route("POST", one + "/send") { request throws(SendbirdError) in try await send(request) },
    ]
  }

  /// A bot with its user.
  private struct Known {
    var bot: SendbirdBot
    var user: SendbirdUser
  }

  /// Returns the bot in the path; a bot whose user was deleted does not exist.
  private func known(_ request: SendbirdRequest) async throws(SendbirdError) -> Known {
    let (id, now) = (UserID(request.path["bot_userid"]), services.wallTime)
    guard let bot = try await ask({ () throws(GatewayError) in try await bots.bot(id, at: now) }),
      let user = try await directory.find(id, at: now)
    else { throw .notFound("Bot") }
    return Known(bot: bot, user: user)
  }

  // MARK: Bots

  private func create(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let (body, now) = (try request.body, services.wallTime)
    var user = SendbirdUser(try body.neededUser("bot_userid"), createdAt: now)
    guard user.id != .anonymous else { throw .invalid("bot_userid") }
    user.nickname = try body.requiredString("bot_nickname", max: SendbirdLimits.nickname)
    user.profileURL = try body.string("bot_profile_url", max: SendbirdLimits.url) ?? ""
    // Nobody can log in as a bot by its name alone.
    user.hasBeenIssuedToken = true
    var bot = SendbirdBot(
      user.id, callbackURL: try body.string("bot_callback_url", max: SendbirdLimits.url) ?? "",
      type: try body.string("bot_type", max: SendbirdLimits.customType) ?? "",
      isPrivate: try body.bool("is_privacy_mode") ?? true, token: Self.token(secrets), createdAt: now)
    try SendbirdBotChange(body).apply(to: &bot)
    let made = try await ask { [user] () throws(GatewayError) in try await directory.createUser(user, at: now) }
    do throws(SendbirdError) {
      try await ask { [bot] () throws(GatewayError) in try await bots.add(bot, at: now) }
    } catch {
      // Without its bot the user would be useless.
      _ = try? await directory.deleteUser(made.id, at: now)
      throw error
    }
    return Self.answer(Known(bot: bot, user: made))
  }

  private static func token(_ secrets: Secrets) -> Credentials {
    Credentials(token: secrets.bytes(20).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }

  private func list(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let now = services.wallTime
    let all = try await ask { () throws(GatewayError) in try await bots.all(at: now) }
    let users = try await directory.find(Set(all.map(\.user)), at: now)
    let found = all.compactMap { bot in users[bot.user].map { Known(bot: bot, user: $0) } }
    let page = try SendbirdPage(of: found, for: request, by: \.user.id.rawValue)
    return SendbirdResource.answer { json in
      json.member("bots", objects: page.items) { Self.write($0, to: &$1) }
      json.member("next", page.next)
    }
  }

  private func update(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let (body, now) = (try request.body, services.wallTime)
    let id = try await known(request).user.id
    let nickname = try body.string("bot_nickname", max: SendbirdLimits.nickname)
    let profileURL = try body.string("bot_profile_url", max: SendbirdLimits.url)
    let change = try SendbirdBotChange(body)
    let user = try await ask { () throws(GatewayError) in
      try await directory.updateUser(id, at: now) { user in
        if let nickname { user.nickname = nickname }
        if let profileURL { user.profileURL = profileURL }
      }
    }
    let bot = try await ask { () throws(GatewayError) in try await bots.change(id, at: now, change.apply) }
    guard let bot else { throw .notFound("Bot") }
    return Self.answer(Known(bot: bot, user: user))
  }

  private func delete(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let id = try await known(request).user.id
    let now = services.wallTime
    try await ask { () throws(GatewayError) in
      try await bots.remove(id, at: now)
      try await directory.deleteUser(id, at: now)
    }
    try await lifecycle.deleted(id)
    return SendbirdResource.answer()
  }

  // MARK: Channels

  /// Adds the bot to all channels. If it may not join one, the channels before it keep the bot.
  private func join(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let bot = try await known(request)
    guard let urls = try request.body.strings("channel_urls", count: 100, max: SendbirdLimits.channelURL),
      !urls.isEmpty
    else { throw .missing("channel_urls") }
    let now = services.wallTime
    var joined: [SendbirdChannel] = []
    for url in urls {
      let membership = try await base.ask { () throws(SendbirdChannelRefusal) in
        try await base.channels.join(Name(url), user: bot.user.id, at: now) {
          await base.events.joined($0, on: services)
        }
      }
      joined.append(membership.channel)
    }
    let objects = try await base.present(joined, to: bot.user.id, showsMembers: true)
    return SendbirdResource.answer { json in
      json.member("channels", objects: objects) { $0.write(to: &$1) }
      // The vendor's own client reads a single channel.
      objects.first?.write(to: &json)
    }
  }

  private func leave(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let bot = try await known(request)
    _ = try await base.known(.group, request)
    _ = try await base.ask { () throws(SendbirdChannelRefusal) in
      try await base.channels.leave(request.channelURL, users: [bot.user.id], at: services.wallTime) {
        await base.events.left($0, on: services)
      }
    }
    return SendbirdResource.answer()
  }

  private func send(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let (bot, body, now) = (try await known(request), try request.body, services.wallTime)
    let url = Name(try body.requiredString("channel_url", max: SendbirdLimits.channelURL))
    let kind = try body.messageKind
    let file = kind == .file ? try await base.storage.keep("file", of: request, at: now) : nil
    let draft = try SendbirdMessageDraft(kind, body, file: file.map { SendbirdMessage.File($0) })
    let message = draft.message(in: url, by: bot.user, at: now)
    let delivery = try await base.ask { () throws(SendbirdChannelRefusal) in
      guard let channel = try await base.channels.outline(url, at: now), channel.kind == .group else {
        throw .channelNotFound
      }
      return try await base.channels.send(message, needsPresence: true, at: now) {
        await base.events.sent(SendbirdChannelRoutes.command(kind), $0, except: nil, on: services)
      }
    }
    return SendbirdResource.answer { json in
      json.member("message") { SendbirdMessageObject(delivery.message, .group).writeMembers(to: &$0) }
    }
  }

  // MARK: Answers

  private static func answer(_ known: Known) -> HTTPResponse {
    SendbirdResource.answer { write(known, to: &$0) }
  }

  private static func write(_ known: Known, to json: inout JSONWriter) {
    json.member("bot") { json in
      json.member("bot_userid", known.user.id.rawValue)
      json.member("bot_nickname", known.user.nickname)
      json.member("bot_profile_url", known.user.profileURL)
      json.member("bot_require_auth_for_profile_image", known.user.requiresAuthForProfileImage)
      json.member("bot_token", known.bot.token.token)
      json.member("bot_type", known.bot.type)
      json.member("bot_metadata", texts: known.user.metadata)
    }
    json.member("bot_callback_url", known.bot.callbackURL)
    json.member("is_privacy_mode", known.bot.isPrivate)
    json.member("enable_mark_as_read", known.bot.marksAsRead)
    json.member("show_member", known.bot.showsMember)
    json.member("channel_invitation_preference", known.bot.invitationPreference)
    json.member("created_at", known.bot.createdAt.milliseconds)
  }
}

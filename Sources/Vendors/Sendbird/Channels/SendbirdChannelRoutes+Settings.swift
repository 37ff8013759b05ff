internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// A member's own settings for a group channel: hiding, pushes and unread counts.

extension SendbirdChannelRoutes {
  var settingRoutes: [HTTPRoute] {
    let one = Self.path(.group) + "/{channel_url}"
    let (push, count) = (
      "/v3/users/{user_id}/push_preference/{channel_url}", "/v3/users/{user_id}/count_preference/{channel_url}"
    )
    return [
      resource.route("PUT", one + "/hide") { request throws(SendbirdError) in try await hide(request) },
      resource.route("DELETE", one + "/hide") { request throws(SendbirdError) in try await unhide(request) },
      resource.route("PUT", one + "/reset_user_history") { request throws(SendbirdError) in
        try await resetHistory(request)
      },
      resource.route("GET", one + "/message_purge_offset") { request throws(SendbirdError) in
        _ = try await visible(.group, request)
        // Old messages are never removed.
        return SendbirdResource.answer { $0.member("message_purge_offset", 0) }
      },
      resource.route("GET", push) { request throws(SendbirdError) in
        Self.pushAnswer(try await settings(request), to: request)
      },
      resource.route("PUT", push) { request throws(SendbirdError) in try await setPush(request) },
      resource.route("GET", count) { request throws(SendbirdError) in
        Self.countAnswer(try await settings(request))
      },
      resource.route("PUT", count) { request throws(SendbirdError) in try await setCount(request) },
    ]
  }

  // MARK: Hiding

  private func hide(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (channel, body) = (try await known(.group, request), try request.body)
    let endsByItself = try body.bool("allow_auto_unhide") ?? true
    let forgets = try body.bool("hide_previous_messages") ?? false
    let users = try members(request, all: try body.bool("should_hide_all"), body)
    let now = services.wallTime
    _ = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.hide(
        channel.url, from: users, endsByItself: endsByItself, forgets: forgets, at: now,
        telling: { channel in
          await events.event(.hidden, in: channel, to: users, on: services) { json in
            json.member("allow_auto_unhide", endsByItself)
            json.member("hide_previous_messages", forgets)
            if forgets { json.member("ts_message_offset", now.milliseconds) }
          }
        })
    }
    return SendbirdResource.answer { json in
      if forgets { json.member("ts_message_offset", now.milliseconds) }
    }
  }

  /// Shows a hidden channel again. The user is named in the query or in the body.
  private func unhide(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (channel, body) = (try await known(.group, request), try request.body)
    let flag = try request.flag("should_unhide_all")
    let all = try body.bool("should_unhide_all") ?? flag
    let users = try members(request, all: all, body)
    _ = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.unhide(
        channel.url, from: users, at: services.wallTime,
        telling: { await events.event(.unhidden, in: $0, to: users, on: services) })
    }
    return SendbirdResource.answer()
  }

  private func resetHistory(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let (channel, body) = (try await known(.group, request), try request.body)
    let users = try members(request, all: try body.bool("reset_all"), body)
    let now = services.wallTime
    _ = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.resetHistory(channel.url, of: users, at: now)
    }
    return SendbirdResource.answer { $0.member("ts_message_offset", now.milliseconds) }
  }

  /// Returns the members concerned: nil for all, which only servers may request.
  private func members(
    _ request: SendbirdRequest, all: Bool?, _ body: SendbirdParameters
  ) throws(SendbirdError) -> Set<UserID>? {
    try request.needsWriter()
    if request.isServer && all == true { return nil }
    let named = try body.user("user_id")
    guard let user = request.actor(named ?? request.text("user_id").map { UserID($0) }) else {
      throw .missing("user_id")
    }
    return [user]
  }

  // MARK: Pushes and counts

  private func settings(_ request: SendbirdRequest) async throws(SendbirdError) -> SendbirdMemberSettings {
    let user = try await own(request)
    guard let member = try await member(user, of: try await known(.group, request)) else { throw .notAuthorized }
    return member.settings
  }

  private func setPush(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let body = try request.body
    let sound = try body.string("push_sound", max: SendbirdLimits.customType)
    let name = try body.string("push_trigger_option", max: SendbirdLimits.customType)
    var trigger = name.flatMap { SendbirdMemberSettings.Trigger(rawValue: $0) }
    // An older name of the setting.
    if let isOn = try body.bool("enable"), name == nil { trigger = isOn ? .all : .off }
    // The server SDK for Python can send only this word.
    if name?.utf8.elementsEqual("false".utf8) == true { trigger = .off }
    guard name == nil || trigger != nil else { throw .invalid("push_trigger_option") }
    return Self.pushAnswer(
      try await set(request) { [trigger] settings in
        if let trigger { settings.trigger = trigger }
        if let sound { settings.sound = sound }
      }, to: request)
  }

  private func setCount(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    guard let name = try request.body.string("count_preference", max: SendbirdLimits.customType) else {
      throw .missing("count_preference")
    }
    let counted: SendbirdMemberSettings.Counted
    switch name {
    // The server SDK for Python has two values of its own here.
    case "false": counted = .nothing
    case "unread_mentioned_count_only": counted = .mentions
    default:
      guard let known = SendbirdMemberSettings.Counted(rawValue: name) else { throw .invalid("count_preference") }
      counted = known
    }
    return Self.countAnswer(try await set(request) { $0.counted = counted })
  }

  private func set(
    _ request: SendbirdRequest, _ change: (inout SendbirdMemberSettings) -> Void
  ) async throws(SendbirdError) -> SendbirdMemberSettings {
    try request.needsWriter()
    let user = try await own(request)
    let channel = try await known(.group, request)
    let changed = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.set(channel.url, of: user, at: services.wallTime, change)
    }
    return changed.member(user)?.settings ?? SendbirdMemberSettings()
  }

  /// Returns the push settings. The vendor's generated server SDKs, which identify themselves, reject the word
  /// `default` here, and accept an answer without the member; other clients get it.
  private static func pushAnswer(_ settings: SendbirdMemberSettings, to request: SendbirdRequest) -> HTTPResponse {
    let isGenerated = request.http.header("user-agent")?.hasPrefix("OpenAPI-Generator/") ?? false
    return SendbirdResource.answer { json in
      if settings.trigger != .usual || !isGenerated {
        json.member("push_trigger_option", settings.trigger.rawValue)
      }
      json.member("push_sound", settings.sound)
      json.member("enable", settings.trigger != .off)
    }
  }

  private static func countAnswer(_ settings: SendbirdMemberSettings) -> HTTPResponse {
    SendbirdResource.answer { $0.member("count_preference", settings.counted.rawValue) }
  }
}

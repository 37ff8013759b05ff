internal import GatewayCore
internal import GatewayJSON

// The push notifications that users want.

extension StreamUserRoutes {
  private static let levels = ["all", "none", "default"]
  private static let chatLevels = levels + ["mentions", "direct_mentions", "all_mentions"]

  /// A change of a user's preferences, or of those for one channel, which are returned but not stored since there are
  /// no channels.
  private struct Change {
    let user: UserID
    let channel: String?
    let calls: String?
    let chats: String?
    let feeds: String?
    let disabledUntil: WallTime?
    let enables: Bool

    func apply(to preferences: inout StreamPushPreferences) {
      if let calls { preferences.calls = calls }
      if let chats { preferences.chats = chats }
      if let feeds { preferences.feeds = feeds }
      if let disabledUntil { preferences.disabledUntil = disabledUntil }
      if enables { preferences.disabledUntil = nil }
    }
  }

  var preferences: [HTTPRoute] {
    rest.resource("POST", .common("push_preferences"), "UpdatePushNotificationPreferences", .user) {
      request throws(StreamError) in
      try await set(request)
    }
  }

  private func set(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let changes = try request.body.objects("preferences", count: 100) { (body) throws(StreamError) in
      try change(body, by: request.caller)
    }
    guard let changes, !changes.isEmpty else {
      throw .input("preferences must be an array of 1 to 100", field: "preferences")
    }
    // All or nothing: unknown users are found before anything is changed.
    let known = Set(try await rest.users(Set(changes.map(\.user)).sorted()).map(\.id))
    if let missing = changes.first(where: { !known.contains($0.user) }) {
      throw .doesNotExist("user with id \(missing.user) does not exist")
    }
    var users: [UserID: StreamPushPreferences] = [:]
    var channels: [UserID: [Name: StreamPushPreferences]] = [:]
    for change in changes {
      if let channel = change.channel {
        var preferences = channels[change.user]?[Name(channel)] ?? StreamPushPreferences()
        change.apply(to: &preferences)
        channels[change.user, default: [:]][Name(channel)] = preferences
      } else {
        let user = try await rest.update(change.user, creates: false, at: request.receivedAt) {
          (user, _) throws(GatewayError) in
          var preferences = user.pushPreferences ?? StreamPushPreferences()
          change.apply(to: &preferences)
          user.pushPreferences = preferences
        }
        users[user.id] = user.pushPreferences
      }
    }
    let (told, toldChannels) = (users, channels)
    return StreamAnswer(201) { json in
      json.member("user_preferences") { json in
        for (user, preferences) in told.sorted(by: { $0.key < $1.key }) {
          json.name(user.rawValue)
          preferences.write(to: &json, request.dates)
        }
      }
      json.member("user_channel_preferences") { json in
        for (user, channels) in toldChannels.sorted(by: { $0.key < $1.key }) {
          json.name(user.rawValue)
          json.beginObject()
          for (channel, preferences) in channels.sorted(by: { $0.key < $1.key }) {
            json.name(channel.text)
            preferences.write(to: &json, request.dates)
          }
          json.endObject()
        }
      }
    }
  }

  private func change(_ body: StreamBody, by caller: StreamCaller) throws(StreamError) -> Change {
    let named = try body.string("user_id")
    let user: UserID
    if let named {
      user = try StreamUser.checkedID(named)
      try Self.checkSelf(caller, user)
    } else if let own = caller.user {
      user = own
    } else {
      throw .input("user_id is a required field", field: "preferences.user_id")
    }
    return Change(
      user: user, channel: try body.string("channel_cid", max: 256),
      calls: try Self.level(body, "call_level", Self.levels),
      chats: try Self.level(body, "chat_level", Self.chatLevels),
      feeds: try Self.level(body, "feeds_level", Self.levels), disabledUntil: try body.date("disabled_until"),
      enables: try body.bool("remove_disable") ?? false)
  }

  private static func level(
    _ body: StreamBody, _ name: String, _ levels: [String]
  ) throws(StreamError) -> String? {
    guard let level = try body.string(name, max: 32) else { return nil }
    guard let known = levels.first(where: { $0.utf8.elementsEqual(level.utf8) }) else {
      throw body.wrong(name, "one of \(levels.joined(separator: ", "))")
    }
    return known
  }
}

extension StreamPushPreferences {
  /// Writes the object `PushPreferencesResponse`.
  func write(to json: inout JSONWriter, _ dates: StreamDates) {
    json.beginObject()
    if let calls { json.member("call_level", calls) }
    if let chats { json.member("chat_level", chats) }
    if let feeds { json.member("feeds_level", feeds) }
    json.member("disabled_until", ifAny: disabledUntil, dates)
    json.endObject()
  }
}

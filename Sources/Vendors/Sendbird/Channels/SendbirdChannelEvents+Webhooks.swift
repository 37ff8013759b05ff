internal import GatewayCore
internal import GatewayJSON

// The events of channels as the vendor sends them to the application's server.

extension SendbirdChannelEvents {
  /// A change of a message, by its name on the wire.
  enum MessageChange: String {
    case sent = "message_send"
    case updated = "message_update"
    case deleted = "message_delete"
  }

  /// Sends a message's event to the application's server, if that wants it.
  func hook(_ change: MessageChange, _ delivery: SendbirdDelivery, at now: WallTime) async {
    let message = delivery.message
    let category = "\(delivery.kind.rawValue)_channel:\(change.rawValue)"
    guard let webhooks = directory.webhooks, let settings = webhooks.wants(category) else { return }
    let channel = (try? await channels.channel(message.channelURL, at: now)) ?? nil
    let members = await hooked(channel, settings, at: now)
    let body = JSONWriter.object(capacity: 2_048) { json in
      json.member("category", category)
      json.member("app_id", webhooks.applicationID)
      if let sender = message.sender {
        json.member("sender") { json in
          json.member("user_id", sender.id.rawValue)
          json.member("nickname", sender.nickname)
          json.member("profile_url", sender.profileURL)
          json.member("metadata", texts: sender.metadata)
        }
      }
      json.member("type", message.kind.rawValue)
      json.member("custom_type", message.customType.text)
      json.member("mention_type", message.mentionType)
      json.member("mentioned_users", objects: message.mentionedUsers) { $1.member("user_id", $0.rawValue) }
      json.member("silent", false)
      json.member("payload") { SendbirdMessageObject(message, delivery.kind).writeMembers(to: &$0) }
      if change == .deleted { json.member("deleted_at", now.milliseconds) }
      Self.write(channel, message.channelURL, members, to: &json)
    }
    webhooks.post(body, about: message.channelURL, by: settings)
  }

  /// Sends an event of the channel itself to the application's server, if that wants it.
  ///
  /// - Parameters:
  ///   - event: The event's name, e.g. `join`.
  ///   - time: The name of the time's member, e.g. `joined_at`.
  ///   - users: The users whom it is about.
  func hook(
    _ event: String, _ time: StaticString, in channel: SendbirdChannel, users: [UserID] = [], by inviter: UserID? = nil,
    at now: WallTime
  ) async {
    let category = "\(channel.kind.rawValue)_channel:\(event)"
    guard let webhooks = directory.webhooks, let settings = webhooks.wants(category) else { return }
    let members = await hooked(channel, settings, at: now)
    let known = await who(Set(users).union(inviter.map { [$0] } ?? []), at: now)
    let body = JSONWriter.object(capacity: 2_048) { json in
      json.member("category", category)
      json.member("app_id", webhooks.applicationID)
      json.member(time, now.milliseconds)
      if let inviter {
        json.member("inviter") { Self.write(inviter, known[inviter], to: &$0) }
        json.member("invitees", objects: users) { Self.write($0, known[$0], to: &$1) }
      } else if !users.isEmpty {
        json.member("users", objects: users) { Self.write($0, known[$0], to: &$1) }
      }
      Self.write(channel, channel.url, members, to: &json)
    }
    webhooks.post(body, about: channel.url, by: settings)
  }

  private typealias Members = [(member: SendbirdMember, user: SendbirdUser?)]

  /// Returns the members that the settings want; nil for none.
  private func hooked(
    _ channel: SendbirdChannel?, _ settings: SendbirdWebhookSettings, at now: WallTime
  ) async -> Members? {
    guard settings.includesMembers, let channel, channel.kind == .group, !channel.properties.isSuper else { return nil }
    let known = await who(Set(channel.members.map(\.user)), at: now)
    return channel.members.map { ($0, known[$0.user]) }
  }

  private static func write(_ id: UserID, _ user: SendbirdUser?, to json: inout JSONWriter) {
    json.member("user_id", id.rawValue)
    json.member("nickname", user?.nickname ?? "")
    json.member("profile_url", user?.profileURL ?? "")
    json.member("metadata", texts: user?.metadata ?? [:])
  }

  private static func write(
    _ channel: SendbirdChannel?, _ url: Name, _ members: Members?, to json: inout JSONWriter
  ) {
    if let members {
      json.member("members", objects: members) { one, json in
        write(one.member.user, one.user, to: &json)
        json.member("is_active", one.user?.isActive ?? false)
        json.member("state", one.member.state.rawValue)
        json.member("unread_message_count", Int64(one.member.unreadCount))
      }
    }
    json.member("channel") { json in
      json.member("channel_url", url.text)
      guard let channel else { return }
      json.member("name", channel.properties.name)
      json.member("custom_type", channel.properties.customType.text)
      json.member("is_distinct", channel.isDistinct)
      json.member("is_public", channel.properties.isPublic)
      json.member("is_super", channel.properties.isSuper)
      json.member("is_ephemeral", channel.properties.isEphemeral)
      json.member("is_discoverable", false)
      json.member("data", channel.properties.data)
    }
  }
}

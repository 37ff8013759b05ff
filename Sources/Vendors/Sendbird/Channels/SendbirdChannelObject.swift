internal import GatewayCore
internal import GatewayJSON

/// A channel in HTTP answers, as a given user sees it.
struct SendbirdChannelObject {
  let channel: SendbirdChannel
  /// The user whose own state is shown; nil for a server.
  let viewer: UserID?
  let showsMembers: Bool
  let showsReceipts: Bool
  /// The users that the channel names, as far as they exist.
  let users: [UserID: SendbirdUser]
  let online: Set<UserID>
  let now: WallTime
  /// The number of the viewer's unread messages that mention the viewer.
  var mentions = 0
  /// Whether this request created the channel.
  var isCreated = false

  func write(to json: inout JSONWriter) {
    writeCommon(to: &json)
    switch channel.kind {
    case .open:
      json.member("participant_count", Int64(channel.participantCount))
      json.member("operators", objects: channel.properties.operators) { writeUser($0, to: &$1) }
      json.member("is_dynamic_partitioned", false)
    case .group:
      writeGroup(to: &json)
      writeOwn(to: &json)
      if showsMembers { json.member("members", objects: channel.members) { writeMember($0, to: &$1) } }
      if showsReceipts {
        json.member("read_receipt") { json in
          for member in channel.members {
            json.name(member.user.rawValue)
            json.integer(member.readAt?.milliseconds ?? 0)
          }
        }
        json.member("delivery_receipt") { json in
          for member in channel.members {
            json.name(member.user.rawValue)
            json.integer(member.deliveredAt?.milliseconds ?? 0)
          }
        }
      }
    }
  }

  private func writeCommon(to json: inout JSONWriter) {
    let properties = channel.properties
    json.member("channel_url", channel.url.text)
    json.member("name", properties.name)
    json.member("cover_url", properties.coverURL)
    json.member("custom_type", properties.customType.text)
    json.member("data", properties.data)
    // In seconds, as for users; for messages it is in milliseconds.
    json.member("created_at", channel.createdAt.nanoseconds / 1_000_000_000)
    json.member("freeze", properties.isFrozen)
    json.member("is_ephemeral", properties.isEphemeral)
    json.member("max_length_message", Int64(SendbirdLimits.message))
    json.member("metadata", texts: properties.metadata)
    Self.write(pins: channel, to: &json)
    json.name("created_by")
    if let creator = channel.createdBy {
      json.beginObject()
      writeUser(creator, to: &json)
      json.endObject()
    } else {
      json.null()
    }
  }

  /// Writes the pinned messages, as in channels and events.
  static func write(pins channel: SendbirdChannel, to json: inout JSONWriter) {
    json.name("pinned_message_ids")
    json.beginArray()
    for message in channel.pinnedMessages { json.integer(message.id) }
    json.endArray()
    json.name("latest_pinned_message")
    if let latest = channel.pinnedMessages.first {
      SendbirdMessageObject(latest, channel.kind).write(to: &json)
    } else {
      json.null()
    }
  }

  private func writeGroup(to json: inout JSONWriter) {
    let properties = channel.properties
    json.member("is_distinct", channel.isDistinct)
    json.member("is_public", properties.isPublic)
    json.member("is_super", properties.isSuper)
    json.member("is_broadcast", properties.isBroadcast)
    for flag: StaticString in [
      "is_discoverable", "is_exclusive", "is_access_code_required", "is_chat_notification",
      "ignore_profanity_filter",
    ] {
      json.member(flag, false)
    }
    json.member("is_created", isCreated)
    json.member("member_count", Int64(channel.members.count))
    json.member("joined_member_count", Int64(channel.members.count { $0.state == .joined }))
    json.member("message_survival_seconds", -1)
    json.name("last_message")
    let history = viewer.flatMap { channel.member($0)?.settings.historyFrom }
    if let message = channel.lastMessage, history.map({ message.createdAt > $0 }) ?? true {
      SendbirdMessageObject(message, channel.kind).write(to: &json)
    } else {
      json.null()
    }
  }

  /// Writes the viewer's own state.
  private func writeOwn(to json: inout JSONWriter) {
    let member = viewer.flatMap { channel.member($0) }
    json.member("unread_message_count", Int64(member?.unreadCount ?? 0))
    json.member("unread_mention_count", Int64(mentions))
    json.member("member_state", member?.state.rawValue ?? "none")
    json.member("my_role", viewer.map { channel.isOperator($0) } ?? false ? "operator" : "none")
    json.member("is_muted", member?.mute(at: now) != nil)
    let settings = member?.settings ?? SendbirdMemberSettings()
    json.member("is_hidden", settings.hiding != nil)
    json.member(
      "hidden_state",
      settings.hiding.map { $0.endsByItself ? "allow_auto_unhide" : "prevent_auto_unhide" } ?? "unhidden")
    json.member("count_preference", settings.counted.rawValue)
    // The vendor's server SDK does not accept `default` here, so it gets the effective value.
    json.member("push_trigger_option", settings.trigger == .usual ? "all" : settings.trigger.rawValue)
    json.member("is_push_enabled", settings.trigger != .off)
    json.member("joined_ts", member?.joinedAt.map { $0.nanoseconds / 1_000_000_000 } ?? 0)
    json.member("invited_at", member?.invitedAt?.milliseconds ?? 0)
    json.member("user_last_read", member?.readAt?.milliseconds ?? 0)
    json.member("ts_message_offset", settings.historyFrom?.milliseconds ?? 0)
    if let inviter = member?.inviter { json.member("inviter") { writeUser(inviter, to: &$0) } }
  }

  func writeMember(_ member: SendbirdMember, to json: inout JSONWriter) {
    writeUser(member.user, to: &json)
    json.member("state", member.state.rawValue)
    json.member("role", channel.isOperator(member.user) ? "operator" : "")
    json.member("is_muted", member.mute(at: now) != nil)
    json.member("is_online", online.contains(member.user))
    json.member("last_seen_at", users[member.user]?.lastSeenAt?.milliseconds ?? 0)
    json.member("is_blocked_by_me", false)
    json.member("is_blocking_me", false)
    json.member("read_ts", member.readAt?.milliseconds ?? 0)
    json.member("delivered_ts", member.deliveredAt?.milliseconds ?? 0)
    json.member("friend_name", "")
  }

  /// Writes a user. A deleted user still has a name.
  func writeUser(_ id: UserID, to json: inout JSONWriter) {
    let user = users[id]
    json.members(of: user ?? SendbirdUser(id, createdAt: channel.createdAt))
    json.member("is_active", user?.isActive ?? false)
  }
}

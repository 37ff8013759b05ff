internal import GatewayCore
internal import GatewayTokens

/// A message, as HTTP answers show it and as commands of the socket carry it, which differ in the names of many members.
struct SendbirdMessageObject {
  let message: SendbirdMessage
  let kind: SendbirdChannel.Kind

  init(_ message: SendbirdMessage, _ kind: SendbirdChannel.Kind) {
    self.message = message
    self.kind = kind
  }

  // MARK: HTTP

  func write(to json: inout JSONWriter) {
    json.beginObject()
    writeMembers(to: &json)
    json.endObject()
  }

  func writeMembers(to json: inout JSONWriter) {
    json.member("message_id", message.id)
    json.member("type", message.kind.rawValue)
    writeCommon(to: &json)
    json.member("created_at", message.createdAt.milliseconds)
    json.member("updated_at", message.updatedAt?.milliseconds ?? 0)
    json.member("is_removed", false)
    if let sender = message.sender {
      json.member("user") { json in
        json.member("user_id", sender.id.rawValue)
        json.member("nickname", sender.nickname)
        json.member("profile_url", sender.profileURL)
        json.member("require_auth_for_profile_image", sender.requiresAuthForProfileImage)
        json.member("metadata", texts: sender.metadata)
        json.member("role", message.isByOperator ? "operator" : "")
        json.member("is_active", true)
        json.member("is_blocked_by_me", false)
      }
    }
    if let file = message.file {
      json.member("file") { json in
        Self.write(file, to: &json)
        json.member("data", message.data)
      }
    }
    json.name("sorted_metaarray")
    json.raw(message.metaArray ?? "[]")
  }

  // MARK: The socket

  /// The members of a `MESG`, `FILE` or `ADMM`, and of the commands that say that one was changed.
  func writeCommand(to json: inout JSONWriter) {
    json.member("msg_id", message.id)
    writeCommon(to: &json)
    json.member("ts", message.createdAt.milliseconds)
    json.member("sts", message.createdAt.milliseconds)
    json.member("last_updated_at", (message.updatedAt ?? message.createdAt).milliseconds)
    if let updatedAt = message.updatedAt { json.member("updated_at", updatedAt.milliseconds) }
    if let sender = message.sender {
      json.member("user") { json in
        sender.write(to: &json)
        json.member("role", message.isByOperator ? "operator" : "")
        json.member("is_active", true)
        json.member("is_blocked_by_me", false)
      }
    }
    if let file = message.file {
      Self.write(file, to: &json)
      json.member("custom", message.data)
    }
    json.member("mentioned_user_ids", strings: message.mentionedUsers.lazy.map(\.rawValue))
    json.member("is_guest_msg", message.sender != nil)
    json.member("is_removed", false)
    json.name("metaarray")
    json.raw(message.metaArray ?? "[]")
  }

  // MARK: Both

  private func writeCommon(to json: inout JSONWriter) {
    json.member("channel_url", message.channelURL)
    json.member("channel_type", kind.rawValue)
    json.member("message", message.text)
    json.member("data", message.data)
    json.member("custom_type", message.customType)
    json.member("mention_type", message.mentionType)
    json.member("mentioned_users", objects: message.mentionedUsers) { user, json in
      json.member("user_id", user.rawValue)
      json.member("nickname", "")
      json.member("profile_url", "")
    }
    json.member("is_op_msg", message.isByOperator)
    json.member("silent", false)
    json.member("message_survival_seconds", -1)
    json.member("translations") { _ in }
    json.member("reactions", strings: [])
    if let parent = message.parentID { json.member("parent_message_id", parent) }
  }

  private static func write(_ file: SendbirdMessage.File, to json: inout JSONWriter) {
    json.member("url", file.url)
    json.member("name", file.name)
    json.member("type", file.type)
    json.member("size", file.size)
    json.member("require_auth", false)
    json.member("thumbnails", strings: [])
  }
}

extension SendbirdMessage.Sender {
  /// A user as commands of the socket name one: `guest_id`, `name` and `image`; and by the names of HTTP as well, which
  /// some clients read.
  func write(to json: inout JSONWriter) {
    json.member("guest_id", id.rawValue)
    json.member("name", nickname)
    json.member("image", profileURL)
    json.member("user_id", id.rawValue)
    json.member("nickname", nickname)
    json.member("profile_url", profileURL)
    json.member("require_auth_for_profile_image", requiresAuthForProfileImage)
    json.member("metadata", texts: metadata)
  }
}

internal import GatewayCore
internal import GatewayJSON

/// A message as JSON for HTTP answers and socket commands, which differ in many names.
struct SendbirdMessageObject {
  let message: SendbirdMessage
  let kind: SendbirdChannel.Kind
  /// The user whose own votes are shown; nil for none.
  let viewer: UserID?

  init(_ message: SendbirdMessage, _ kind: SendbirdChannel.Kind, viewer: UserID? = nil) {
    self.message = message
    self.kind = kind
    self.viewer = viewer
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
        json.members(of: sender)
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
  }

  // MARK: Socket

  /// Writes the members of a `MESG`, `FILE` or `ADMM`, and of the commands for their changes.
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
  }

  // MARK: Shared parts

  private func writeCommon(to json: inout JSONWriter) {
    json.member("channel_url", message.channelURL.text)
    json.member("channel_type", kind.rawValue)
    json.member("message", message.text)
    json.member("data", message.data)
    json.member("custom_type", message.customType.text)
    json.member("mention_type", message.mentionType)
    json.member("mentioned_users", objects: message.mentionedUsers) { user, json in
      json.member("user_id", user.rawValue)
      json.member("nickname", "")
      json.member("profile_url", "")
    }
    json.member("is_op_msg", message.isByOperator)
    json.member("silent", false)
    json.member("message_survival_seconds", -1)
    json.member("translations", texts: message.translations)
    json.member("reactions", objects: message.reactions) { reaction, json in
      json.member("key", reaction.key.text)
      json.member("user_ids", strings: reaction.users.lazy.map(\.rawValue))
      json.member("updated_at", reaction.updatedAt.milliseconds)
    }
    if let poll = message.poll {
      let object = SendbirdPollObject(poll: poll, viewer: viewer, now: poll.updatedAt)
      json.member("poll") { object.writeMembers(to: &$0) }
    }
    if let files = message.files { json.member("files", objects: files) { Self.write($0, to: &$1) } }
    writeMetaArrays(to: &json)
    writeThread(to: &json)
  }

  /// Writes the meta arrays in three forms: one client reads the map and its order, others the list.
  private func writeMetaArrays(to json: inout JSONWriter) {
    json.member("metaarray") { json in
      for array in message.metaArrays {
        json.name(array.key.text)
        json.beginArray()
        for value in array.values { json.string(value) }
        json.endArray()
      }
    }
    json.member("metaarray_key_order", strings: message.metaArrays.lazy.map(\.key.text))
    json.member("sorted_metaarray", objects: message.metaArrays) { array, json in
      json.member("key", array.key.text)
      json.member("value", strings: array.values)
    }
  }

  private func writeThread(to json: inout JSONWriter) {
    if let thread = message.thread {
      json.member("thread_info") { Self.write(thread, at: thread.updatedAt, to: &$0) }
    }
    guard let id = message.parentID else { return }
    json.member("parent_message_id", id)
    json.member("is_reply_to_channel", message.isReplyToChannel)
    guard let parent = message.parent else { return }
    json.member("parent_message_info") { json in
      json.member("type", parent.kind.rawValue)
      json.member("message", parent.text)
      json.member("custom_type", parent.customType.text)
      json.member("created_at", parent.createdAt.milliseconds)
      json.member("ts", parent.createdAt.milliseconds)
      if let sender = parent.sender { json.member("user") { $0.members(of: sender) } }
      if let file = parent.file { json.member("file") { Self.write(file, to: &$0) } }
    }
  }

  /// Writes the members of `thread_info`; nil is a thread without replies.
  static func write(_ thread: SendbirdThread?, at now: WallTime, to json: inout JSONWriter) {
    json.member("reply_count", Int64(thread?.replyCount ?? 0))
    json.member("most_replies", objects: thread?.mostReplies ?? []) { sender, json in json.members(of: sender) }
    json.member("last_replied_at", thread?.lastRepliedAt.milliseconds ?? 0)
    json.member("updated_at", (thread?.updatedAt ?? now).milliseconds)
  }

  private static func write(_ file: SendbirdMessage.File, to json: inout JSONWriter) {
    json.member("url", file.url)
    json.member("name", file.name)
    json.member("type", file.type)
    json.member("size", file.size)
    json.member("require_auth", false)
    json.member("thumbnails", objects: file.thumbnails ?? []) { $0.writeMembers(to: &$1) }
  }
}

extension JSONWriter {
  /// Writes the sender's members as in HTTP answers.
  fileprivate mutating func members(of sender: SendbirdMessage.Sender) {
    member("user_id", sender.id.rawValue)
    member("nickname", sender.nickname)
    member("profile_url", sender.profileURL)
    member("require_auth_for_profile_image", sender.requiresAuthForProfileImage)
    member("metadata", texts: sender.metadata)
  }
}

extension SendbirdMessage.Sender {
  /// Writes a user as in socket commands: `guest_id`, `name` and `image`, and the names of HTTP, which some clients
  /// read.
  func write(to json: inout JSONWriter) {
    json.member("guest_id", id.rawValue)
    json.member("name", nickname)
    json.member("image", profileURL)
    json.members(of: self)
  }
}

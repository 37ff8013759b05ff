internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// An event about a user, e.g. `user.updated`.
struct StreamUserEvent: Sendable {
  /// The kind of an event by its name on the wire, e.g. `user.updated`.
  enum Kind: String, Hashable, Sendable {
    case updated = "user.updated"
    case presenceChanged = "user.presence.changed"
    case deactivated = "user.deactivated"
    case reactivated = "user.reactivated"
    case deleted = "user.deleted"
  }

  let kind: Kind
  let user: StreamUser
  let at: WallTime
  /// Whether all data of a deleted user is removed.
  var isHard = false

  /// Returns the event as a frame.
  func frame(_ family: StreamFamily) -> Frame {
    Frame(
      .text,
      JSONWriter.object(capacity: 1024) { json in
        json.member("type", kind.rawValue)
        json.member("created_at", at, family.dates)
        json.member("custom") { _ in }
        json.member("user", user, family)
        guard kind == .deleted else { return }
        json.member("hard_delete", isHard)
        json.member("delete_user", isHard ? "hard" : "soft")
        json.member("delete_conversation", "")
        json.member("delete_conversation_channels", false)
        json.member("delete_messages", "")
        json.member("mark_messages_deleted", false)
      })
  }

  /// Returns the topic to which watchers of a user's presence subscribe. It has the form of a call's name, as all
  /// topics do.
  static func topic(of user: UserID) -> CallID? {
    let digits = SHA256.digest("stream presence \(user.rawValue)".utf8).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return CallID(cid: "!presence:\(digits.joined())")
  }
}

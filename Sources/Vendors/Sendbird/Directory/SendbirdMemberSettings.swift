package import GatewayCore

/// The settings that a member has made for one group channel: no pushes from `talk`, for instance.
package struct SendbirdMemberSettings: Hashable, Codable, Sendable {
  /// The kind of a channel's messages that are pushed: mentions only, for instance.
  package enum Trigger: String, Hashable, Codable, Sendable {
    /// As the user has set it for all channels.
    case usual = "default"
    case all
    case off
    case mentionOnly = "mention_only"
  }

  /// The part of a channel that counts in the user's sums of what they have not read: mentions, for instance.
  package enum Counted: String, Hashable, Codable, Sendable {
    case all
    case messages = "unread_message_count_only"
    case mentions = "unread_mention_count_only"
    case nothing = "off"
  }

  /// A channel that is not shown: until its next message, for instance.
  package struct Hiding: Hashable, Codable, Sendable {
    /// Whether the next message shows it again.
    package var endsByItself: Bool
    /// How many messages there had been.
    var messageCount: Int64
  }

  package var trigger = Trigger.usual
  package var sound = "default"
  package var counted = Counted.all
  package var hiding: Hiding?
  /// What was sent until then is not shown.
  package var historyFrom: WallTime?

  package init() {}

  var countsMessages: Bool { counted == .all || counted == .messages }
}

package import GatewayCore

/// The settings of a member for one group channel.
package struct SendbirdMemberSettings: Hashable, Codable, Sendable {
  /// The messages of a channel that are pushed.
  package enum Trigger: String, Hashable, Codable, Sendable {
    /// The user's setting for all channels.
    case usual = "default"
    case all
    case off
    case mentionOnly = "mention_only"
  }

  /// The messages of a channel that count in the user's unread totals.
  package enum Counted: String, Hashable, Codable, Sendable {
    case all
    case messages = "unread_message_count_only"
    case mentions = "unread_mention_count_only"
    case nothing = "off"
  }

  /// A hidden channel.
  package struct Hiding: Hashable, Codable, Sendable {
    /// Whether the next message shows it again.
    package var endsByItself: Bool
    /// The number of messages at the time.
    var messageCount: Int64
  }

  package var trigger = Trigger.usual
  package var sound = "default"
  package var counted = Counted.all
  package var hiding: Hiding?
  /// The time until which the history is hidden.
  package var historyFrom: WallTime?

  package init() {}

  var countsMessages: Bool { counted == .all || counted == .messages }
}

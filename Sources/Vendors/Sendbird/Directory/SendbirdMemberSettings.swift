internal import GatewayCore

/// The settings of a member for one group channel.
struct SendbirdMemberSettings: Hashable, Codable, Sendable {
  /// The messages of a channel that are pushed.
  enum Trigger: String, Hashable, Codable, Sendable {
    /// The user's setting for all channels.
    case usual = "default"
    case all
    case off
    case mentionOnly = "mention_only"
  }

  /// The messages of a channel that count in the user's unread totals.
  enum Counted: String, Hashable, Codable, Sendable {
    case all
    case messages = "unread_message_count_only"
    case mentions = "unread_mention_count_only"
    case nothing = "off"
  }

  /// A hidden channel.
  struct Hiding: Hashable, Codable, Sendable {
    /// Whether the next message shows it again.
    var endsByItself: Bool
    /// The number of messages at the time.
    var messageCount: Int64
  }

  var trigger = Trigger.usual
  var sound = "default"
  var counted = Counted.all
  var hiding: Hiding?
  /// The time until which the history is hidden.
  var historyFrom: WallTime?

  var countsMessages: Bool { counted == .all || counted == .messages }
}

internal import GatewayCore

/// The push notifications that a user wants. The gateway pushes nothing.
struct StreamPushPreferences: Hashable, Codable, Sendable {
  /// For calls: `all`, `none` or `default`.
  var calls: String?
  /// For chats: `all`, `mentions`, `direct_mentions`, `all_mentions`, `none` or `default`.
  var chats: String?
  /// For feeds: `all`, `none` or `default`.
  var feeds: String?
  /// The time until which the user wants none.
  var disabledUntil: WallTime?
}

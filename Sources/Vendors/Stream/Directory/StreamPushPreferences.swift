package import GatewayCore

/// The push notifications that a user wants. The gateway pushes nothing.
package struct StreamPushPreferences: Hashable, Codable, Sendable {
  /// For calls: `all`, `none` or `default`.
  package var calls: String?
  /// For chats: `all`, `mentions`, `direct_mentions`, `all_mentions`, `none` or `default`.
  package var chats: String?
  /// For feeds: `all`, `none` or `default`.
  package var feeds: String?
  /// The time until which the user wants none.
  package var disabledUntil: WallTime?

  package init() {}
}

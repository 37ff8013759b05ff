package import GatewayCore

/// The push notifications that a user wants, none at night for instance; nothing is pushed here.
package struct StreamPushPreferences: Hashable, Codable, Sendable {
  /// `all`, `none` or `default`, of calls.
  package var calls: String?
  /// `all`, `mentions`, `direct_mentions`, `all_mentions`, `none` or `default`, of chats.
  package var chats: String?
  /// `all`, `none` or `default`, of feeds.
  package var feeds: String?
  /// Until then the user wants none.
  package var disabledUntil: WallTime?

  package init() {}
}

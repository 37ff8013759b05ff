internal import GatewayCore

/// The result of marking messages of a group channel as unread.
struct SendbirdUnreadMark: Hashable, Sendable {
  var channel: SendbirdChannel
  /// The number of unread messages of others.
  var count: Int
  /// The time until which messages count as read.
  var readAt: WallTime
}

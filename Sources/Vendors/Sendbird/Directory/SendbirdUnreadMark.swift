package import GatewayCore

/// The result of marking messages of a group channel as unread.
package struct SendbirdUnreadMark: Hashable, Sendable {
  package var channel: SendbirdChannel
  /// The number of unread messages of others.
  package var count: Int
  /// The time until which messages count as read.
  package var readAt: WallTime

  package init(channel: SendbirdChannel, count: Int, readAt: WallTime) {
    self.channel = channel
    self.count = count
    self.readAt = readAt
  }
}

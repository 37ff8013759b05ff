package import GatewayCore

/// A group channel of which a member has marked messages as unread.
package struct SendbirdUnreadMark: Hashable, Sendable {
  package var channel: SendbirdChannel
  /// How many messages of others the member has not read.
  package var count: Int
  /// What was sent until then counts as read.
  package var readAt: WallTime

  package init(channel: SendbirdChannel, count: Int, readAt: WallTime) {
    self.channel = channel
    self.count = count
    self.readAt = readAt
  }
}

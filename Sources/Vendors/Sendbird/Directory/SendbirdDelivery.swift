internal import GatewayCore
import GatewayKit

/// A message and its receivers.
struct SendbirdDelivery: Hashable, Sendable {
  var message: SendbirdMessage
  var kind: SendbirdChannel.Kind
  /// ``SendbirdChannel/number``.
  var channelNumber: Int64
  /// The joined members of a group channel; empty for an open one.
  var members: Set<UserID>
  /// The members' unread counts after the message; a member who is missing has read everything.
  var unread: [UserID: SendbirdUnread] = [:]
  /// The number of messages that were sent in the channel, deleted ones and this one too.
  var messageCount: Int64 = 0
  /// The message that it replies to, whose thread has changed; nil if it replies to none.
  var parent: SendbirdMessage?
  /// Whether anything has changed.
  var isChange = true
}

/// A deleted message, with the data for its event.
struct SendbirdDeletion: Hashable, Sendable {
  let message: Int64
  let at: WallTime
}

/// A user's unread totals.
struct SendbirdUnread: Hashable, Sendable {
  var messages: Int = 0
  var channels: Int = 0
  /// Messages by the custom type of their channel, if it has one.
  var messagesByType: [Name: Int] = [:]
}

/// The size of a directory of channels.
struct SendbirdChannelUsage: Hashable, Sendable {
  var channels: Int
  var channelBytes: Int
  var messages: Int
  var messageBytes: Int
  /// The number of displaced messages.
  var messagesDisplaced: UInt64
}

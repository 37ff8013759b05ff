package import GatewayCore
import GatewayKit

/// A message and its receivers.
package struct SendbirdDelivery: Hashable, Sendable {
  package var message: SendbirdMessage
  package var kind: SendbirdChannel.Kind
  /// ``SendbirdChannel/number``.
  package var channelNumber: Int64
  /// The joined members of a group channel; empty for an open one.
  package var members: Set<UserID>
  /// The members' unread counts after the message; a member who is missing has read everything.
  package var unread: [UserID: SendbirdUnread] = [:]
  /// The message that it replies to, whose thread has changed; nil if it replies to none.
  package var parent: SendbirdMessage?
  /// Whether anything has changed.
  package var isChange = true

  package init(message: SendbirdMessage, kind: SendbirdChannel.Kind, channelNumber: Int64, members: Set<UserID>) {
    self.message = message
    self.kind = kind
    self.channelNumber = channelNumber
    self.members = members
  }
}

/// A deleted message, with the data for its event.
package struct SendbirdDeletion: Hashable, Sendable {
  package let message: Int64
  package let at: WallTime

  package init(message: Int64, at: WallTime) {
    self.message = message
    self.at = at
  }
}

/// A user's unread totals.
package struct SendbirdUnread: Hashable, Sendable {
  package var messages: Int
  package var channels: Int
  /// Messages by the custom type of their channel, if it has one.
  package var messagesByType: [Name: Int]

  package init(messages: Int = 0, channels: Int = 0, messagesByType: [Name: Int] = [:]) {
    self.messages = messages
    self.channels = channels
    self.messagesByType = messagesByType
  }
}

/// The size of a directory of channels.
package struct SendbirdChannelUsage: Hashable, Sendable {
  package var channels: Int
  package var channelBytes: Int
  package var messages: Int
  package var messageBytes: Int
  /// The number of displaced messages.
  package var messagesDisplaced: UInt64

  package init(
    channels: Int, channelBytes: Int, messages: Int, messageBytes: Int, messagesDisplaced: UInt64
  ) {
    self.channels = channels
    self.channelBytes = channelBytes
    self.messages = messages
    self.messageBytes = messageBytes
    self.messagesDisplaced = messagesDisplaced
  }
}

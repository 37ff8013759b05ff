package import GatewayCore

/// The thread of replies to a message.
package struct SendbirdThread: Hashable, Codable, Sendable {
  /// The number of users with the most replies that are named.
  package static let usersMax = 5

  package var replyCount: Int
  /// The users with the most replies, the most first.
  package var mostReplies: [SendbirdMessage.Sender]
  package var lastRepliedAt: WallTime
  package var updatedAt: WallTime

  /// Creates the thread of `replies`, oldest first; fails if there are none.
  package init?(_ replies: some Sequence<SendbirdMessage>, updatedAt: WallTime) {
    var senders: [UserID: (sender: SendbirdMessage.Sender, count: Int)] = [:]
    var count = 0
    var last: WallTime?
    for reply in replies {
      count += 1
      last = reply.createdAt
      guard let sender = reply.sender else { continue }
      senders[sender.id] = (sender, (senders[sender.id]?.count ?? 0) + 1)
    }
    guard let last else { return nil }
    replyCount = count
    lastRepliedAt = last
    self.updatedAt = updatedAt
    mostReplies = senders.values.sorted { first, second in
      first.count == second.count ? first.sender.id < second.sender.id : first.count > second.count
    }.prefix(Self.usersMax).map(\.sender)
  }
}

/// The message that a reply refers to, as it was when the reply was sent.
package struct SendbirdParentMessage: Hashable, Codable, Sendable {
  package let kind: SendbirdMessage.Kind
  package let sender: SendbirdMessage.Sender?
  package let text: String
  package let customType: Name
  /// The file, or the first of several.
  package let file: SendbirdMessage.File?
  package let createdAt: WallTime

  package init(_ message: SendbirdMessage) {
    kind = message.kind
    sender = message.sender
    text = message.text
    customType = message.customType
    file = message.file ?? message.files?.first
    createdAt = message.createdAt
  }
}

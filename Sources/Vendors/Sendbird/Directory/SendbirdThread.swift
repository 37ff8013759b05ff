internal import GatewayCore

/// The thread of replies to a message.
struct SendbirdThread: Hashable, Codable, Sendable {
  /// The number of users with the most replies that are named.
  static let usersMax = 5

  var replyCount: Int
  /// The users with the most replies, the most first.
  var mostReplies: [SendbirdMessage.Sender]
  var lastRepliedAt: WallTime
  var updatedAt: WallTime

  /// Creates the thread of `replies`, oldest first; fails if there are none.
  init?(_ replies: some Sequence<SendbirdMessage>, updatedAt: WallTime) {
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
struct SendbirdParentMessage: Hashable, Codable, Sendable {
  let kind: SendbirdMessage.Kind
  let sender: SendbirdMessage.Sender?
  let text: String
  let customType: Name
  /// The file, or the first of several.
  let file: SendbirdMessage.File?
  let createdAt: WallTime

  init(_ message: SendbirdMessage) {
    kind = message.kind
    sender = message.sender
    text = message.text
    customType = message.customType
    file = message.file ?? message.files?.first
    createdAt = message.createdAt
  }
}

internal import GatewayCore
internal import GatewayKit

/// The row of a channel without its members and messages. Every message rewrites it, however many members there are.
struct SendbirdChannelRow: StoreValue {
  /// The longest that a message waits for its turn.
  private static let waitMax = Duration.seconds(10)

  let url: Name
  let kind: SendbirdChannel.Kind
  let number: Int64
  let createdBy: UserID?
  let createdAt: WallTime
  var properties: SendbirdChannel.Properties
  /// The key under which a distinct channel is found by its members; nil for one that is not distinct.
  var distinctKey: String?
  /// The number of messages ever sent. A member's unread count is the difference to the member's own count.
  var messageCount: Int64 = 0
  /// The last message, 0 for none; it may have been displaced.
  var lastMessageID: Int64 = 0
  /// The place of the latest member.
  var lastPlace: Int64 = 0
  /// The time of the last message, even if it was deleted; nil for none, and in rows of earlier versions.
  var lastMessageAt: WallTime?
  /// The number of deleted messages.
  var deletionCount: Int64 = 0

  init(_ channel: SendbirdChannel, number: Int64, distinctKey: String?) {
    url = channel.url
    kind = channel.kind
    self.number = number
    createdBy = channel.createdBy
    createdAt = channel.createdAt
    properties = channel.properties
    self.distinctKey = distinctKey
  }

  /// Returns the time for the next message, given the clock's `time`. It is never before the last message's time,
  /// although messages may wait differently long for their turn: clients page by these times in the order of the
  /// numbers. A clock that was set back further is accepted.
  func time(ofNext time: WallTime) -> WallTime {
    guard let lastMessageAt, time < lastMessageAt, lastMessageAt - time < Self.waitMax else { return time }
    return lastMessageAt
  }

  /// Returns the channel with those members and that last message.
  func channel(members: [SendbirdMember], lastMessage: SendbirdMessage?) -> SendbirdChannel {
    var channel = SendbirdChannel(
      url: url, kind: kind, createdBy: createdBy, createdAt: createdAt, properties: properties,
      isDistinct: distinctKey != nil, members: members)
    channel.number = number
    channel.messageCount = messageCount
    channel.lastMessage = lastMessage
    return channel
  }
}

/// A member's row in a group channel.
struct SendbirdMemberRow: StoreValue {
  var member: SendbirdMember
  /// The member's place in the order in which members were added.
  let place: Int64
  /// The number of the channel's messages that are not unread for the member: read, the member's own, or from before
  /// their membership.
  var readCount: Int64

  init(_ member: SendbirdMember, place: Int64, of row: SendbirdChannelRow) {
    self.member = member
    self.place = place
    readCount = row.messageCount
  }

  /// Returns the member for the channel's present state.
  func member(of row: SendbirdChannelRow) -> SendbirdMember {
    var member = member
    member.unreadCount = member.state == .joined ? Int(max(0, row.messageCount - readCount)) : 0
    if let hiding = member.settings.hiding, hiding.endsByItself, row.messageCount > hiding.messageCount {
      member.settings.hiding = nil
    }
    return member
  }
}

/// The row that finds a distinct channel by its members.
struct SendbirdDistinctRow: StoreValue {
  var url: Name
}

/// The channels that a user has left, oldest departure first.
struct SendbirdDeparturesRow: StoreValue {
  /// A channel that was left.
  struct Entry: Codable, Sendable {
    var channel: Name
    var at: WallTime
  }

  var entries: [Entry]
  /// The number of the latest entry among the entries of all users.
  var number: Int64
}

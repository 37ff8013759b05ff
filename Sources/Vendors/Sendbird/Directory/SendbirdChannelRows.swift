internal import GatewayCore
internal import GatewayKit

/// A channel, `talk` for instance, without those who are in it and what they say: a row that every message rewrites,
/// however many members there are.
struct SendbirdChannelRow: StoreValue {
  /// The longest that a message waits for its turn.
  private static let waitMax = Duration.seconds(10)

  let url: Name
  let kind: SendbirdChannel.Kind
  let number: Int64
  let createdBy: UserID?
  let createdAt: WallTime
  var properties: SendbirdChannel.Properties
  /// Where a distinct channel is found by its members; nil for one that is not, or no more.
  var distinctKey: String?
  /// How many messages were ever sent: what a member has not read is what lies between this and what they have.
  var messageCount: Int64 = 0
  /// The last message, 0 for none; it may have given way since.
  var lastMessageID: Int64 = 0
  /// The place of the member who came last.
  var lastPlace: Int64 = 0
  /// When the last message was sent, there or deleted; nil for none, and in what an older gateway has kept.
  var lastMessageAt: WallTime?
  /// How many messages were deleted.
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

  /// When the next message was sent, by a clock that says `time`: never before the last one, though the one may have waited
  /// longer for its turn than the other. Clients page by these times, in the order of the numbers. A clock that was put
  /// back is believed.
  func time(ofNext time: WallTime) -> WallTime {
    guard let lastMessageAt, time < lastMessageAt, lastMessageAt - time < Self.waitMax else { return time }
    return lastMessageAt
  }

  /// The channel as it is told of.
  func channel(members: [SendbirdMember], lastMessage: SendbirdMessage?) -> SendbirdChannel {
    var channel = SendbirdChannel(
      url: url, kind: kind, createdBy: createdBy, createdAt: createdAt, properties: properties,
      isDistinct: distinctKey != nil, members: members)
    channel.number = number
    channel.lastMessage = lastMessage
    return channel
  }
}

/// A place in a group channel, with whose it is: ann came third to `talk`, for instance.
struct SendbirdMemberRow: StoreValue {
  var member: SendbirdMember
  /// Where the member stands among the others: in the order of their coming.
  let place: Int64
  /// How many of the channel's messages the member need not read: they were read, or the member's own, or before their time.
  var readCount: Int64

  init(_ member: SendbirdMember, place: Int64, of row: SendbirdChannelRow) {
    self.member = member
    self.place = place
    readCount = row.messageCount
  }

  /// The member as the channel is now.
  func member(of row: SendbirdChannelRow) -> SendbirdMember {
    var member = member
    member.unreadCount = member.state == .joined ? Int(max(0, row.messageCount - readCount)) : 0
    if let hiding = member.settings.hiding, hiding.endsByItself, row.messageCount > hiding.messageCount {
      member.settings.hiding = nil
    }
    return member
  }
}

/// The distinct channel of some members: of ann and bob there is one, for instance.
struct SendbirdDistinctRow: StoreValue {
  var url: Name
}

/// The channels that a user is in no more, oldest departure first: ann left `talk` at noon, for instance.
struct SendbirdDeparturesRow: StoreValue {
  /// A channel that was left: `talk` at noon, for instance.
  struct Entry: Codable, Sendable {
    var channel: Name
    var at: WallTime
  }

  var entries: [Entry]
  /// When the last was noted, among those of all.
  var number: Int64
}

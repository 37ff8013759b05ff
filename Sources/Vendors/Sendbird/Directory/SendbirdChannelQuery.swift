internal import GatewayCore

/// A query for channels of a Sendbird application that match all given conditions.
struct SendbirdChannelQuery: Hashable, Sendable {
  /// The way in which the member hides a channel.
  enum Hiding: Hashable, Sendable {
    case none
    case any
    case untilTheNextMessage
    case forGood

    func includes(_ settings: SendbirdMemberSettings) -> Bool {
      switch self {
      case .none: settings.hiding == nil
      case .any: settings.hiding != nil
      case .untilTheNextMessage: settings.hiding?.endsByItself == true
      case .forGood: settings.hiding?.endsByItself == false
      }
    }
  }

  /// The order in which channels are listed.
  enum Order: Hashable, Sendable {
    /// Newest channel first.
    case chronological
    /// Channel with the latest message first.
    case latestLastMessage
    /// By name, byte by byte.
    case alphabetical
  }

  /// The position of a channel in lists, which stays valid when channels are added or removed.
  struct Place: Hashable, Sendable {
    /// The channel's number. Nodes number channels in orders of their own, so that it only decides between channels of one
    /// time; the same holds for messages.
    var number: Int64
    /// When it was created, in nanoseconds.
    var createdAt: Int64
    /// The number and the time of the last message; 0 for none.
    var message: Int64
    var messageAt: Int64
    var name: Name

    init(number: Int64, createdAt: Int64, message: Int64 = 0, messageAt: Int64 = 0, name: Name = "") {
      (self.number, self.createdAt) = (number, createdAt)
      (self.message, self.messageAt) = (message, messageAt)
      self.name = name
    }

    init(of channel: SendbirdChannel) {
      let last = channel.lastMessage
      self.init(
        number: channel.number, createdAt: channel.createdAt.nanoseconds, message: last?.id ?? 0,
        messageAt: last?.createdAt.nanoseconds ?? 0, name: Name(channel.properties.name))
    }
  }

  var kind: SendbirdChannel.Kind
  /// Only group channels of this member, joined or invited.
  var member: UserID?
  /// Only channels in which the member has this state.
  var memberState: SendbirdMember.State?
  /// Only channels that the member hides in this way; nil for all.
  var hiding: Hiding?
  var urls: Set<Name>?
  var customTypes: Set<Name>?
  var nameContains: String?
  /// Only group channels with all of these members.
  var membersInclude: Set<UserID>?
  /// Only group channels with exactly these members.
  var membersExactly: Set<UserID>?
  var isDistinct: Bool?
  var isPublic: Bool?
  /// Whether channels without any message are included.
  var showsEmpty = true
  var showsFrozen = true
  var order = Order.chronological
  /// The last place on the page before; nil for the first page.
  var after: Place?
  /// The maximum number of channels on a page.
  var limit = 10

  init(_ kind: SendbirdChannel.Kind) {
    self.kind = kind
  }

  /// Whether the query depends on members.
  var asksForMembers: Bool { member != nil || membersInclude != nil || membersExactly != nil }
  /// Whether the query depends on the last message.
  var asksForMessages: Bool { !showsEmpty || order == .latestLastMessage }

  /// Returns whether the first place precedes the second in the answer.
  func puts(_ first: Place, before second: Place) -> Bool {
    switch order {
    case .chronological: break
    case .latestLastMessage:
      let (one, two) = ((first.messageAt, first.message), (second.messageAt, second.message))
      if one != two { return one > two }
    case .alphabetical: if first.name != second.name { return first.name < second.name }
    }
    return (first.createdAt, first.number) > (second.createdAt, second.number)
  }

  /// Returns whether the channel matches, ignoring pages.
  func includes(_ channel: SendbirdChannel) -> Bool {
    guard channel.kind == kind else { return false }
    if let member {
      guard let found = channel.member(member) else { return false }
      if let memberState, found.state != memberState { return false }
    }
    if let urls, !urls.contains(channel.url) { return false }
    if let customTypes, !customTypes.contains(channel.properties.customType) { return false }
    if let nameContains, !channel.properties.name.lowercased().contains(bytesOf: nameContains.lowercased()) {
      return false
    }
    if let isDistinct, channel.isDistinct != isDistinct { return false }
    if let isPublic, channel.properties.isPublic != isPublic { return false }
    if !showsEmpty && channel.lastMessage == nil { return false }
    if !showsFrozen && channel.properties.isFrozen { return false }
    guard membersInclude != nil || membersExactly != nil else { return true }
    let members = Set(channel.members.map(\.user))
    return membersInclude?.isSubset(of: members) ?? true && membersExactly.map { $0 == members } ?? true
  }
}

/// A page of a query's channels.
struct SendbirdChannelPage: Hashable, Sendable {
  var channels: [SendbirdChannel]
  /// The ``SendbirdChannelQuery/after`` of the next page; nil on the last page.
  var next: SendbirdChannelQuery.Place?
}

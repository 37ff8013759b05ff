package import GatewayCore

/// A query for channels of a Sendbird application that match all given conditions.
package struct SendbirdChannelQuery: Hashable, Sendable {
  /// The way in which the member hides a channel.
  package enum Hiding: Hashable, Sendable {
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
  package enum Order: Hashable, Sendable {
    /// Newest channel first.
    case chronological
    /// Channel with the latest message first.
    case latestLastMessage
    /// By name, byte by byte.
    case alphabetical
  }

  /// The position of a channel in lists, which stays valid when channels are added or removed.
  package struct Place: Hashable, Sendable {
    package var number: Int64
    /// The number of the last message; 0 for none.
    package var message: Int64
    package var name: Name

    package init(number: Int64, message: Int64 = 0, name: Name = "") {
      self.number = number
      self.message = message
      self.name = name
    }

    package init(of channel: SendbirdChannel) {
      self.init(
        number: channel.number, message: channel.lastMessage?.id ?? 0, name: Name(channel.properties.name))
    }
  }

  package var kind: SendbirdChannel.Kind
  /// Only group channels of this member, joined or invited.
  package var member: UserID?
  /// Only channels in which the member has this state.
  package var memberState: SendbirdMember.State?
  /// Only channels that the member hides in this way; nil for all.
  package var hiding: Hiding?
  package var urls: Set<Name>?
  package var customTypes: Set<Name>?
  package var nameContains: String?
  /// Only group channels with all of these members.
  package var membersInclude: Set<UserID>?
  /// Only group channels with exactly these members.
  package var membersExactly: Set<UserID>?
  package var isDistinct: Bool?
  package var isPublic: Bool?
  /// Whether channels without any message are included.
  package var showsEmpty = true
  package var showsFrozen = true
  package var order = Order.chronological
  /// Only channels created before the one with this number; nil for all.
  package var before: Int64?
  /// The last place on the page before; nil for the first page.
  package var after: Place?
  /// The maximum number of channels on a page.
  package var limit = 10

  package init(_ kind: SendbirdChannel.Kind) {
    self.kind = kind
  }

  /// Whether the query depends on members.
  var asksForMembers: Bool { member != nil || membersInclude != nil || membersExactly != nil }
  /// Whether the query depends on the last message.
  var asksForMessages: Bool { !showsEmpty || order == .latestLastMessage }

  /// Returns whether the first place precedes the second in the answer.
  package func puts(_ first: Place, before second: Place) -> Bool {
    switch order {
    case .chronological: break
    case .latestLastMessage: if first.message != second.message { return first.message > second.message }
    case .alphabetical: if first.name != second.name { return first.name < second.name }
    }
    return first.number > second.number
  }

  /// Returns whether the channel matches, ignoring pages.
  package func includes(_ channel: SendbirdChannel) -> Bool {
    guard channel.kind == kind else { return false }
    if let before, channel.number >= before { return false }
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
package struct SendbirdChannelPage: Hashable, Sendable {
  package var channels: [SendbirdChannel]
  /// The ``SendbirdChannelQuery/after`` of the next page; nil on the last page.
  package var next: SendbirdChannelQuery.Place?

  package init(channels: [SendbirdChannel], next: SendbirdChannelQuery.Place?) {
    self.channels = channels
    self.next = next
  }
}

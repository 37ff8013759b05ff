package import GatewayCore

/// A question for channels of a Sendbird application, for those that ann is in and hides for instance: those for which
/// everything given holds.
package struct SendbirdChannelQuery: Hashable, Sendable {
  /// The way in which the member hides a channel: until its next message, for instance.
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

  /// The order in which channels are listed: by name, for instance.
  package enum Order: Hashable, Sendable {
    /// The newest channel first.
    case chronological
    /// The channel in which something was said last first.
    case latestLastMessage
    /// By name, byte by byte.
    case alphabetical
  }

  /// Where a channel stands in the orders of lists, whatever comes or goes meanwhile: behind the last of a page, for
  /// instance.
  package struct Place: Hashable, Sendable {
    package var number: Int64
    /// The number of the last message, 0 for none.
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
  /// Only those in which the member's state is this.
  package var memberState: SendbirdMember.State?
  /// Only those that the member hides so; nil for all.
  package var hiding: Hiding?
  package var urls: Set<Name>?
  package var customTypes: Set<Name>?
  package var nameContains: String?
  /// Only group channels with all of these among their members.
  package var membersInclude: Set<UserID>?
  /// Only group channels with these members and no others.
  package var membersExactly: Set<UserID>?
  package var isDistinct: Bool?
  package var isPublic: Bool?
  /// Whether channels in which nothing was ever said are asked for.
  package var showsEmpty = true
  package var showsFrozen = true
  package var order = Order.chronological
  /// Only those made before the one of this number; nil for all.
  package var before: Int64?
  /// Where the page before ended; nil for the first page.
  package var after: Place?
  /// The most channels of a page.
  package var limit = 10

  package init(_ kind: SendbirdChannel.Kind) {
    self.kind = kind
  }

  /// Whether it matters who is in a channel.
  var asksForMembers: Bool { member != nil || membersInclude != nil || membersExactly != nil }
  /// Whether it matters what was said last.
  var asksForMessages: Bool { !showsEmpty || order == .latestLastMessage }

  /// Whether a channel of the first place stands before one of the second in the answer.
  package func puts(_ first: Place, before second: Place) -> Bool {
    switch order {
    case .chronological: break
    case .latestLastMessage: if first.message != second.message { return first.message > second.message }
    case .alphabetical: if first.name != second.name { return first.name < second.name }
    }
    return first.number > second.number
  }

  /// Whether the channel is asked for, pages left aside.
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

/// A page of the channels asked for: the first ten, for instance.
package struct SendbirdChannelPage: Hashable, Sendable {
  package var channels: [SendbirdChannel]
  /// ``SendbirdChannelQuery/after`` of the page behind this; nil if this is the last.
  package var next: SendbirdChannelQuery.Place?

  package init(channels: [SendbirdChannel], next: SendbirdChannelQuery.Place?) {
    self.channels = channels
    self.next = next
  }
}

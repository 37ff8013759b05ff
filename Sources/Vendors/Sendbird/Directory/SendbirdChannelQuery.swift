package import GatewayCore

/// Which channels of a Sendbird application are asked for: those for which everything given holds.
package struct SendbirdChannelQuery: Hashable, Sendable {
  /// Whether the member hides a channel, and until when.
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

  package enum Order: Hashable, Sendable {
    /// The newest channel first.
    case chronological
    /// The channel in which something was said last first.
    case latestLastMessage
    /// By name, byte by byte.
    case alphabetical
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
  /// How many to pass over.
  package var offset = 0
  /// The most channels of a page.
  package var limit = 10

  package init(_ kind: SendbirdChannel.Kind) {
    self.kind = kind
  }

  /// Whether it matters who is in a channel.
  var asksForMembers: Bool { member != nil || membersInclude != nil || membersExactly != nil }
  /// Whether it matters what was said last.
  var asksForMessages: Bool { !showsEmpty || order == .latestLastMessage }

  /// Whether the first channel stands before the second in the answer.
  package func puts(_ first: SendbirdChannel, before second: SendbirdChannel) -> Bool {
    switch order {
    case .chronological: break
    case .latestLastMessage:
      let (one, other) = (first.lastMessage?.id ?? 0, second.lastMessage?.id ?? 0)
      if one != other { return one > other }
    case .alphabetical:
      let (one, other) = (Name(first.properties.name), Name(second.properties.name))
      if one != other { return one < other }
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
    if let nameContains, !channel.properties.name.lowercased().contains(nameContains.lowercased()) { return false }
    if let isDistinct, channel.isDistinct != isDistinct { return false }
    if let isPublic, channel.properties.isPublic != isPublic { return false }
    if !showsEmpty && channel.lastMessage == nil { return false }
    if !showsFrozen && channel.properties.isFrozen { return false }
    guard membersInclude != nil || membersExactly != nil else { return true }
    let members = Set(channel.members.map(\.user))
    return membersInclude?.isSubset(of: members) ?? true && membersExactly.map { $0 == members } ?? true
  }
}

/// Some of the channels asked for.
package struct SendbirdChannelPage: Hashable, Sendable {
  package var channels: [SendbirdChannel]
  /// ``SendbirdChannelQuery/offset`` of the page behind this; nil if this is the last.
  package var next: Int?

  package init(channels: [SendbirdChannel], next: Int?) {
    self.channels = channels
    self.next = next
  }
}

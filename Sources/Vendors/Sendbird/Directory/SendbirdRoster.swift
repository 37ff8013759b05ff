internal import GatewayCore

/// The members of a group channel: which of them receive its events, and each one's unread count.
struct SendbirdRoster: Sendable {
  var joined: Set<UserID> = []
  /// The unread count of every member.
  var unread: [UserID: Int] = [:]
  /// The members who exclude the channel from their totals.
  var uncounted: Set<UserID> = []
  var customType: Name
  /// The number of messages that were sent, deleted ones too.
  var messages: Int64

  init(_ channel: SendbirdChannel) {
    joined = channel.joined
    customType = channel.properties.customType
    messages = channel.messageCount
    for member in channel.members {
      let counts = member.settings.countsMessages
      unread[member.user] = counts ? member.unreadCount : 0
      if !counts { uncounted.insert(member.user) }
    }
  }

  func state(of user: UserID) -> SendbirdMember.State? {
    unread[user].map { _ in joined.contains(user) ? .joined : .invited }
  }
}

internal import GatewayCore

/// The seats of a group channel: who has one, who of them hears what happens there, and how much each has not read; bob
/// hears, and has two messages to read, for instance.
struct SendbirdSeats: Sendable {
  var joined: Set<UserID> = []
  /// Of every member.
  var unread: [UserID: Int] = [:]
  /// Those of whom what they have not read here is not counted.
  var uncounted: Set<UserID> = []
  var customType: Name

  init(_ channel: SendbirdChannel) {
    joined = channel.joined
    customType = channel.properties.customType
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

package import GatewayCore

// What members have not read.

extension MemorySendbirdChannels {
  package func markRead(
    _ url: Name, user: UserID, at now: WallTime
  ) throws(SendbirdChannelRefusal) -> SendbirdChannel {
    let (room, index) = try place(of: user, in: url)
    room.channel.members[index].readAt = now
    setUnread(0, at: index, of: room)
    return room.channel
  }

  package func markDelivered(
    _ url: Name, user: UserID, at now: WallTime
  ) throws(SendbirdChannelRefusal) -> SendbirdChannel {
    let (room, index) = try place(of: user, in: url)
    room.channel.members[index].deliveredAt = now
    return room.channel
  }

  private func place(of user: UserID, in url: Name) throws(SendbirdChannelRefusal) -> (Room, Int) {
    let room = try room(url, .group)
    guard let index = room.channel.members.firstIndex(where: { $0.user == user }),
      room.channel.members[index].state == .joined
    else { throw .notAMember }
    return (room, index)
  }

  package func unread(_ user: UserID) -> SendbirdUnread {
    unreadSums[user] ?? SendbirdUnread()
  }

  package func unread(_ users: Set<UserID>) -> [UserID: SendbirdUnread] {
    users.reduce(into: [:]) { $0[$1] = unreadSums[$1] }
  }

  /// Notes how many messages of the channel a member has not read, there and in the user's sum.
  func setUnread(_ count: Int, at index: Int, of room: Room) {
    let member = room.channel.members[index]
    guard count != member.unreadCount else { return }
    var sum = unreadSums[member.user] ?? SendbirdUnread()
    sum.messages += count - member.unreadCount
    sum.channels += (count > 0 ? 1 : 0) - (member.unreadCount > 0 ? 1 : 0)
    let type = room.channel.properties.customType
    if !type.text.isEmpty {
      let ofType = (sum.messagesByType[type] ?? 0) + count - member.unreadCount
      sum.messagesByType[type] = ofType == 0 ? nil : ofType
    }
    unreadSums[member.user] = sum.messages == 0 ? nil : sum
    room.channel.members[index].unreadCount = count
  }
}

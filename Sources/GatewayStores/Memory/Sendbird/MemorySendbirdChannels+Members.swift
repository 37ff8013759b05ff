package import GatewayCore

// Who is in group channels, and who may not.

extension MemorySendbirdChannels {
  package func invite(
    _ users: [SendbirdMember], to url: String
  ) throws(SendbirdChannelRefusal) -> SendbirdMembership {
    let room = try room(url, .group)
    var seen = Set(room.channel.members.map(\.user))
    let new = users.filter { seen.insert($0.user).inserted && !room.banned.contains($0.user) }
    guard room.channel.members.count + new.count <= limits.membersOfChannel,
      membershipCount + new.count <= limits.memberships
    else { throw .tooManyMembers }
    if !new.isEmpty { endDistinction(of: room) }
    for member in new { add(member, to: room) }
    return SendbirdMembership(channel: room.channel, changed: new.map(\.user))
  }

  package func join(
    _ url: String, user: UserID, at now: WallTime
  ) throws(SendbirdChannelRefusal) -> SendbirdMembership {
    let room = try room(url, .group)
    guard !room.banned.contains(user) else { throw .banned }
    guard let index = room.channel.members.firstIndex(where: { $0.user == user }) else {
      return try invite([SendbirdMember(user, .joined, at: now)], to: url)
    }
    guard room.channel.members[index].state == .invited else {
      return SendbirdMembership(channel: room.channel, changed: [])
    }
    room.channel.members[index].state = .joined
    room.channel.members[index].joinedAt = now
    room.joined.insert(user)
    return SendbirdMembership(channel: room.channel, changed: [user])
  }

  package func leave(_ url: String, users: Set<UserID>) throws(SendbirdChannelRefusal) -> SendbirdMembership {
    let room = try room(url, .group)
    let leaving = room.channel.members.map(\.user).filter { users.contains($0) }
    if !leaving.isEmpty { endDistinction(of: room) }
    for user in leaving { remove(user, from: room) }
    return SendbirdMembership(channel: room.channel, changed: leaving)
  }

  package func leaveAll(_ user: UserID) -> [SendbirdMembership] {
    (memberships[user] ?? []).sorted().compactMap { try? leave($0, users: [user]) }
  }

  package func setMuted(
    _ isMuted: Bool, _ user: UserID, in url: String
  ) throws(SendbirdChannelRefusal) -> SendbirdChannel {
    let room = try room(url, .group)
    guard let index = room.channel.members.firstIndex(where: { $0.user == user }) else { throw .notAMember }
    room.channel.members[index].isMuted = isMuted
    return room.channel
  }

  package func setBanned(
    _ isBanned: Bool, _ user: UserID, in url: String
  ) throws(SendbirdChannelRefusal) -> SendbirdMembership {
    let room = try room(url)
    guard isBanned else {
      room.banned.remove(user)
      return SendbirdMembership(channel: room.channel, changed: [])
    }
    guard room.banned.count < limits.bans || room.banned.contains(user) else { throw .tooManyMembers }
    room.banned.insert(user)
    if room.channel.kind == .group { return try leave(url, users: [user]) }
    let connections = room.participants.removeValue(forKey: user) ?? []
    for connection in connections { forget(url, enteredBy: connection) }
    room.channel.participantCount = room.participants.count
    return SendbirdMembership(
      channel: room.channel, changed: connections.isEmpty ? [] : [user], connections: Array(connections))
  }

  package func setBlocked(_ isBlocked: Bool, _ user: UserID, by: UserID) throws(SendbirdChannelRefusal) {
    if isBlocked {
      guard blockCount < limits.bans || blocks[by]?.contains(user) == true else { throw .tooManyMembers }
      if blocks[by, default: []].insert(user).inserted { blockCount += 1 }
    } else if blocks[by]?.remove(user) != nil {
      blockCount -= 1
      if blocks[by]?.isEmpty == true { blocks[by] = nil }
    }
  }

  package func markRead(
    _ url: String, user: UserID, at now: WallTime
  ) throws(SendbirdChannelRefusal) -> SendbirdChannel {
    let room = try room(url, .group)
    guard let index = room.channel.members.firstIndex(where: { $0.user == user }),
      room.channel.members[index].state == .joined
    else { throw .notAMember }
    room.channel.members[index].readAt = now
    room.channel.members[index].unreadCount = 0
    return room.channel
  }

  package func unread(_ user: UserID) -> SendbirdUnread {
    var unread = SendbirdUnread()
    for url in memberships[user] ?? [] {
      guard let channel = rooms[url]?.channel, let count = channel.member(user)?.unreadCount, count > 0 else {
        continue
      }
      unread.messages += count
      unread.channels += 1
      if !channel.properties.customType.isEmpty {
        unread.messagesByType[channel.properties.customType, default: 0] += count
      }
    }
    return unread
  }
}

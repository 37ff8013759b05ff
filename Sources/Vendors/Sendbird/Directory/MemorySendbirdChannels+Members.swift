package import GatewayCore

// Who is in group channels, and who may not.

extension MemorySendbirdChannels {
  package func invite(
    _ users: [SendbirdMember], to url: Name
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
    _ url: Name, user: UserID, at now: WallTime
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

  package func leave(
    _ url: Name, users: Set<UserID>, at now: WallTime
  ) throws(SendbirdChannelRefusal) -> SendbirdMembership {
    let room = try room(url, .group)
    let leaving = room.channel.members.map(\.user).filter { users.contains($0) }
    if !leaving.isEmpty { endDistinction(of: room) }
    for user in leaving { remove(user, from: room, at: now) }
    return SendbirdMembership(channel: room.channel, changed: leaving)
  }

  package func leaveAll(_ user: UserID, at now: WallTime) -> [SendbirdMembership] {
    (memberships[user] ?? []).sorted().compactMap { try? leave($0, users: [user], at: now) }
  }

  package func departures(of user: UserID, since: WallTime) -> [Name] {
    var seen: Set<Name> = []
    return departures.channels(of: user, since: since).filter { url in
      memberships[user]?.contains(url) != true && seen.insert(url).inserted
    }
  }

  package func setMuted(
    _ isMuted: Bool, _ user: UserID, in url: Name
  ) throws(SendbirdChannelRefusal) -> SendbirdChannel {
    let room = try room(url)
    if room.channel.kind == .open {
      try set(isMuted, user, in: room, \.muted)
      return room.channel
    }
    guard let index = room.channel.members.firstIndex(where: { $0.user == user }) else { throw .notAMember }
    room.channel.members[index].isMuted = isMuted
    return room.channel
  }

  package func setBanned(
    _ isBanned: Bool, _ user: UserID, in url: Name, at now: WallTime
  ) throws(SendbirdChannelRefusal) -> SendbirdMembership {
    let room = try room(url)
    try set(isBanned, user, in: room, \.banned)
    guard isBanned else { return SendbirdMembership(channel: room.channel, changed: []) }
    if room.channel.kind == .group { return try leave(url, users: [user], at: now) }
    let connections = room.participants.removeValue(forKey: user) ?? []
    for connection in connections { forget(url, enteredBy: connection) }
    room.channel.participantCount = room.participants.count
    return SendbirdMembership(
      channel: room.channel, changed: connections.isEmpty ? [] : [user], connections: Array(connections))
  }

  private func set(
    _ isIn: Bool, _ user: UserID, in room: Room, _ list: ReferenceWritableKeyPath<Room, Set<UserID>>
  ) throws(SendbirdChannelRefusal) {
    guard isIn != room[keyPath: list].contains(user) else { return }
    if isIn {
      guard room[keyPath: list].count < limits.bans, banCount < limits.bansOfAll else { throw .tooManyMembers }
      room[keyPath: list].insert(user)
      banCount += 1
    } else {
      room[keyPath: list].remove(user)
      banCount -= 1
    }
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
}

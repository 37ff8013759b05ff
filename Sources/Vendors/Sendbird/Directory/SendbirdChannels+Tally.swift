internal import GatewayCore
internal import GatewayKit

// Counts over a user's group channels.

extension SendbirdChannels {
  /// Returns the user's unread counts in ordinary group channels and in super ones, without the channels that the user
  /// excludes.
  func tallies(
    of user: UserID, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> (plain: SendbirdTally, super: SendbirdTally) {
    try await settle(at: now)
    return try await ask { () async throws(StoreError) in
      var (plain, large) = (SendbirdTally(), SendbirdTally())
      let urls = await memberships.channels(of: user)
      let rows = try await store.read(urls.map { Self.channels.key($0.text) }, at: now)
      let places = try await store.read(urls.map { Self.members.key($0.text, user.rawValue) }, at: now)
      for (row, place) in zip(rows, places) {
        guard let row = try row?.value(as: SendbirdChannelRow.self),
          let member = try place?.value(as: SendbirdMemberRow.self).member(of: row)
        else { continue }
        var tally = SendbirdTally()
        if member.state == .invited { tally.invitations = 1 }
        if member.settings.countsMessages { tally.messages = member.unreadCount }
        if member.unreadCount > 0, [.all, .mentions].contains(member.settings.counted) {
          tally.mentions = try await mentions(of: member, in: row.url, at: now)
        }
        if row.properties.isSuper { large = large + tally } else { plain = plain + tally }
      }
      return (plain, large)
    }
  }

  /// Returns the number of the member's unread messages that mention the member.
  func unreadMentions(
    of member: SendbirdMember, in url: Name, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> Int {
    guard member.unreadCount > 0 else { return 0 }
    return try await ask { () async throws(StoreError) in try await mentions(of: member, in: url, at: now) }
  }

  private func mentions(
    of member: SendbirdMember, in url: Name, at now: WallTime
  ) async throws(StoreError) -> Int {
    // At most these can be unread; older ones were displaced.
    let range = Self.messages.range(url.text).backwards
    var count = 0
    for entry in try await store.scan(range, limit: min(member.unreadCount, limits.messagesOfChannel), at: now) {
      let message = try entry.value(as: SendbirdMessage.self)
      if let seen = member.readAt ?? member.joinedAt, message.createdAt <= seen { break }
      guard message.sender?.id != member.user else { continue }
      if message.mentionType == "channel" || message.mentionedUsers.contains(member.user) { count += 1 }
    }
    return count
  }

  /// Returns the number of the user's group channels with that state, or with either.
  func channelCount(
    of user: UserID, _ state: SendbirdMember.State?, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> Int {
    try await settle(at: now)
    let rosters = await memberships.rosters(of: await memberships.channels(of: user))
    return rosters.values.count { state == nil || $0.state(of: user) == state }
  }
}

internal import GatewayCore
internal import GatewayKit

// Unread counts of members.

extension SendbirdChannels {
  /// Notes that the member has read everything sent until `now`; returns the channel's outline.
  func markRead(
    _ url: Name, user: UserID, at now: WallTime, telling: (SendbirdChannel) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await mark(
      url, user, at: now, news: { [.unread(url, 0, of: user, count: $0.messageCount)] }, telling: telling
    ) { member, row in
      member.member.readAt = now
      member.readCount = row.messageCount
    }
  }

  /// Marks the message with that number and all later ones as unread; returns the number of those by others, and the
  /// latest time at which the message before them was read.
  func markUnread(
    _ url: Name, from id: Int64, user: UserID, at now: WallTime,
    telling: (SendbirdUnreadMark) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdUnreadMark {
    try await inTurn(
      of: url, at: now, news: { [.unread(url, $0.count, of: user, count: $0.channel.messageCount)] }, telling: telling
    ) { () async throws(SendbirdChannelRefusal) -> SendbirdUnreadMark in
      let (row, count, readAt) = try await transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>)
          -> (SendbirdChannelRow, Int, WallTime) in
        let (row, found) = try await self.member(user, of: url, in: &transaction)
        var member = found
        let message = try await self.message(id, in: url, by: nil, &transaction)
        let later = try await Self.asking { () async throws(StoreError) in try await kept(url, after: id, at: now) }
        let count = ([message] + later).count { $0.sender?.id != user }
        let readAt = message.createdAt - .milliseconds(1)
        member.member.readAt = readAt
        member.readCount = row.messageCount - Int64(count)
        put(member, of: url, in: &transaction)
        return (row, count, readAt)
      }
      await memberships.unread(url, count: count, by: user)
      return SendbirdUnreadMark(channel: try await outline(row), count: count, readAt: readAt)
    }
  }

  /// Notes that everything sent until `now` was delivered to the member; returns the channel's outline.
  func markDelivered(
    _ url: Name, user: UserID, at now: WallTime, telling: (SendbirdChannel) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    // It is part of no roster.
    try await mark(url, user, at: now, news: { _ in [] }, telling: telling) { member, _ in
      member.member.deliveredAt = now
    }
  }

  private func mark(
    _ url: Name, _ user: UserID, at now: WallTime, news: @escaping (SendbirdChannel) -> [SendbirdRoomNews],
    telling: (SendbirdChannel) async -> Void,
    _ change: (inout SendbirdMemberRow, SendbirdChannelRow) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await inTurn(of: url, at: now, news: news, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdChannel in
      let (row, hasRead) = try await transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> (SendbirdChannelRow, Bool) in
        let (row, found) = try await self.member(user, of: url, in: &transaction)
        var member = found
        change(&member, row)
        put(member, of: url, in: &transaction)
        return (row, member.readCount == row.messageCount)
      }
      if hasRead { await memberships.read(url, by: user) }
      return try await outline(row)
    }
  }

  /// Returns the group channel and the user's joined membership.
  private func member(
    _ user: UserID, of url: Name, in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> (SendbirdChannelRow, SendbirdMemberRow) {
    let key = Self.members.key(url.text, user.rawValue)
    let found = try await transaction.read([Self.channels.key(url.text), key])
    let row = try Self.row(try transaction.value(found[0], as: SendbirdChannelRow.self), .group)
    guard let member = try transaction.value(found[1], as: SendbirdMemberRow.self), member.member.state == .joined
    else { throw .failure(.notAMember) }
    return (row, member)
  }

  /// Returns the numbers of the user's unread messages and of channels with such.
  func unread(_ user: UserID, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdUnread {
    try await unread([user], at: now)[user] ?? SendbirdUnread()
  }

  /// Returns these numbers for several users; a user who is missing has read everything.
  func unread(
    _ users: Set<UserID>, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> [UserID: SendbirdUnread] {
    if let unread = await memberships.unreadBeyondDoubt(users) { return unread }
    try await settle(at: now)
    return await memberships.unread(users)
  }

  /// Returns these numbers in a channel's turn, in which its members are loaded.
  func unreadInTurn(_ users: Set<UserID>) async -> [UserID: SendbirdUnread] {
    await memberships.unread(users)
  }
}

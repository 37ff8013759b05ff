internal import GatewayCore
internal import GatewayKit

// A member's own settings for a group channel.

extension SendbirdChannels {
  /// Changes a member's settings for a channel; returns the channel.
  func set(
    _ url: Name, of user: UserID, at now: WallTime, telling: (SendbirdChannel) async -> Void = { _ in },
    _ change: (inout SendbirdMemberSettings) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await changeMembers([user], of: url, at: now, telling: telling) { member, _ in
      var settings = member.member.settings
      change(&settings)
      member.member.settings = settings
    }
  }

  /// Hides a channel from the named members or from all: until the next message if it `endsByItself`, and with its
  /// history if it `forgets`.
  func hide(
    _ url: Name, from users: Set<UserID>?, endsByItself: Bool, forgets: Bool, at now: WallTime,
    telling: (SendbirdChannel) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await changeMembers(users, of: url, at: now, telling: telling) { member, row in
      member.member.settings.hiding = SendbirdMemberSettings.Hiding(
        endsByItself: endsByItself, messageCount: row.messageCount)
      if forgets { member.forget(row, at: now) }
    }
  }

  func unhide(
    _ url: Name, from users: Set<UserID>?, at now: WallTime, telling: (SendbirdChannel) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await changeMembers(users, of: url, at: now, telling: telling) { member, _ in
      member.member.settings.hiding = nil
    }
  }

  /// Hides the channel's history until now from the named members or from all.
  func resetHistory(
    _ url: Name, of users: Set<UserID>?, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await changeMembers(users, of: url, at: now, telling: { _ in }) { member, row in member.forget(row, at: now) }
  }

  private func changeMembers(
    _ users: Set<UserID>?, of url: Name, at now: WallTime, telling: (SendbirdChannel) async -> Void,
    _ change: (inout SendbirdMemberRow, SendbirdChannelRow) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdChannel in
      let known = await memberships.roster(of: url)?.unread.keys.sorted() ?? []
      let named = users.map { $0.sorted() } ?? known
      try await transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) in
        let row = try await row(url, .group, in: &transaction)
        for entry in try await transaction.read(named.map { Self.members.key(url.text, $0.rawValue) }) {
          guard var member = try transaction.value(entry, as: SendbirdMemberRow.self) else {
            throw .failure(.notAMember)
          }
          change(&member, row)
          put(member, of: url, in: &transaction)
        }
      }
      return try await seated(url, at: now)
    }
  }
}

extension SendbirdMemberRow {
  /// Hides the history until now from the member.
  fileprivate mutating func forget(_ row: SendbirdChannelRow, at now: WallTime) {
    member.settings.historyFrom = now
    readCount = row.messageCount
  }
}

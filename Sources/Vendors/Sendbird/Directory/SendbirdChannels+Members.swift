internal import GatewayCore
internal import GatewayKit

// Membership of group channels.

extension SendbirdChannels {
  /// Adds `users` as members. Existing members stay as they are; `changed` are the others.
  func invite(
    _ users: [SendbirdMember], to url: Name, at now: WallTime,
    telling: (SendbirdMembership) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdMembership in
      let changed = try await transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> [UserID] in
        var row = try await row(url, .group, in: &transaction)
        let known = try await transaction.read(users.map { Self.members.key(url.text, $0.user.rawValue) })
        let banned = try await transaction.read(users.map { Self.bans.key(url.text, $0.user.rawValue) })
        var seen: Set<UserID> = []
        let new = users.indices.filter {
          seen.insert(users[$0].user).inserted && known[$0] == nil && banned[$0] == nil
        }.map { users[$0] }
        guard !new.isEmpty else { return [] }
        endDistinction(of: row, in: &transaction)
        row.distinctKey = nil
        for member in new { add(member, to: &row, in: &transaction) }
        put(row, in: &transaction)
        return new.map(\.user)
      }
      return SendbirdMembership(channel: try await seated(url, at: now), changed: changed)
    }
  }

  /// Makes `user` a joined member, whether invited before or not. `changed` is empty for a joined member.
  func join(
    _ url: Name, user: UserID, at now: WallTime, telling: (SendbirdMembership) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdMembership in
      let isNew = try await transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> Bool in
        var row = try await row(url, .group, in: &transaction)
        let found = try await transaction.read([
          Self.members.key(url.text, user.rawValue), Self.bans.key(url.text, user.rawValue),
        ])
        guard found[1] == nil else { throw .failure(.banned) }
        if var known = try transaction.value(found[0], as: SendbirdMemberRow.self) {
          guard known.member.state == .invited else { return false }
          known.member.state = .joined
          known.member.joinedAt = now
          known.readCount = row.messageCount
          put(known, of: url, in: &transaction)
        } else {
          endDistinction(of: row, in: &transaction)
          row.distinctKey = nil
          add(SendbirdMember(user, .joined, at: now), to: &row, in: &transaction)
          put(row, in: &transaction)
        }
        return true
      }
      return SendbirdMembership(channel: try await seated(url, at: now), changed: isNew ? [user] : [])
    }
  }

  /// Removes the users; `changed` are the former members. Operators stay operators.
  func leave(
    _ url: Name, users: Set<UserID>, at now: WallTime, telling: (SendbirdMembership) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdMembership in
      let changed = try await transactDeparting(from: url, at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> ([UserID], [UserID]) in
        let row = try await row(url, .group, in: &transaction)
        let leaving = try await remove(users, from: row, in: &transaction)
        return (leaving, leaving)
      }
      return SendbirdMembership(channel: try await seated(url, at: now), changed: changed)
    }
  }

  /// Removes the user from every group channel; calls `telling` for each.
  func leaveAll(
    _ user: UserID, of types: Set<Name>? = nil, at now: WallTime,
    telling: (SendbirdMembership) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) {
    var query = SendbirdChannelQuery(.group)
    query.member = user
    query.customTypes = types
    query.limit = .max / 2
    for url in try await urls(query, at: now).sorted() {
      do throws(SendbirdChannelRefusal) {
        _ = try await leave(url, users: [user], at: now, telling: telling)
      } catch .channelNotFound {
        // A channel that has been deleted by now counts as left.
      }
    }
  }
}

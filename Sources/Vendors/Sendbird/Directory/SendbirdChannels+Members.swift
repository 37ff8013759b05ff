package import GatewayCore
internal import GatewayKit

// Who is in group channels, and who may not.

extension SendbirdChannels {
  /// Puts `users` among the members. Who is one already stays as they are; `changed` are the others.
  package func invite(
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

  /// Makes a joined member of `user`, invited before or not. `changed` is empty for one who is.
  package func join(
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

  /// Takes the users out; `changed` are those who were in. Operators stay operators.
  package func leave(
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

  /// Takes the user out of every group channel; `telling` is called for each that they were in.
  package func leaveAll(
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
        // One that was deleted meanwhile is left as well.
      }
    }
  }

  /// Lets a member of a group channel, or anybody in an open one, send again or no longer.
  package func setMuted(
    _ isMuted: Bool, _ user: UserID, in url: Name, at now: WallTime,
    telling: (SendbirdChannel) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdChannel in
      try await transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) in
        let row = try await row(url, in: &transaction)
        guard row.kind == .group else {
          return try await bar(
            isMuted, "sendbird.muted", Self.mutes.key(url.text, user.rawValue), url, at: now, in: &transaction)
        }
        let key = Self.members.key(url.text, user.rawValue)
        guard var known = try await transaction.get(key, as: SendbirdMemberRow.self) else {
          throw .failure(.notAMember)
        }
        known.member.isMuted = isMuted
        put(known, of: url, in: &transaction)
      }
      return try await seated(url, at: now)
    }
  }

  /// Keeps a user out, or lets them in again. Who is kept out is a member no more.
  package func setBanned(
    _ isBanned: Bool, _ user: UserID, in url: Name, at now: WallTime,
    telling: (SendbirdMembership) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdMembership in
      let leaving = try await transactDeparting(from: url, at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> ([UserID], [UserID]) in
        let row = try await row(url, in: &transaction)
        let key = Self.bans.key(url.text, user.rawValue)
        try await bar(isBanned, "sendbird.banned", key, url, at: now, in: &transaction)
        guard isBanned, row.kind == .group else { return ([], []) }
        let leaving = try await remove([user], from: row, in: &transaction)
        return (leaving, leaving)
      }
      let gone = isBanned ? await halls.clear(url, of: user) : []
      return SendbirdMembership(
        channel: try await seated(url, at: now), changed: leaving + gone.map(\.user),
        connections: gone.flatMap(\.connections))
    }
  }

  /// Lets `user` be blocked by `by`, or no longer.
  package func setBlocked(
    _ isBlocked: Bool, _ user: UserID, by: UserID, at now: WallTime
  ) async throws(SendbirdChannelRefusal) {
    try await transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) in
      let key = Self.blocks.key(by.rawValue, user.rawValue)
      let count = StoreCount("sendbird.blocks", atMost: limits.bans, of: "blocked users")
      if !isBlocked { return transaction.delete(key) }
      transaction.put(key, SendbirdBarRow(since: now), in: [count])
    }
  }

  /// Writes that a user is kept out, or silent, or takes it back.
  private func bar(
    _ isBarred: Bool, _ name: String, _ key: StoreKey, _ url: Name, at now: WallTime,
    in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) {
    let known = try await transaction.get(key, as: SendbirdBarRow.self)
    guard isBarred else { return transaction.delete(key) }
    let counts = [
      StoreCount(name, url.text, atMost: limits.bans, of: "users kept out"),
      StoreCount("sendbird.bars", atMost: limits.bansOfAll, of: "users kept out"),
    ]
    if known == nil { transaction.put(key, SendbirdBarRow(since: now), in: counts) }
  }
}

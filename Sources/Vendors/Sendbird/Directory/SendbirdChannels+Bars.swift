internal import GatewayCore
internal import GatewayKit

// Bans, mutes and blocks.

extension SendbirdChannels {
  /// Mutes a member of a group channel, or any user in an open one, until a time or for ever; or unmutes them.
  func setMuted(
    _ isMuted: Bool, _ user: UserID, in url: Name, until: WallTime? = nil, because description: String? = nil,
    at now: WallTime, telling: (SendbirdChannel) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    let bar = isMuted ? SendbirdBar(user, since: now, until: until, description: description) : nil
    return try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdChannel in
      try await transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) in
        let row = try await row(url, in: &transaction)
        guard row.kind == .group else {
          return put(bar, "sendbird.muted", Self.mutes.key(url.text, user.rawValue), url, in: &transaction)
        }
        let key = Self.members.key(url.text, user.rawValue)
        guard var known = try await transaction.get(key, as: SendbirdMemberRow.self) else {
          throw .failure(.notAMember)
        }
        known.member.mute(bar)
        put(known, of: url, in: &transaction)
      }
      return try await seated(url, at: now)
    }
  }

  /// Bans a user until a time or for ever, or lifts the ban. A banned user is no longer a member.
  func setBanned(
    _ isBanned: Bool, _ user: UserID, in url: Name, until: WallTime? = nil, because description: String? = nil,
    at now: WallTime, telling: (SendbirdMembership) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership {
    let bar = isBanned ? SendbirdBar(user, since: now, until: until, description: description) : nil
    return try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdMembership in
      let leaving = try await transactDeparting(from: url, at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> ([UserID], [UserID]) in
        let row = try await row(url, in: &transaction)
        put(bar, "sendbird.banned", Self.bans.key(url.text, user.rawValue), url, in: &transaction)
        guard isBanned, row.kind == .group else { return ([], []) }
        let leaving = try await remove([user], from: row, in: &transaction)
        return (leaving, leaving)
      }
      let gone = isBanned ? try await clear(url, of: user, at: now) : []
      return SendbirdMembership(
        channel: try await seated(url, at: now), changed: leaving + gone.map(\.user),
        connections: gone.flatMap(\.connections))
    }
  }

  /// Blocks `user` for `by`, or unblocks them.
  func setBlocked(
    _ isBlocked: Bool, _ user: UserID, by: UserID, at now: WallTime
  ) async throws(SendbirdChannelRefusal) {
    try await transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) in
      let key = Self.blocks.key(by.rawValue, user.rawValue)
      let count = StoreCount("sendbird.blocks", atMost: limits.bans, of: "blocked users")
      if !isBlocked { return transaction.delete(key) }
      transaction.put(key, SendbirdBar(user, since: now), in: [count])
    }
  }

  /// Writes or removes a ban or mute.
  private func put(
    _ bar: SendbirdBar?, _ name: String, _ key: StoreKey, _ url: Name, in transaction: inout Transaction
  ) {
    guard let bar else { return transaction.delete(key) }
    let counts = [
      StoreCount(name, url.text, atMost: limits.bans, of: "users kept out"),
      StoreCount("sendbird.bars", atMost: limits.bansOfAll, of: "users kept out"),
    ]
    transaction.put(key, bar, expires: bar.until, in: counts)
  }

  // MARK: Reading

  /// Returns the muted users of the channel.
  func muted(
    in channel: SendbirdChannel, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> [SendbirdBar] {
    guard channel.kind == .group else { return try await barred(Self.mutes.range(channel.url.text), at: now) }
    return channel.members.compactMap { $0.mute(at: now) }
  }

  /// Returns the banned users of the channel.
  func banned(from url: Name, at now: WallTime) async throws(SendbirdChannelRefusal) -> [SendbirdBar] {
    try await barred(Self.bans.range(url.text), at: now)
  }

  /// Returns the users that the user blocks.
  func blocked(by user: UserID, at now: WallTime) async throws(SendbirdChannelRefusal) -> [SendbirdBar] {
    try await barred(Self.blocks.range(user.rawValue), at: now)
  }

  /// Returns the user's ban from the channel; nil if there is none.
  func ban(
    of user: UserID, in url: Name, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdBar? {
    try await ask { () async throws(StoreError) in
      try await store.get(Self.bans.key(url.text, user.rawValue), as: SendbirdBar.self, at: now)
    }
  }

  /// Returns the user's mute in the channel; nil if there is none.
  func mute(
    of user: UserID, in channel: SendbirdChannel, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdBar? {
    guard channel.kind == .open else { return try await member(user, of: channel.url, at: now)?.mute(at: now) }
    return try await ask { () async throws(StoreError) in
      try await store.get(Self.mutes.key(channel.url.text, user.rawValue), as: SendbirdBar.self, at: now)
    }
  }

  private func barred(_ range: StoreRange, at now: WallTime) async throws(SendbirdChannelRefusal) -> [SendbirdBar] {
    try await ask { () async throws(StoreError) in
      try await store.scan(range, limit: limits.bansOfAll, at: now).map {
        (entry) throws(StoreError) in try entry.value(as: SendbirdBar.self)
      }
    }
  }
}

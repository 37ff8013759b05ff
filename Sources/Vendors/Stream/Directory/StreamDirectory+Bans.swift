internal import GatewayCore
internal import GatewayKit

extension StreamDirectory {
  private static let bans = StoreTable<StreamBan>("stream.ban")
  private static let bansMax = 100_000

  /// Bans the user from calls for the duration of the ban, replacing any earlier ban.
  ///
  /// - Throws: `GatewayError.userUnknown`, and `GatewayError.tooMany` if there is no room for another ban.
  func ban(_ id: UserID, _ ban: StreamBan, at now: WallTime) async throws(GatewayError) -> StreamUser {
    // The mark has no effect without the ban, so the ban is stored first.
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      guard try await transaction.get(Self.users.key(id.rawValue), as: StreamUser.self) != nil else {
        throw .userUnknown
      }
      let count = StoreCount("stream.bans", atMost: Self.bansMax, of: "bans")
      transaction.put(Self.bans.key(id.rawValue), ban, expires: ban.expires, in: [count])
    }
    return try await updateUser(id, creates: false, at: now) { user, _ in user.isBanned = true }
  }

  /// Removes a ban, if there is one. Throws `GatewayError.userUnknown`.
  func unban(_ id: UserID, at now: WallTime) async throws(GatewayError) -> StreamUser {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      transaction.delete(Self.bans.key(id.rawValue))
    }
    return try await updateUser(id, creates: false, at: now) { user, _ in user.isBanned = false }
  }

  /// Returns the users, without the marks of bans that have expired.
  func withoutPastBans(_ users: [StreamUser], at now: WallTime) async throws(GatewayError) -> [StreamUser] {
    let banned = users.filter(\.isBanned).map(\.id)
    guard !banned.isEmpty else { return users }
    let found = try await GatewayError.asking { () async throws(StoreError) in
      try await store.read(banned.map { Self.bans.key($0.rawValue) }, at: now)
    }
    let past = Set(zip(banned, found).filter { $0.1 == nil }.map(\.0))
    return users.map { user in
      var user = user
      if past.contains(user.id) { user.isBanned = false }
      return user
    }
  }
}

/// A ban that keeps a user out of calls.
struct StreamBan: Hashable, StoreValue {
  /// The user who made the ban; nil for the application.
  let by: UserID?
  let reason: String?
  let createdAt: WallTime
  /// Nil for a ban without an end.
  let expires: WallTime?
}

package import GatewayCore
package import GatewayKit

/// The friends that users have picked: each a list of their own, `bob` on `ann`'s, say, while she is on nobody's.
///
/// Each operation is atomic; one friend more than ``perUserMax`` and a full table throw `GatewayError.tooMany`, a store that
/// is away `GatewayError.storeUnavailable`.
package struct SendbirdFriends: Sendable {
  /// The most of one user, and of how many who are friends no more one is told.
  package static let perUserMax = 1_000

  private static let table = StoreTable<SendbirdFriendsRow>("sendbird.friends")

  private let store: any Store
  private let max: Int

  /// What `store` remembers, with room for `max` friends of all users, those who are none any more among them.
  package init(_ store: any Store, max: Int = 200_000) {
    self.store = store
    self.max = max
  }

  /// In the order in which they were picked.
  package func friends(of user: UserID, at now: WallTime) async throws(GatewayError) -> [UserID] {
    try await changes(of: user, after: 0, at: now).added
  }

  /// What has come of the list since the change of that number: whoever is a friend since, and who is one no more.
  package func changes(
    of user: UserID, after number: Int64, at now: WallTime
  ) async throws(GatewayError) -> (added: [UserID], removed: [UserID], last: Int64) {
    let row = try await GatewayError.asking { () async throws(StoreError) in
      try await store.get(Self.table.key(user.rawValue), as: SendbirdFriendsRow.self, at: now)
    }
    let later = row?.changes.filter { $0.number > number } ?? []
    return (later.filter(\.isFriend).map(\.user), later.filter { !$0.isFriend }.map(\.user), row?.last ?? 0)
  }

  /// Adds those who are not on the list yet.
  package func add(_ friends: [UserID], to user: UserID, at now: WallTime) async throws(GatewayError) {
    try await change(user, at: now) { (row) throws(GatewayError) in
      for friend in friends where !row.changes.contains(where: { $0.isFriend && $0.user == friend }) {
        row.note(friend, isFriend: true)
      }
      guard row.changes.count(where: \.isFriend) <= Self.perUserMax else {
        throw .tooMany.detailed("\(Self.perUserMax) friends of a user")
      }
    }
  }

  /// Takes those off the list who are on it.
  package func remove(_ friends: Set<UserID>, from user: UserID, at now: WallTime) async throws(GatewayError) {
    try await change(user, at: now) { row in
      for friend in friends where row.changes.contains(where: { $0.isFriend && $0.user == friend }) {
        row.note(friend, isFriend: false)
      }
      while row.changes.count(where: { !$0.isFriend }) > Self.perUserMax,
        let oldest = row.changes.firstIndex(where: { !$0.isFriend })
      {
        row.changes.remove(at: oldest)
      }
    }
  }

  /// Forgets the user's list.
  package func forget(_ user: UserID, at now: WallTime) async throws(GatewayError) {
    try await change(user, at: now) { $0 = SendbirdFriendsRow() }
  }

  private func change(
    _ user: UserID, at now: WallTime, _ body: (inout SendbirdFriendsRow) throws(GatewayError) -> Void
  ) async throws(GatewayError) {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) in
      let key = Self.table.key(user.rawValue)
      let before = try await transaction.get(key, as: SendbirdFriendsRow.self) ?? SendbirdFriendsRow()
      var row = before
      try body(&row)
      guard row != before else { return }
      if row.changes.isEmpty {
        transaction.delete(key)
      } else {
        let count = StoreCount("sendbird.friends", atMost: max, of: "friends", weight: row.changes.count)
        transaction.put(key, row, in: [count])
      }
    }
  }
}

/// What became of a user's list of friends.
struct SendbirdFriendsRow: Hashable, StoreValue {
  struct Change: Hashable, Codable, Sendable {
    let user: UserID
    /// Rising with each change of the list.
    let number: Int64
    let isFriend: Bool
  }

  /// The last of each friend, and of who was one, oldest first.
  var changes: [Change] = []
  /// The number of the last change.
  var last: Int64 = 0

  mutating func note(_ user: UserID, isFriend: Bool) {
    last += 1
    changes.removeAll { $0.user == user }
    changes.append(Change(user: user, number: last, isFriend: isFriend))
  }
}

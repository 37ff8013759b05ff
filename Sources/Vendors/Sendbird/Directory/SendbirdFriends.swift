internal import GatewayCore
internal import GatewayKit

/// The friend lists of users. Each list belongs to one user: a friend need not have that user on their own list.
///
/// Each operation is atomic; a friend above ``perUserMax`` and a full table throw `GatewayError.tooMany`, an
/// unavailable store `GatewayError.storeUnavailable`.
struct SendbirdFriends: Sendable {
  /// The maximum number of friends of one user, and of remembered former friends.
  static let perUserMax = 1_000

  private static let lists = StoreTable<SendbirdFriendList>("sendbird.friend-lists")
  private static let rows = StoreTable<SendbirdFriend>("sendbird.friends")

  private let store: any Store
  private let max: Int

  /// Creates a directory in `store`, with room for `max` friends of all users, including former friends.
  init(_ store: any Store, max: Int = 200_000) {
    self.store = store
    self.max = max
  }

  /// Returns the friends in the order in which they were added.
  func friends(of user: UserID, at now: WallTime) async throws(GatewayError) -> [UserID] {
    try await changes(of: user, after: 0, at: now).added
  }

  /// Returns the changes of the list since the change with that number: new friends and former ones.
  func changes(
    of user: UserID, after number: Int64, at now: WallTime
  ) async throws(GatewayError) -> (added: [UserID], removed: [UserID], last: Int64) {
    try await GatewayError.asking { () async throws(StoreError) in
      // The number is read first, so that a concurrent change is returned twice rather than never.
      let list = try await store.get(Self.lists.key(user.rawValue), as: SendbirdFriendList.self, at: now)
      let later = try await known(of: user, at: now).filter { $0.number > number }
      return (later.filter(\.isFriend).map(\.user), later.filter { !$0.isFriend }.map(\.user), list?.last ?? 0)
    }
  }

  /// Adds the users who are not on the list yet.
  func add(_ friends: [UserID], to user: UserID, at now: WallTime) async throws(GatewayError) {
    try await change(friends, of: user, to: true, at: now)
  }

  /// Removes the users who are on the list.
  func remove(_ friends: Set<UserID>, from user: UserID, at now: WallTime) async throws(GatewayError) {
    try await change(friends.sorted(), of: user, to: false, at: now)
  }

  /// Deletes the user's list.
  func forget(_ user: UserID, at now: WallTime) async throws(GatewayError) {
    try await transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      let key = Self.lists.key(user.rawValue)
      guard try await transaction.get(key, as: SendbirdFriendList.self) != nil else { return }
      transaction.delete(key)
      for friend in try await asking(user, at: now) { transaction.delete(Self.key(friend.user, of: user)) }
    }
  }

  // MARK: Rows

  private typealias Transaction = StoreTransaction<GatewayError>

  private static func key(_ friend: UserID, of user: UserID) -> StoreKey { rows.key(user.rawValue, friend.rawValue) }

  private func change(
    _ friends: [UserID], of user: UserID, to isFriend: Bool, at now: WallTime
  ) async throws(GatewayError) {
    try await transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      let key = Self.lists.key(user.rawValue)
      var list = try await transaction.get(key, as: SendbirdFriendList.self) ?? SendbirdFriendList()
      let entries = try await transaction.read(friends.map { Self.key($0, of: user) })
      var changed: Set<UserID> = []
      for (friend, entry) in zip(friends, entries) where !changed.contains(friend) {
        let before = try transaction.value(entry, as: SendbirdFriend.self)?.isFriend ?? false
        guard before != isFriend else { continue }
        changed.insert(friend)
        list.last += 1
        put(SendbirdFriend(user: friend, number: list.last, isFriend: isFriend), of: user, in: &transaction)
      }
      guard !changed.isEmpty else { return }
      transaction.put(key, list)
      guard !isFriend else { return }
      // The oldest former friends are forgotten.
      let gone = try await asking(user, at: now).filter { !$0.isFriend && !changed.contains($0.user) }
      for friend in gone.prefix(Swift.max(0, gone.count + changed.count - Self.perUserMax)) {
        transaction.delete(Self.key(friend.user, of: user))
      }
    }
  }

  private func put(_ friend: SendbirdFriend, of user: UserID, in transaction: inout Transaction) {
    let all = StoreCount("sendbird.friends", atMost: max, of: "friends")
    let own = StoreCount("sendbird.friends-of", user.rawValue, atMost: Self.perUserMax, of: "friends of a user")
    transaction.put(Self.key(friend.user, of: user), friend, in: friend.isFriend ? [all, own] : [all])
  }

  /// Returns all friends and former friends, in the order of their changes.
  private func known(of user: UserID, at now: WallTime) async throws(StoreError) -> [SendbirdFriend] {
    let entries = try await store.scan(Self.rows.range(user.rawValue), limit: 2 * Self.perUserMax, at: now)
    var friends: [SendbirdFriend] = []
    for entry in entries { friends.append(try entry.value(as: SendbirdFriend.self)) }
    return friends.sorted { $0.number < $1.number }
  }

  private func asking(_ user: UserID, at now: WallTime) async throws(GatewayError) -> [SendbirdFriend] {
    try await GatewayError.asking { () async throws(StoreError) in try await known(of: user, at: now) }
  }

  private func transact(
    at now: WallTime, _ body: (inout Transaction) async throws(GatewayError) -> Void
  ) async throws(GatewayError) {
    try await store.transact(at: now, body)
  }
}

/// The row of one user's list, which every change of the list writes.
struct SendbirdFriendList: Hashable, StoreValue {
  /// The number of the last change.
  var last: Int64 = 0
}

/// A friend or former friend on a user's list.
struct SendbirdFriend: Hashable, StoreValue {
  let user: UserID
  /// The number of the change, increasing within the list.
  let number: Int64
  let isFriend: Bool
}

package import GatewayCore
package import GatewayKit

/// A user whom a server speaks for: what is set of it beside what is the user's own, that it hears only mentions for
/// instance.
package struct SendbirdBot: Hashable, StoreValue {
  package let user: UserID
  /// Where a server wants to hear what is said to it; nothing is ever sent there.
  package var callbackURL: String
  /// The server's own word for what it is.
  package var type: String
  /// Whether it wants to hear only what is meant for it.
  package var isPrivate: Bool
  package var marksAsRead: Bool
  package var showsMember: Bool
  /// 0 to join at once where it is invited, 1 to be asked.
  package var invitationPreference: Int64
  /// By which its server would know that what it hears comes from here.
  package var token: Credentials { heldToken.credentials }
  private let heldToken: SendbirdAccessToken
  package let createdAt: WallTime

  package init(
    _ user: UserID, callbackURL: String, type: String, isPrivate: Bool, token: Credentials, createdAt: WallTime
  ) {
    self.user = user
    self.callbackURL = callbackURL
    self.type = type
    self.isPrivate = isPrivate
    marksAsRead = true
    showsMember = false
    invitationPreference = 0
    heldToken = SendbirdAccessToken(token)
    self.createdAt = createdAt
  }
}

/// The bots of a Sendbird application; the directory has them as users too.
///
/// Each operation is atomic; a full table throws `GatewayError.tooMany`, a store that is away
/// `GatewayError.storeUnavailable`.
package struct SendbirdBots: Sendable {
  private static let table = StoreTable<SendbirdBot>("sendbird.bot")
  /// The most there are.
  package static let countMax = 1_000

  private let store: any Store

  package init(_ store: any Store) {
    self.store = store
  }

  package func bot(_ user: UserID, at now: WallTime) async throws(GatewayError) -> SendbirdBot? {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.get(Self.table.key(user.rawValue), as: SendbirdBot.self, at: now)
    }
  }

  /// All of them, in the order of their names.
  package func all(at now: WallTime) async throws(GatewayError) -> [SendbirdBot] {
    try await GatewayError.asking { () async throws(StoreError) in
      var bots: [SendbirdBot] = []
      for entry in try await store.scan(Self.table.range(), limit: Self.countMax, at: now) {
        bots.append(try entry.value(as: SendbirdBot.self))
      }
      return bots
    }
  }

  /// Keeps a new one.
  package func add(_ bot: SendbirdBot, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout StoreTransaction<GatewayError>) throws(GatewayError) in
      put(bot, in: &transaction)
    }
  }

  /// Changes one, and loses nothing of what others change at once; nil if it is not there.
  package func change(
    _ user: UserID, at now: WallTime, _ change: (inout SendbirdBot) -> Void
  ) async throws(GatewayError) -> SendbirdBot? {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> SendbirdBot? in
      guard var known = try await transaction.get(Self.table.key(user.rawValue), as: SendbirdBot.self) else {
        return nil
      }
      change(&known)
      put(known, in: &transaction)
      return known
    }
  }

  private func put(_ bot: SendbirdBot, in transaction: inout StoreTransaction<GatewayError>) {
    let count = StoreCount("sendbird.bots", atMost: Self.countMax, of: "bots")
    transaction.put(Self.table.key(bot.user.rawValue), bot, in: [count])
  }

  package func remove(_ user: UserID, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout StoreTransaction<GatewayError>) throws(GatewayError) in
      transaction.delete(Self.table.key(user.rawValue))
    }
  }
}

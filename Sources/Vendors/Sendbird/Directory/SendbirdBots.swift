internal import GatewayCore
internal import GatewayKit

/// A bot: a user that a server controls.
struct SendbirdBot: Hashable, StoreValue {
  let user: UserID
  /// The URL that would receive messages to the bot; nothing is ever sent there.
  var callbackURL: String
  /// The server's own type of the bot.
  var type: String
  /// Whether it only receives messages that are addressed to it.
  var isPrivate: Bool
  var marksAsRead: Bool
  var showsMember: Bool
  /// 0 to join at once when invited, 1 to be asked.
  var invitationPreference: Int64
  /// The token by which its server would recognise the gateway.
  var token: Credentials { heldToken.credentials }
  private let heldToken: SendbirdAccessToken
  let createdAt: WallTime

  init(
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

/// The bots of a Sendbird application. The user directory has them as users too.
///
/// Each operation is atomic; a full table throws `GatewayError.tooMany`, an unavailable store
/// `GatewayError.storeUnavailable`.
struct SendbirdBots: Sendable {
  private static let table = StoreTable<SendbirdBot>("sendbird.bot")
  /// The maximum number of bots.
  static let countMax = 1_000

  private let store: any Store

  init(_ store: any Store) {
    self.store = store
  }

  func bot(_ user: UserID, at now: WallTime) async throws(GatewayError) -> SendbirdBot? {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.get(Self.table.key(user.rawValue), as: SendbirdBot.self, at: now)
    }
  }

  /// Returns all bots, sorted by name.
  func all(at now: WallTime) async throws(GatewayError) -> [SendbirdBot] {
    try await GatewayError.asking { () async throws(StoreError) in
      var bots: [SendbirdBot] = []
      for entry in try await store.scan(Self.table.range(), limit: Self.countMax, at: now) {
        bots.append(try entry.value(as: SendbirdBot.self))
      }
      return bots
    }
  }

  /// Stores a new bot.
  func add(_ bot: SendbirdBot, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout StoreTransaction<GatewayError>) throws(GatewayError) in
      put(bot, in: &transaction)
    }
  }

  /// Changes a bot without losing concurrent changes; returns nil if there is none.
  func change(
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

  func remove(_ user: UserID, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout StoreTransaction<GatewayError>) throws(GatewayError) in
      transaction.delete(Self.table.key(user.rawValue))
    }
  }
}

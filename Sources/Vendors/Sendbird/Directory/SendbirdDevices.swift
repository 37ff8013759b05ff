internal import GatewayCore
internal import GatewayKit

/// The push tokens of users' devices. Nothing is ever pushed; the tokens can be listed.
///
/// Each operation is atomic. Above ``perUserMax`` tokens of a user, or owners of a token, the oldest are removed. A
/// full table throws `GatewayError.tooMany`, an unavailable store `GatewayError.storeUnavailable`.
struct SendbirdDevices: Sendable {
  /// The push service.
  enum Service: String, Hashable, Codable, Sendable, CaseIterable {
    case gcm
    case apns
    case huawei
  }

  /// The documented limit.
  static let perUserMax = 20

  private typealias Transaction = StoreTransaction<GatewayError>

  private static let devices = StoreTable<SendbirdDevicesRow>("sendbird.devices")
  private static let owners = StoreTable<SendbirdDeviceOwnersRow>("sendbird.device-owners")

  private let store: any Store
  private let max: Int

  /// Creates a directory in `store`, with room for `max` tokens.
  init(_ store: any Store, max: Int = 200_000) {
    self.store = store
    self.max = max
  }

  // MARK: Reading

  /// Returns the user's tokens, oldest first.
  func tokens(
    of user: UserID, _ service: Service, at now: WallTime
  ) async throws(GatewayError) -> [String] {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.get(Self.key(user, service), as: SendbirdDevicesRow.self, at: now)?.tokens ?? []
    }
  }

  /// Returns the owners of the token.
  func owners(
    of token: String, _ service: Service, at now: WallTime
  ) async throws(GatewayError) -> [UserID] {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.get(Self.key(token, service), as: SendbirdDeviceOwnersRow.self, at: now)?.users ?? []
    }
  }

  // MARK: Changing

  /// Adds a token to the user; if it `isUnique` it is removed from all other users.
  func register(
    _ token: String, _ service: Service, of user: UserID, isUnique: Bool, at now: WallTime
  ) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      var known = try await row(user, service, in: &transaction)
      known.tokens.removeAll { Self.areEqual($0, token) }
      known.tokens.append(token)
      for old in known.tokens.dropLast(Self.perUserMax) {
        try await takeOwners([user], of: old, service, in: &transaction)
      }
      known.tokens = known.tokens.suffix(Self.perUserMax)
      put(known, of: user, service, in: &transaction)

      let key = Self.key(token, service)
      var users = try await transaction.get(key, as: SendbirdDeviceOwnersRow.self)?.users ?? []
      users.removeAll { $0 == user }
      let gone = isUnique ? users : users.dropLast(Self.perUserMax - 1)
      for other in gone {
        var row = try await row(other, service, in: &transaction)
        row.tokens.removeAll { Self.areEqual($0, token) }
        put(row, of: other, service, in: &transaction)
      }
      users.removeAll { gone.contains($0) }
      transaction.put(key, SendbirdDeviceOwnersRow(users: users + [user]))
    }
  }

  /// Removes a token from its owner; returns the removed tokens.
  func unregister(
    _ token: String, _ service: Service, of user: UserID, at now: WallTime
  ) async throws(GatewayError) -> [String] {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      try await remove(user, service, in: &transaction) { Self.areEqual($0, token) }
    }
  }

  /// Removes all tokens of the user; returns them.
  func unregisterAll(of user: UserID, at now: WallTime) async throws(GatewayError) -> [String] {
    try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> [String] in
      var gone: [String] = []
      for service in Service.allCases { gone += try await remove(user, service, in: &transaction) { _ in true } }
      return gone
    }
  }

  private func remove(
    _ user: UserID, _ service: Service, in transaction: inout Transaction, where isMeant: (String) -> Bool
  ) async throws(GatewayError) -> [String] {
    var known = try await row(user, service, in: &transaction)
    let gone = known.tokens.filter(isMeant)
    guard !gone.isEmpty else { return [] }
    known.tokens.removeAll(where: isMeant)
    put(known, of: user, service, in: &transaction)
    for token in gone { try await takeOwners([user], of: token, service, in: &transaction) }
    return gone
  }

  // MARK: Rows

  private static func key(_ user: UserID, _ service: Service) -> StoreKey {
    devices.key(user.rawValue, service.rawValue)
  }

  private static func key(_ token: String, _ service: Service) -> StoreKey {
    owners.key(service.rawValue, token)
  }

  private static func areEqual(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }

  private func row(
    _ user: UserID, _ service: Service, in transaction: inout Transaction
  ) async throws(GatewayError) -> SendbirdDevicesRow {
    try await transaction.get(Self.key(user, service), as: SendbirdDevicesRow.self) ?? SendbirdDevicesRow(tokens: [])
  }

  private func put(
    _ row: SendbirdDevicesRow, of user: UserID, _ service: Service, in transaction: inout Transaction
  ) {
    let key = Self.key(user, service)
    guard !row.tokens.isEmpty else { return transaction.delete(key) }
    let count = StoreCount("sendbird.device-tokens", atMost: max, of: "device tokens", weight: row.tokens.count)
    transaction.put(key, row, in: [count])
  }

  private func takeOwners(
    _ users: Set<UserID>, of token: String, _ service: Service, in transaction: inout Transaction
  ) async throws(GatewayError) {
    let key = Self.key(token, service)
    guard var row = try await transaction.get(key, as: SendbirdDeviceOwnersRow.self) else { return }
    row.users.removeAll { users.contains($0) }
    if row.users.isEmpty { transaction.delete(key) } else { transaction.put(key, row) }
  }
}

/// The tokens of a user's devices with one service, oldest first.
struct SendbirdDevicesRow: StoreValue {
  var tokens: [String]
}

/// The owners of a token, the newest last.
struct SendbirdDeviceOwnersRow: StoreValue {
  var users: [UserID]
}

internal import GatewayCore
internal import GatewayKit

/// The users of Stream Video and Chat, and the settings of their application.
///
/// Each operation is atomic, and its answer reflects every operation that its caller knew to be complete. A full table
/// throws `GatewayError.tooMany` and loses nothing; an unavailable store throws `GatewayError.storeUnavailable`.
struct StreamDirectory: Sendable {
  /// A change of a user, given the application's settings. If it throws, the user is unchanged. It may run more than
  /// once, each time on the current user.
  typealias Change = (inout StreamUser, StreamAppSettings) throws(GatewayError) -> Void

  static let users = StoreTable<StreamUser>("stream.user")
  private static let app = StoreTable<StreamAppChange>("stream.app").key()

  typealias Transaction = StoreTransaction<GatewayError>

  let store: any Store
  let usersMax: Int
  private let bytesMax: Int
  /// The settings that no server has changed.
  private let preset: StreamAppSettings
  /// The webhooks of the application; nil if none are sent.
  let webhooks: StreamWebhooks?

  /// Creates a directory in `store`, with room for `usersMax` users of `bytesMax` bytes in total.
  init(
    _ store: any Store, usersMax: Int = 1_000_000, bytesMax: Int = 256 << 20,
    settings: StreamAppSettings = StreamAppSettings(), webhooks: StreamWebhooks? = nil
  ) {
    self.store = store
    self.usersMax = usersMax
    self.bytesMax = bytesMax
    preset = settings
    self.webhooks = webhooks
  }

  // MARK: Users

  /// Returns the user, nil if there is none, and the application's settings.
  func lookUp(
    _ id: UserID, at now: WallTime
  ) async throws(GatewayError) -> (user: StreamUser?, settings: StreamAppSettings) {
    do throws(StoreError) {
      let found = try await store.read([Self.users.key(id.rawValue), Self.app], at: now)
      return (try found[0]?.value(as: StreamUser.self), settings(try found[1]?.value(as: StreamAppChange.self)))
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the users in `ids` that exist, in that order.
  func users(_ ids: [UserID], at now: WallTime) async throws(GatewayError) -> [StreamUser] {
    guard !ids.isEmpty else { return [] }
    do throws(StoreError) {
      var users: [StreamUser] = []
      for entry in try await store.read(ids.map { Self.users.key($0.rawValue) }, at: now) {
        if let entry { users.append(try entry.value(as: StreamUser.self)) }
      }
      return users
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns at most `limit` users that `isMeant` selects, in the order of their ids, without the first `offset`. All
  /// users are read in pages: one who is created or removed during that time may be included or not.
  func users(
    where isMeant: (StreamUser) -> Bool, offset: Int, limit: Int, at now: WallTime
  ) async throws(GatewayError) -> [StreamUser] {
    var meant: [StreamUser] = []
    guard offset + limit > 0 else { return [] }
    do throws(StoreError) {
      try await store.visit(Self.users.range(), at: now) { (page) throws(StoreError) in
        for entry in page {
          let user = try entry.value(as: StreamUser.self)
          if isMeant(user) { meant.append(user) }
        }
        return meant.count < offset + limit
      }
    } catch {
      throw GatewayError(error)
    }
    return Array(meant.dropFirst(offset).prefix(limit))
  }

  /// Returns the user after `change`. An unknown user is created first if `creates` is set, else
  /// `GatewayError.userUnknown` is thrown. `updatedAt` becomes `now` unless only the time of the last activity changed.
  func updateUser(
    _ id: UserID, creates: Bool, at now: WallTime, _ change: Change
  ) async throws(GatewayError) -> StreamUser {
    try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> StreamUser in
      let key = Self.users.key(id.rawValue)
      let found = try await transaction.read([key, Self.app])
      let before = try transaction.value(found[0], as: StreamUser.self)
      guard before != nil || creates else { throw .userUnknown.detailed("\(id)") }
      var user = before ?? StreamUser(id, createdAt: now)
      try change(&user, settings(try transaction.value(found[1], as: StreamAppChange.self)))
      if var before {
        guard before != user else { return user }
        before.lastActive = user.lastActive
        if before != user { user.updatedAt = now }
      }
      transaction.put(key, user, in: counts(of: user))
      if user.isGuest && before?.isGuest != true { look(at: id, from: now, in: &transaction) }
      return user
    }
  }

  /// Removes the user; does nothing if there is none.
  func removeUser(_ id: UserID, at now: WallTime) async throws(GatewayError) {
    do throws(StoreError) {
      _ = try await store.settle(StoreCommit(writes: [StoreCommit.Write(Self.users.key(id.rawValue), nil)]), at: now)
    } catch {
      throw GatewayError(error)
    }
  }

  private func counts(of user: StreamUser) -> [StoreCount] {
    // Anybody can create guests, so a quarter of the room is reserved for other users.
    let room = user.isGuest ? bytesMax / 4 * 3 : bytesMax
    return [
      StoreCount("stream.users", atMost: usersMax, of: "users"),
      StoreCount("stream.users.bytes", atMost: room, of: "bytes of all users", weight: user.footprint),
    ]
  }

  // MARK: Settings

  func settings(at now: WallTime) async throws(GatewayError) -> StreamAppSettings {
    do throws(StoreError) {
      return settings(try await store.get(Self.app, as: StreamAppChange.self, at: now))
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the settings after `change`.
  func updateSettings(
    _ change: StreamAppChange, at now: WallTime
  ) async throws(GatewayError) -> StreamAppSettings {
    try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> StreamAppSettings in
      var said = try await transaction.get(Self.app, as: StreamAppChange.self) ?? StreamAppChange()
      said.add(change)
      transaction.put(Self.app, said)
      return settings(said)
    }
  }

  private func settings(_ said: StreamAppChange?) -> StreamAppSettings {
    said?.applied(to: preset) ?? preset
  }
}

extension StreamUser {
  var isGuest: Bool { role == Name(UserKind.guest.rawValue) }
}

internal import GatewayCore
internal import GatewayKit

/// The users of a Sendbird application.
///
/// Each operation is atomic, and its answer reflects every operation that its caller knew to be complete. A full table
/// throws `GatewayError.tooMany` and loses nothing; an unavailable store throws `GatewayError.storeUnavailable`. A
/// user's ``SendbirdUser/number`` increases with each new user and is never reused.
struct SendbirdDirectory: Sendable {
  static let users = StoreTable<SendbirdUser>("sendbird.user")
  /// The users by number, newest first.
  static let places = StoreTable<SendbirdUserPlace>("sendbird.user-place")
  /// Users who were deleted and not created again.
  private static let deleted = StoreTable<SendbirdDeletedUser>("sendbird.deleted-user")

  private typealias Transaction = StoreTransaction<StoreOr<GatewayError>>

  let store: any Store
  /// The webhooks of the application; nil in tests without any.
  let webhooks: SendbirdWebhooks?
  private let numbers: SendbirdNumbers
  private let deletionNumbers: SendbirdNumbers
  private let deletions: SendbirdAges
  private let counts: (users: StoreCount, bytesMax: Int, deleted: StoreCount)

  /// Creates a directory in `store`, with room for `usersMax` users and for `bytesMax` bytes of their texts.
  init(
    _ store: any Store, on executor: any SerialExecutor, usersMax: Int = 100_000, bytesMax: Int = 64 << 20,
    webhooks: SendbirdWebhooks? = nil
  ) {
    self.store = store
    self.webhooks = webhooks
    numbers = SendbirdNumbers("user", in: store, on: executor)
    deletionNumbers = SendbirdNumbers("deleted-user", in: store, on: executor)
    deletions = SendbirdAges("sendbird.deleted-user-age", in: store)
    counts = (
      StoreCount("sendbird.users", atMost: usersMax, of: "users"), bytesMax,
      StoreCount("sendbird.deleted-users", atMost: 2 * usersMax, of: "deleted users")
    )
  }

  // MARK: Creating

  /// Stores a new user and returns it with its number. Throws `GatewayError.alreadyExists` if there is one with that
  /// id.
  func createUser(_ user: SendbirdUser, at now: WallTime) async throws(GatewayError) -> SendbirdUser {
    try await getOrCreate(user, at: now) { (_) throws(GatewayError) in
      throw .alreadyExists.detailed("a user of that id")
    }
  }

  /// Returns the user with that id, and creates it if there is none, as a connection does. A user with a token is
  /// marked as having been issued one.
  func getOrCreateUser(
    _ id: UserID, hasToken: Bool = false, at now: WallTime
  ) async throws(GatewayError) -> SendbirdUser {
    var user = SendbirdUser(id, createdAt: now)
    user.hasBeenIssuedToken = hasToken
    return try await getOrCreate(user, at: now) { known in
      var known = known
      known.hasBeenIssuedToken = known.hasBeenIssuedToken || hasToken
      return known
    }
  }

  /// Returns or creates the user; `known` decides what happens to an existing one.
  private func getOrCreate(
    _ wanted: SendbirdUser, at now: WallTime, known: (SendbirdUser) throws(GatewayError) -> SendbirdUser
  ) async throws(GatewayError) -> SendbirdUser {
    let keys = [Self.users.key(wanted.id.rawValue), Self.deleted.key(wanted.id.rawValue)]
    return try await transact(at: now) {
      (transaction: inout Transaction) async throws(StoreOr<GatewayError>) -> SendbirdUser in
      let found = try await transaction.read(keys)
      if let before = try transaction.value(found[0], as: SendbirdUser.self) {
        let after: SendbirdUser
        do throws(GatewayError) { after = try known(before) } catch { throw .failure(error) }
        if after != before { put(after, in: &transaction) }
        return after
      }
      var user = wanted
      do throws(StoreError) { user.number = try await numbers.take(at: now) } catch { throw .store(error) }
      if let deletion = try transaction.value(found[1], as: SendbirdDeletedUser.self) {
        user.sessionTokensValidFrom = max(user.createdAt, user.sessionTokensValidFrom ?? user.createdAt)
        transaction.delete(keys[1])
        for key in deletions.keys(deletion.number, at: deletion.at) { transaction.delete(key) }
      }
      put(user, in: &transaction)
      transaction.put(Self.placeKey(user.number), SendbirdUserPlace(number: user.number, id: user.id))
      return user
    }
  }

  private func put(_ user: SendbirdUser, in transaction: inout Transaction) {
    let bytes = StoreCount("sendbird.user-bytes", atMost: counts.bytesMax, of: "bytes of users", weight: user.bytes)
    transaction.put(Self.users.key(user.id.rawValue), user, in: [counts.users, bytes])
  }

  static func placeKey(_ number: Int64) -> StoreKey {
    places.key(SendbirdAges.textFromLast(number))
  }

  // MARK: Changing

  /// Changes a user in one step and returns it. `change` may run more than once, each time on a fresh copy; it cannot
  /// change the number. Throws `GatewayError.notFound` if there is no such user, `GatewayError.tooMany` if there is no
  /// room for the changed user.
  func updateUser(
    _ id: UserID, at now: WallTime, _ change: @Sendable (inout SendbirdUser) -> Void
  ) async throws(GatewayError) -> SendbirdUser {
    try await transact(at: now) {
      (transaction: inout Transaction) async throws(StoreOr<GatewayError>) -> SendbirdUser in
      guard let known = try await transaction.get(Self.users.key(id.rawValue), as: SendbirdUser.self) else {
        throw .failure(.notFound.detailed("there is no such user"))
      }
      var user = known
      change(&user)
      user.number = known.number
      // A different id would be a different user.
      guard user.id == id, user != known else { return known }
      put(user, in: &transaction)
      return user
    }
  }

  /// Deletes a user. Throws `GatewayError.notFound` if there is none. A user who is created later with that id inherits
  /// nothing: earlier session tokens are revoked.
  func deleteUser(_ id: UserID, at now: WallTime) async throws(GatewayError) {
    try await SendbirdAges.makingRoom(in: counts.deleted) { (givingWay) async throws(StoreOr<GatewayError>) in
      try await store.transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<GatewayError>) in
        let key = Self.users.key(id.rawValue)
        guard let user = try await transaction.get(key, as: SendbirdUser.self) else {
          throw .failure(.notFound.detailed("there is no such user"))
        }
        transaction.delete(key)
        transaction.delete(Self.placeKey(user.number))
        do throws(StoreError) {
          let number = try await deletionNumbers.take(at: now)
          for oldest in try await deletions.oldest(givingWay, at: now) {
            transaction.delete(deletions.key(of: oldest))
            for name in oldest.parts { transaction.delete(Self.deleted.key(name)) }
          }
          let row = SendbirdDeletedUser(number: number, at: now)
          transaction.put(Self.deleted.key(id.rawValue), row, in: [counts.deleted])
          transaction.put(
            deletions.key(number, at: now), SendbirdAgeRow(number: number, at: now, parts: [id.rawValue]))
        } catch {
          throw .store(error)
        }
      }
    }
  }

  /// Returns whether a user with that id was deleted and not created again. Bounded like the users: the oldest deletion
  /// is forgotten first.
  func wasDeleted(_ id: UserID, at now: WallTime) async throws(GatewayError) -> Bool {
    do throws(StoreError) {
      return try await store.get(Self.deleted.key(id.rawValue), as: SendbirdDeletedUser.self, at: now) != nil
    } catch {
      throw GatewayError(error)
    }
  }

  private func transact<Answer>(
    at now: WallTime, _ body: (inout Transaction) async throws(StoreOr<GatewayError>) -> Answer
  ) async throws(GatewayError) -> Answer {
    do throws(StoreOr<GatewayError>) { return try await store.transact(at: now, body) } catch { throw error.failure }
  }
}

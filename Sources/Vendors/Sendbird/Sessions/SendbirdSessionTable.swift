internal import GatewayCore
internal import GatewayKit

/// The sessions of an application, limited in total and for each user: the oldest are forgotten first. A forgotten
/// session is restored from its key.
///
/// Each operation is atomic, and its answer reflects every operation that its caller knew to be complete; an
/// unavailable store throws `GatewayError.storeUnavailable`.
struct SendbirdSessionTable: Sendable {
  /// Twice the default limit of a user's connections.
  static let sessionsPerUserMax = 60

  private static let sessions = StoreTable<SendbirdSessionRow>("sendbird.session")

  private typealias Transaction = StoreTransaction<StoreOr<GatewayError>>

  private let store: any Store
  private let numbers: SendbirdNumbers
  private let ages: SendbirdAges
  private let count: StoreCount

  /// Creates a table in `store`, with room for `countMax` sessions.
  init(_ store: any Store, on executor: any SerialExecutor, countMax: Int) {
    self.store = store
    numbers = SendbirdNumbers("session", in: store, on: executor)
    ages = SendbirdAges("sendbird.session-age", in: store)
    count = StoreCount("sendbird.sessions", atMost: max(1, countMax), of: "sessions")
  }

  // MARK: Reading

  /// Returns the user's session with that number; nil if it is not stored.
  func session(_ id: UInt64, of user: UserID, at now: WallTime) async throws(GatewayError) -> SendbirdSession? {
    do throws(StoreError) {
      return try await store.get(Self.key(id, user), as: SendbirdSessionRow.self, at: now)?.session
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the user's sessions, oldest first.
  func sessions(of user: UserID, at now: WallTime) async throws(GatewayError) -> [SendbirdNumberedSession] {
    do throws(StoreError) {
      return try await rows(of: user, at: now).map { SendbirdNumberedSession(id: $0.id, session: $0.session) }
    } catch {
      throw GatewayError(error)
    }
  }

  private func rows(of user: UserID, at now: WallTime) async throws(StoreError) -> [SendbirdSessionRow] {
    let found = try await store.scan(Self.sessions.range(user.rawValue), limit: .max, at: now)
    let rows = try found.map { (entry) throws(StoreError) in try entry.value(as: SendbirdSessionRow.self) }
    // Nodes number sessions in orders of their own.
    return rows.sorted { ($0.age, $0.number) < ($1.age, $1.number) }
  }

  private static func key(_ id: UInt64, _ user: UserID) -> StoreKey {
    sessions.key(user.rawValue, String(id))
  }

  // MARK: Opening

  /// Stores a session. Returns false if the user has another one with that number; the caller then draws another
  /// number.
  func open(_ session: SendbirdSession, as id: UInt64, at now: WallTime) async throws(GatewayError) -> Bool {
    var isNew = true
    _ = try await put(session, as: id, at: now) { known in
      isNew = false
      return known
    }
    return isNew
  }

  /// Restores a session from a key; returns the session that then has the key's number.
  func restore(_ key: SendbirdSessionKey, at now: WallTime) async throws(GatewayError) -> SendbirdSession {
    try await put(key.session, as: key.id, at: now) { known in
      known.generation < key.session.generation ? key.session : known
    }
  }

  /// Stores a session; `known` decides what happens to an existing one with that number.
  private func put(
    _ session: SendbirdSession, as id: UInt64, at now: WallTime, known: (SendbirdSession) -> SendbirdSession
  ) async throws(GatewayError) -> SendbirdSession {
    try await SendbirdAges.makingRoom(in: count) { (givingWay) async throws(StoreOr<GatewayError>) in
      try await store.transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<GatewayError>) -> SendbirdSession in
        let key = Self.key(id, session.user)
        if var row = try await transaction.get(key, as: SendbirdSessionRow.self) {
          let before = row.session
          row.session = known(before)
          if row.session != before { transaction.put(key, row, in: [count]) }
          return row.session
        }
        do throws(StoreError) {
          let own = try await rows(of: session.user, at: now)
          for row in own.prefix(max(0, own.count - Self.sessionsPerUserMax + 1)) {
            transaction.delete(Self.key(row.id, session.user))
            for key in ages.keys(row.number, at: row.storedAt) { transaction.delete(key) }
          }
          // Not checked for conflicts: otherwise concurrent logins would wait for each other.
          for oldest in try await ages.oldest(givingWay, at: now) {
            transaction.delete(ages.key(of: oldest))
            if let id = UInt64(oldest.parts[1]) { transaction.delete(Self.key(id, UserID(oldest.parts[0]))) }
          }
          let number = try await numbers.take(at: now)
          let row = SendbirdSessionRow(id: id, session: session, number: number, storedAt: now)
          transaction.put(key, row, in: [count])
          transaction.put(
            ages.key(number, at: now),
            SendbirdAgeRow(number: number, at: now, parts: [session.user.rawValue, String(id)]))
        } catch {
          throw .store(error)
        }
        return session
      }
    }
  }

  // MARK: Changing

  /// Changes those of the user's sessions that are stored, and returns them in the order of `ids`.
  func update(
    _ ids: [UInt64], of user: UserID, at now: WallTime, _ change: (inout SendbirdSession) -> Void
  ) async throws(GatewayError) -> [SendbirdNumberedSession] {
    do throws(StoreOr<GatewayError>) {
      return try await store.transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<GatewayError>) -> [SendbirdNumberedSession] in
        var changed: [SendbirdNumberedSession] = []
        for entry in try await transaction.read(ids.map { Self.key($0, user) }) {
          guard var row = try transaction.value(entry, as: SendbirdSessionRow.self) else { continue }
          change(&row.session)
          transaction.put(Self.key(row.id, user), row, in: [count])
          changed.append(SendbirdNumberedSession(id: row.id, session: row.session))
        }
        return changed
      }
    } catch {
      throw error.failure
    }
  }
}

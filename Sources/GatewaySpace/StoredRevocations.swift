internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime

/// Revocations and expired tokens in rows of a store, which outlive a restart.
struct StoredRevocations: RevocationKeeper {
  private struct TokenRow: StoreValue {
    var fingerprint: TokenFingerprint
    /// When it may be forgotten.
    var expiresAt: WallTime?
  }

  private struct UserRow: StoreValue {
    var user: UserID
    var issuedBefore: WallTime
    /// The latest revocation that closes sessions; nil if none does.
    var endsBefore: WallTime?
  }

  private struct SessionRow: StoreValue {
    var session: LoginSession
    var issuedBefore: WallTime
    var endsBefore: WallTime?
  }

  private struct EverybodyRow: StoreValue {
    var issuedBefore: WallTime
  }

  /// A row that is written with every other row, so that its version shows whether something is new.
  private struct ChangeRow: StoreValue {}

  private static let change = StoreTable<ChangeRow>("gateway.revoked.change").key()
  private static let tokens = StoreTable<TokenRow>("gateway.revoked.token")
  private static let users = StoreTable<UserRow>("gateway.revoked.user")
  private static let sessions = StoreTable<SessionRow>("gateway.revoked.session")
  private static let everybody = StoreTable<EverybodyRow>("gateway.revoked.everybody")
  private static let expired = StoreTable<TokenRow>("gateway.expired.token")
  private static let rowsOfCommit = 1_000

  private typealias Transaction = StoreTransaction<GatewayError>

  private let store: any Store
  private let countMax: Int

  /// - Parameter countMax: The most single tokens, users, sessions and expired tokens, each.
  init(_ store: any Store, countMax: Int) {
    self.store = store
    self.countMax = countMax
  }

  func keep(
    _ target: Revocations.Target, isEnding: Bool = false, at now: WallTime
  ) async throws(GatewayError) {
    try await write(target, isEnding, at: now)
    guard case .everybody(let before) = target else { return }
    do throws(GatewayError) {
      try await forgetUsers(revokedBefore: before, at: now)
    } catch {
      // They are taken in all the same, and forgotten the next time.
    }
  }

  /// Removes the users that a revocation of everybody covers, so that there is room for others.
  private func forgetUsers(revokedBefore before: WallTime, at now: WallTime) async throws(GatewayError) {
    try await store.visit(Self.users.range(), pageSize: Self.rowsOfCommit, at: now) { (page) throws(GatewayError) in
      let keys = page.map { StoreKey(path: $0.path, type: UserRow.self) }
      try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
        for (key, entry) in zip(keys, try await transaction.read(keys)) {
          guard let row = try transaction.value(entry, as: UserRow.self), row.issuedBefore <= before else { continue }
          transaction.delete(key)
        }
      }
      return true
    }
  }

  private func write(
    _ target: Revocations.Target, _ isEnding: Bool, at now: WallTime
  ) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      switch target {
      case .token(let fingerprint, let expiresAt):
        let key = Self.tokens.key(fingerprint.description)
        var row = TokenRow(fingerprint: fingerprint, expiresAt: expiresAt)
        if let known = try await transaction.get(key, as: TokenRow.self) {
          row.expiresAt = Self.later(known.expiresAt, expiresAt)
        }
        transaction.put(key, row, expires: row.expiresAt, in: [count("gateway.revoked.tokens", "revoked tokens")])
      case .user(let user, let before):
        let key = Self.users.key(user.rawValue)
        let known = try await transaction.get(key, as: UserRow.self)
        let row = UserRow(
          user: user, issuedBefore: max(before, known?.issuedBefore ?? before),
          endsBefore: Self.latest(known?.endsBefore, isEnding ? before : nil))
        transaction.put(key, row, in: [count("gateway.revoked.users", "revoked users")])
      case .session(let session, let before):
        let key = Self.sessions.key(String(session.hash, radix: 16))
        let known = try await transaction.get(key, as: SessionRow.self)
        let row = SessionRow(
          session: session, issuedBefore: max(before, known?.issuedBefore ?? before),
          endsBefore: Self.latest(known?.endsBefore, isEnding ? before : nil))
        let counts = [count("gateway.revoked.sessions", "revoked sessions")]
        transaction.put(key, row, expires: row.issuedBefore + Revocations.sessionMemory, in: counts)
      case .everybody(let before):
        let key = Self.everybody.key()
        let known = try await transaction.get(key, as: EverybodyRow.self)
        transaction.put(key, EverybodyRow(issuedBefore: max(before, known?.issuedBefore ?? before)))
      }
      transaction.put(Self.change, ChangeRow())
    }
  }

  func keep(_ expired: [ExpiredToken], at now: WallTime) async throws(GatewayError) {
    var rows: [TokenFingerprint: TokenRow] = [:]
    for token in expired {
      rows[token.fingerprint] = TokenRow(fingerprint: token.fingerprint, expiresAt: token.expiresAt)
    }
    let counts = [count("gateway.expired.tokens", "expired tokens")]
    var writes = rows.values.map {
      StoreCommit.Write(Self.expired.key($0.fingerprint.description), $0, expires: $0.expiresAt, in: counts)
    }
    while !writes.isEmpty {
      var commit = StoreCommit(writes: Array(writes.suffix(Self.rowsOfCommit)))
      writes.removeLast(commit.writes.count)
      commit.writes.append(StoreCommit.Write(Self.change, ChangeRow()))
      do throws(StoreError) {
        _ = try await store.settle(commit, at: now)
      } catch .full {
        return
      } catch {
        throw GatewayError(error)
      }
    }
  }

  /// Returns the version of everything that is kept: another one after each change.
  func version(at now: WallTime) async throws(GatewayError) -> StoreVersion {
    do throws(StoreError) {
      return try await store.read([Self.change], at: now)[0]?.version ?? .absent
    } catch {
      throw GatewayError(error)
    }
  }

  /// Everything that is kept and still counts.
  func all(at now: WallTime) async throws(GatewayError) -> KeptRevocations {
    var all = KeptRevocations()
    try await visit(at: now) { kept in
      all.targets += kept.targets
      all.ending += kept.ending
      all.expired += kept.expired
    }
    return all
  }

  /// Gives `body` everything that is kept and still counts, in pages, each as it was at another moment.
  func visit(at now: WallTime, _ body: (KeptRevocations) async -> Void) async throws(GatewayError) {
    try await visit(Self.tokens.range(), as: TokenRow.self, at: now) { rows in
      await body(Self.kept(rows.map { .token($0.fingerprint, expiresAt: $0.expiresAt) }))
    }
    try await visit(Self.users.range(), as: UserRow.self, at: now) { rows in
      await body(
        Self.kept(
          rows.map { .user($0.user, issuedBefore: $0.issuedBefore) },
          ending: rows.compactMap { row in row.endsBefore.map { .user(row.user, issuedBefore: $0) } }))
    }
    try await visit(Self.sessions.range(), as: SessionRow.self, at: now) { rows in
      await body(
        Self.kept(
          rows.map { .session($0.session, issuedBefore: $0.issuedBefore) },
          ending: rows.compactMap { row in row.endsBefore.map { .session(row.session, issuedBefore: $0) } }))
    }
    try await visit(Self.everybody.range(), as: EverybodyRow.self, at: now) { rows in
      await body(Self.kept(rows.map { .everybody(issuedBefore: $0.issuedBefore) }))
    }
    try await visit(Self.expired.range(), as: TokenRow.self, at: now) { rows in
      var kept = KeptRevocations()
      kept.expired = rows.map { ExpiredToken($0.fingerprint, expiresAt: $0.expiresAt) }
      await body(kept)
    }
  }

  private static func kept(
    _ targets: [Revocations.Target], ending: [Revocations.Target] = []
  ) -> KeptRevocations {
    var kept = KeptRevocations()
    (kept.targets, kept.ending) = (targets, ending)
    return kept
  }

  private func visit<Row: StoreValue>(
    _ range: StoreRange, as type: Row.Type, at now: WallTime, _ body: ([Row]) async -> Void
  ) async throws(GatewayError) {
    try await store.visit(range, pageSize: Self.rowsOfCommit, at: now) { (page) throws(GatewayError) in
      var rows: [Row] = []
      do throws(StoreError) {
        for entry in page { rows.append(try entry.value(as: type)) }
      } catch {
        throw GatewayError(error)
      }
      await body(rows)
      return true
    }
  }

  /// The later of two ends; nil is the latest.
  private static func later(_ one: WallTime?, _ other: WallTime?) -> WallTime? {
    guard let one, let other else { return nil }
    return max(one, other)
  }

  /// The later of two times; nil is the earliest.
  private static func latest(_ one: WallTime?, _ other: WallTime?) -> WallTime? {
    guard let one, let other else { return one ?? other }
    return max(one, other)
  }

  private func count(_ name: String, _ noun: String) -> StoreCount {
    StoreCount(name, atMost: countMax, of: noun)
  }
}

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
  }

  private struct EverybodyRow: StoreValue {
    var issuedBefore: WallTime
  }

  /// A row that is written anew with every other, so that its version says whether there is something new.
  private struct ChangeRow: StoreValue {}

  private static let change = StoreTable<ChangeRow>("gateway.revoked.change").key()
  private static let tokens = StoreTable<TokenRow>("gateway.revoked.token")
  private static let users = StoreTable<UserRow>("gateway.revoked.user")
  private static let everybody = StoreTable<EverybodyRow>("gateway.revoked.everybody")
  private static let expired = StoreTable<TokenRow>("gateway.expired.token")
  private static let rowsOfCommit = 1_000

  private typealias Transaction = StoreTransaction<GatewayError>

  private let store: any Store
  private let countMax: Int

  /// - Parameter countMax: The most single tokens, users and expired tokens, each.
  init(_ store: any Store, countMax: Int) {
    self.store = store
    self.countMax = countMax
  }

  func keep(_ target: Revocations.Target, at now: WallTime) async throws(GatewayError) {
    try await write(target, at: now)
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

  private func write(_ target: Revocations.Target, at now: WallTime) async throws(GatewayError) {
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
        let row = UserRow(user: user, issuedBefore: max(before, known?.issuedBefore ?? before))
        transaction.put(key, row, in: [count("gateway.revoked.users", "revoked users")])
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
  func all(
    at now: WallTime
  ) async throws(GatewayError) -> (targets: [Revocations.Target], expired: [ExpiredToken]) {
    var all: (targets: [Revocations.Target], expired: [ExpiredToken]) = ([], [])
    try await visit(at: now) { targets, expired in
      all.targets += targets
      all.expired += expired
    }
    return all
  }

  /// Gives `body` everything that is kept and still counts, in pages, each as it was at another moment.
  func visit(
    at now: WallTime, _ body: (_ targets: [Revocations.Target], _ expired: [ExpiredToken]) async -> Void
  ) async throws(GatewayError) {
    try await visit(Self.tokens.range(), as: TokenRow.self, at: now) { rows in
      await body(rows.map { .token($0.fingerprint, expiresAt: $0.expiresAt) }, [])
    }
    try await visit(Self.users.range(), as: UserRow.self, at: now) { rows in
      await body(rows.map { .user($0.user, issuedBefore: $0.issuedBefore) }, [])
    }
    try await visit(Self.everybody.range(), as: EverybodyRow.self, at: now) { rows in
      await body(rows.map { .everybody(issuedBefore: $0.issuedBefore) }, [])
    }
    try await visit(Self.expired.range(), as: TokenRow.self, at: now) { rows in
      await body([], rows.map { ExpiredToken($0.fingerprint, expiresAt: $0.expiresAt) })
    }
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

  /// The later of two ends, of which nil is the latest.
  private static func later(_ one: WallTime?, _ other: WallTime?) -> WallTime? {
    guard let one, let other else { return nil }
    return max(one, other)
  }

  private func count(_ name: String, _ noun: String) -> StoreCount {
    StoreCount(name, atMost: countMax, of: noun)
  }
}

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
      let commit = StoreCommit(writes: Array(writes.suffix(Self.rowsOfCommit)))
      writes.removeLast(commit.writes.count)
      do throws(StoreError) {
        _ = try await store.settle(commit, at: now)
      } catch .full {
        return
      } catch {
        throw GatewayError(error)
      }
    }
  }

  /// Everything that is kept and still counts.
  func all(
    at now: WallTime
  ) async throws(GatewayError) -> (targets: [Revocations.Target], expired: [ExpiredToken]) {
    var targets: [Revocations.Target] = []
    for row in try await rows(Self.tokens.range(), as: TokenRow.self, at: now) {
      targets.append(.token(row.fingerprint, expiresAt: row.expiresAt))
    }
    for row in try await rows(Self.users.range(), as: UserRow.self, at: now) {
      targets.append(.user(row.user, issuedBefore: row.issuedBefore))
    }
    for row in try await rows(Self.everybody.range(), as: EverybodyRow.self, at: now) {
      targets.append(.everybody(issuedBefore: row.issuedBefore))
    }
    let expired = try await rows(Self.expired.range(), as: TokenRow.self, at: now)
    return (targets, expired.map { ExpiredToken($0.fingerprint, expiresAt: $0.expiresAt) })
  }

  private func rows<Row: StoreValue>(
    _ range: StoreRange, as type: Row.Type, at now: WallTime
  ) async throws(GatewayError) -> [Row] {
    do throws(StoreError) {
      var rows: [Row] = []
      for entry in try await store.scan(range, limit: .max, at: now) { rows.append(try entry.value(as: type)) }
      return rows
    } catch {
      throw GatewayError(error)
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

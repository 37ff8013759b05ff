internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

extension SinchDirectory {
  private static let accounts = StoreTable<SinchPasswordRow>("sinch.account")
  private static let strangers = StoreTable<SinchPasswordRow>("sinch.stranger")
  private static let wrongPasswordsMax = 3
  /// The longest time between consecutive wrong passwords.
  private static let rowMemory = Duration.seconds(86_400)

  /// Notes whether a password was right. Returns false if the account is locked; then the answer reveals nothing. The
  /// third consecutive wrong password locks the account for `lock`.
  ///
  /// An account is a user name in all applications: otherwise a client could guess again in each application. `isKnown`
  /// tells whether the account exists: wrong names never displace the lock of an existing account.
  func tryPassword(
    isRight: Bool, of user: UserID, isKnown: Bool, at now: WallTime, lock: Duration
  ) async throws(SinchRefusal) -> Bool {
    let key = isKnown ? Self.accounts.key(user.rawValue) : strangerKey(user)
    do throws(StoreOr<SinchRefusal>) {
      return try await store.transact(at: now) {
        (transaction: inout StoreTransaction<StoreOr<SinchRefusal>>) async throws(StoreOr<SinchRefusal>) -> Bool in
        let found = try await transaction.get(key, as: SinchPasswordRow.self)
        let before = found?.user == user ? found : nil
        if let until = before?.lockedUntil, now < until { return false }
        guard !isRight else {
          if before != nil { transaction.delete(key) }
          return true
        }
        var after = SinchPasswordRow(user: user, wrong: (before?.lockedUntil == nil ? before?.wrong ?? 0 : 0) + 1)
        if after.wrong >= Self.wrongPasswordsMax { after.lockedUntil = now + lock }
        transaction.put(key, after, expires: now + max(lock, Self.rowMemory))
        return true
      }
    } catch {
      throw error.failure
    }
  }

  /// Returns one of the keys that unknown names share; another name with the same key displaces the first. Clients
  /// cannot find out which names share a key.
  private func strangerKey(_ user: UserID) -> StoreKey {
    let secret = withUnsafeBytes(of: seed.littleEndian, Array.init)
    let code = HMACSHA256.code(key: secret, user.rawValue.utf8)
    let number = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Self.strangers.key(String(number % UInt64(limits.passwords)))
  }
}

package import GatewayCore
internal import GatewayKit
internal import GatewayTokens

extension SinchDirectory {
  private static let accounts = StoreTable<SinchPasswordRow>("sinch.account")
  private static let strangers = StoreTable<SinchPasswordRow>("sinch.stranger")
  private static let wrongPasswordsMax = 3
  /// Wrong passwords are in a row if no more than this lies between them.
  private static let rowMemory = Duration.seconds(86_400)

  /// Notes whether a password was right. False if the account is locked: then nobody learns it. The third wrong one in a row
  /// locks the account for `lock`.
  ///
  /// An account is a user name, whatever the application: whoever could choose one would guess anew with each. `isKnown`
  /// says whether there is such an account: no number of wrong names makes the directory forget a lock of one that there is.
  package func tryPassword(
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

  /// A place among those that names share which are no account's: another name in it is forgotten. Nobody outside can say
  /// which names share one.
  private func strangerKey(_ user: UserID) -> StoreKey {
    let secret = withUnsafeBytes(of: seed.littleEndian, Array.init)
    let code = HMACSHA256.code(key: secret, user.rawValue.utf8)
    let number = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Self.strangers.key(String(number % UInt64(limits.passwords)))
  }
}

/// Which tokens are no longer good although they verify: single ones, all of a user, all issued before a time.
///
/// A value: each loop holds its own copy and looks it up without a lock; the gateway tells every loop of a change.
package struct Revocations: Hashable, Sendable {
  /// The most single tokens and the most users remembered; the oldest is forgotten first.
  package static let countMax = 100_000

  private var tokens: [TokenFingerprint: WallTime] = [:]
  private var tokenOrder: [TokenFingerprint] = []
  private var users: [UserID: WallTime] = [:]
  private var userOrder: [UserID] = []
  private var everybody: WallTime?

  package init() {}

  /// Something that can be revoked.
  package enum Target: Hashable, Sendable {
    /// One token, by its fingerprint.
    case token(TokenFingerprint)
    /// Every token of the user issued before the time, or without an issue date.
    case user(UserID, issuedBefore: WallTime)
    /// Every token of the application issued before the time, or without an issue date.
    case everybody(issuedBefore: WallTime)

    /// Whether this takes in a token of `user` with that fingerprint and issue date.
    package func covers(user: UserID, fingerprint: TokenFingerprint, issuedAt: WallTime?) -> Bool {
      switch self {
      case .token(let revoked): revoked == fingerprint
      case .user(let revoked, let before): revoked == user && (issuedAt.map { $0 < before } ?? true)
      case .everybody(let before): issuedAt.map { $0 < before } ?? true
      }
    }
  }

  /// Remembers a revocation made at `now`.
  package mutating func revoke(_ target: Target, at now: WallTime) {
    switch target {
    case .token(let fingerprint):
      if tokens.updateValue(now, forKey: fingerprint) == nil { tokenOrder.append(fingerprint) }
      if tokenOrder.count > Self.countMax { tokens[tokenOrder.removeFirst()] = nil }
    case .user(let user, let before):
      if users.updateValue(max(before, users[user] ?? before), forKey: user) == nil { userOrder.append(user) }
      if userOrder.count > Self.countMax { users[userOrder.removeFirst()] = nil }
    case .everybody(let before):
      everybody = max(before, everybody ?? before)
    }
  }

  /// Whether the token is revoked.
  package func contains(_ token: VerifiedToken) -> Bool {
    if tokens.isEmpty && users.isEmpty && everybody == nil { return false }
    if tokens[token.fingerprint] != nil { return true }
    let targets = [
      users[token.user].map { Target.user(token.user, issuedBefore: $0) },
      everybody.map { Target.everybody(issuedBefore: $0) },
    ]
    return targets.contains {
      $0?.covers(user: token.user, fingerprint: token.fingerprint, issuedAt: token.issuedAt) ?? false
    }
  }
}

/// The list of tokens that are no longer good although they verify: single ones, all of a user, all issued before a
/// time; ann's from before noon, for instance.
///
/// A value: each loop holds its own copy and looks it up without a lock; the gateway tells every loop of a change.
/// Nothing is forgotten while it could still matter: a table that is full takes no more, and whoever asks is told so.
package struct Revocations: Hashable, Sendable {
  /// The most single tokens and the most users that are remembered at a time.
  package let countMax: Int

  /// When each token may be forgotten, since it expires of itself.
  private var tokens: [TokenFingerprint: WallTime] = [:]
  private var users: [UserID: WallTime] = [:]
  private var everybody: WallTime?
  /// No token may be forgotten before this: until then looking for such tokens is in vain.
  private var earliestExpiry = WallTime(nanoseconds: .max)

  package init(countMax: Int = 1_000_000) {
    self.countMax = countMax
  }

  /// A target of a revocation: all of ann's tokens from before noon, for instance.
  package enum Target: Hashable, Sendable {
    /// One token, by its fingerprint. From `expiresAt` on, if that is known, the revocation may be forgotten.
    case token(TokenFingerprint, expiresAt: WallTime? = nil)
    /// Every token of the user issued before the time, or without an issue date.
    case user(UserID, issuedBefore: WallTime)
    /// Every token of the application issued before the time, or without an issue date.
    case everybody(issuedBefore: WallTime)

    /// Whether this takes in a token of `user` with that fingerprint and issue date.
    package func covers(user: UserID, fingerprint: TokenFingerprint, issuedAt: WallTime?) -> Bool {
      switch self {
      case .token(let revoked, _): revoked == fingerprint
      case .user(let revoked, let before): revoked == user && (issuedAt.map { $0 < before } ?? true)
      case .everybody(let before): issuedAt.map { $0 < before } ?? true
      }
    }
  }

  /// How many single tokens are remembered.
  package var tokenCount: Int { tokens.count }

  /// How many users are remembered.
  package var userCount: Int { users.count }

  /// Remembers a revocation made at `now`. False, with nothing changed, if the table is full.
  package mutating func revoke(_ target: Target, at now: WallTime) -> Bool {
    switch target {
    case .token(let fingerprint, let expiresAt):
      let expiry = expiresAt ?? WallTime(nanoseconds: .max)
      if let known = tokens[fingerprint] {
        tokens[fingerprint] = max(known, expiry)
        return true
      }
      if tokens.count >= countMax { forgetExpired(at: now) }
      guard tokens.count < countMax else { return false }
      tokens[fingerprint] = expiry
      earliestExpiry = min(earliestExpiry, expiry)
    case .user(let user, let before):
      guard users.count < countMax || users[user] != nil else { return false }
      users[user] = max(before, users[user] ?? before)
    case .everybody(let before):
      let latest = max(before, everybody ?? before)
      everybody = latest
      // That takes these in: there is room for others.
      users = users.filter { $0.value > latest }
    }
    return true
  }

  private mutating func forgetExpired(at now: WallTime) {
    guard earliestExpiry <= now else { return }
    tokens = tokens.filter { $0.value > now }
    earliestExpiry = tokens.values.min() ?? WallTime(nanoseconds: .max)
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

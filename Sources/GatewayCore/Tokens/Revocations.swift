/// The list of tokens that are revoked although they verify. It names single tokens, all of a user or of a session at the
/// login, and all issued before a time.
///
/// A value: each loop holds its own copy and reads it without a lock, and the gateway sends every change to every loop.
/// No revocation is dropped while it can still matter: a full table rejects further ones, and the caller is told.
package struct Revocations: Hashable, Sendable {
  /// The largest number of single tokens, of users, and of sessions, that are stored at a time.
  package let countMax: Int

  /// The time from which each token's revocation may be dropped, since the token has expired.
  private var tokens: [TokenFingerprint: WallTime] = [:]
  private var users: [UserID: WallTime] = [:]
  private var sessions: [LoginSession: WallTime] = [:]
  private var everybody: WallTime?
  /// The earliest time at which a token's revocation may be dropped; a search for such tokens before it finds none.
  private var earliestExpiry = WallTime(nanoseconds: .max)

  package init(countMax: Int = 1_000_000) {
    self.countMax = countMax
  }

  /// The tokens that a revocation covers.
  package enum Target: Hashable, Sendable {
    /// One token, by its fingerprint. If `expiresAt` is known, the revocation may be dropped from then on.
    case token(TokenFingerprint, expiresAt: WallTime? = nil)
    /// Every token of the user issued before the time, or without an issue date.
    case user(UserID, issuedBefore: WallTime)
    /// Every token of the session at the login issued before the time, or without an issue date. It may be dropped
    /// ``Revocations/sessionMemory`` later.
    case session(LoginSession, issuedBefore: WallTime)
    /// Every token of the application issued before the time, or without an issue date.
    case everybody(issuedBefore: WallTime)

    /// Returns whether the target covers a token of `user` with that fingerprint, session and issue date.
    package func covers(
      user: UserID, fingerprint: TokenFingerprint, session: LoginSession?, issuedAt: WallTime?
    ) -> Bool {
      switch self {
      case .token(let revoked, _): revoked == fingerprint
      case .user(let revoked, let before): revoked == user && (issuedAt.map { $0 < before } ?? true)
      case .session(let revoked, let before): revoked == session && (issuedAt.map { $0 < before } ?? true)
      case .everybody(let before): issuedAt.map { $0 < before } ?? true
      }
    }
  }

  /// How long the revocation of a session is kept: a token of it should not live longer.
  package static let sessionMemory = Duration.seconds(30 * 86_400)

  /// The number of single tokens stored.
  package var tokenCount: Int { tokens.count }

  /// The number of users stored.
  package var userCount: Int { users.count }

  /// The number of sessions stored.
  package var sessionCount: Int { sessions.count }

  /// Stores a revocation made at `now`. Returns false, with nothing changed, if the table is full.
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
    case .session(let session, let before):
      if sessions.count >= countMax, sessions[session] == nil {
        sessions = sessions.filter { $0.value + Self.sessionMemory > now }
      }
      guard sessions.count < countMax || sessions[session] != nil else { return false }
      sessions[session] = max(before, sessions[session] ?? before)
    case .everybody(let before):
      let latest = max(before, everybody ?? before)
      everybody = latest
      // The revocation for everybody covers these entries, so their room is freed.
      users = users.filter { $0.value > latest }
      sessions = sessions.filter { $0.value > latest }
    }
    return true
  }

  private mutating func forgetExpired(at now: WallTime) {
    guard earliestExpiry <= now else { return }
    tokens = tokens.filter { $0.value > now }
    earliestExpiry = tokens.values.min() ?? WallTime(nanoseconds: .max)
  }

  /// Whether nothing is revoked.
  package var isEmpty: Bool { tokens.isEmpty && users.isEmpty && sessions.isEmpty && everybody == nil }

  /// Returns whether the token is revoked.
  package func contains(_ token: VerifiedToken) -> Bool {
    covers(user: token.user, fingerprint: token.fingerprint, session: token.session, issuedAt: token.issuedAt)
  }

  /// Returns whether a token of `user` with that fingerprint, session and issue date is revoked.
  package func covers(
    user: UserID, fingerprint: TokenFingerprint, session: LoginSession?, issuedAt: WallTime?
  ) -> Bool {
    if isEmpty { return false }
    if tokens[fingerprint] != nil { return true }
    let targets = [
      users[user].map { Target.user(user, issuedBefore: $0) },
      session.flatMap { session in sessions[session].map { Target.session(session, issuedBefore: $0) } },
      everybody.map { Target.everybody(issuedBefore: $0) },
    ]
    return targets.contains {
      $0?.covers(user: user, fingerprint: fingerprint, session: session, issuedAt: issuedAt) ?? false
    }
  }

  /// Returns whether every token that the target covers is revoked already.
  package func covers(_ target: Target) -> Bool {
    switch target {
    case .token(let fingerprint, _): tokens[fingerprint] != nil
    case .user(let user, let before): [users[user], everybody].contains { $0.map { before <= $0 } ?? false }
    case .session(let session, let before):
      [sessions[session], everybody].contains { $0.map { before <= $0 } ?? false }
    case .everybody(let before): everybody.map { before <= $0 } ?? false
    }
  }
}

internal import GatewayCore
internal import GatewayTokens

// Which token admits which user.

extension SendbirdSessions {
  /// Returns the user that `token` admits, creating them if the settings allow that.
  ///
  /// - Parameter request: The purpose of a request over HTTP; nil for a token from a socket.
  func admit(
    _ name: UserID, _ token: SendbirdPresentedToken, for request: SendbirdTokenRequest?, from address: String,
    at now: WallTime
  ) async throws(GatewayError) -> (SendbirdUser, SendbirdAcceptedToken, UserKind) {
    let known = try await directory.user(name, at: now)
    if let known, !known.isActive { throw .userDeactivated }
    switch token {
    case .bad(let error):
      throw error
    case .none:
      return try await admitByName(name, known, from: address, at: now)
    case .access(let presented):
      guard let known else {
        // Unity retries without a pause on every code except that of an invalid token.
        throw try await directory.wasDeleted(name, at: now) ? .userUnknown : .tokenUnknown
      }
      guard let own = known.accessToken,
        ConstantTime.areEqual(Array(own.token.utf8), Array(presented.token.utf8))
      else { throw .tokenUnknown }
      let accepted = SendbirdAcceptedToken(form: .opaque, fingerprint: TokenFingerprint(of: own.token))
      try await checkGood(accepted, of: name, for: request)
      return (known, accepted, .regular)
    case .session(let token, let fingerprint):
      guard token.userNumber == SendbirdSessionToken.number(of: name) else { throw .userMismatch }
      guard token.expiresAt > now else { throw .tokenExpired }
      let user = try await userOfSessionToken(name, known, at: now)
      guard !SendbirdSessionToken.isVoid(issuedAt: token.issuedAt, for: user) else { throw .tokenRevoked }
      let accepted = SendbirdAcceptedToken(
        form: .jwt, fingerprint: fingerprint, issuedAt: token.issuedAt, expiresAt: token.expiresAt)
      try await checkGood(accepted, of: name, for: request)
      return (user, accepted, .regular)
    }
  }

  /// Throws if the token was revoked, expired by an operator or refused by a fault, before it changes anything.
  private func checkGood(
    _ token: SendbirdAcceptedToken, of user: UserID, for request: SendbirdTokenRequest?
  ) async throws(GatewayError) {
    let verified = VerifiedToken(
      user: user, kind: .regular, fingerprint: token.fingerprint, issuedAt: token.issuedAt,
      expiresAt: token.expiresAt, form: token.form)
    let refusal =
      if let request {
        await services.refusal(of: verified, shownTo: SendbirdWire.name, isRefresh: request == .refresh)
      } else {
        await services.refusal(of: verified)
      }
    if let refusal { throw refusal }
  }

  /// Admits a user by name alone. Once any token was issued, a token is required.
  private func admitByName(
    _ name: UserID, _ known: SendbirdUser?, from address: String, at now: WallTime
  ) async throws(GatewayError) -> (SendbirdUser, SendbirdAcceptedToken, UserKind) {
    guard settings.usersWithoutToken != .refuse, known?.hasBeenIssuedToken != true else { throw .tokenUnknown }
    let user: SendbirdUser
    if let known {
      user = known
    } else {
      try countNewUser(from: address, at: now)
      user = try await makeUser(name, hasToken: false, at: now)
      // Another login with a token may have come first.
      guard !user.hasBeenIssuedToken else { throw .tokenUnknown }
    }
    let accepted = SendbirdAcceptedToken(form: .none, fingerprint: TokenFingerprint(of: name.rawValue))
    return (user, accepted, settings.usersWithoutToken == .readOnly ? .guest : .regular)
  }

  /// Returns the user of a session token. Such a token can be issued without the gateway, for a user it does not know
  /// yet; a deleted user is refused.
  private func userOfSessionToken(
    _ name: UserID, _ known: SendbirdUser?, at now: WallTime
  ) async throws(GatewayError) -> SendbirdUser {
    if let known { return known }
    guard settings.usersWithoutToken == .full, try await !directory.wasDeleted(name, at: now) else {
      throw .userUnknown
    }
    return try await makeUser(name, hasToken: true, at: now)
  }
}

/// The purpose of a token over HTTP: a first session key, or the next one.
enum SendbirdTokenRequest: Hashable, Sendable {
  case login, refresh
}

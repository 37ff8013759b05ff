internal import GatewayCore
internal import GatewayTokens

// Which token lets which user in.

extension SendbirdSessions {
  /// The user whom `token` lets in, made if the settings have users made on connect.
  ///
  /// - Parameter request: What a request over HTTP wants by it; nil for a token that came by a socket.
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
        // Unity tries again without a pause at every code but that of a bad token.
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

  /// Throws if the token was revoked, an operator let it expire, or a fault refuses it: before anything is changed by it.
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

  /// Once any token was issued, one is always needed.
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
      // Somebody may have been faster, with a token.
      guard !user.hasBeenIssuedToken else { throw .tokenUnknown }
    }
    let accepted = SendbirdAcceptedToken(form: .none, fingerprint: TokenFingerprint(of: name.rawValue))
    return (user, accepted, settings.usersWithoutToken == .readOnly ? .guest : .regular)
  }

  /// A token can be minted without asking the gateway, for a user it has never heard of; one who was deleted is another
  /// matter.
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

/// A request over HTTP that shows a token: for a first session key, or for the next.
enum SendbirdTokenRequest: Hashable, Sendable {
  case login, refresh
}

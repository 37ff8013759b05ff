internal import GatewayCore
internal import GatewayTokens

/// An authenticator of Sendbird's credentials. It checks the token alone on the caller's loop, and the rest with the
/// sessions.
struct SendbirdAuthenticator: Authenticator {
  private let sessions: SendbirdSessions
  private let verifier: JWTVerifier

  init(sessions: SendbirdSessions, verifier: JWTVerifier) {
    self.sessions = sessions
    self.verifier = verifier
  }

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    let token = SendbirdPresentedToken(credentials.token, verifier: verifier, at: now)
    if let user = bearer.user { return refresh(user, token, credentials, bearer, at: now) }
    let upgrade = bearer.upgrade?.unpacked(SendbirdUpgrade.self)
    let login = SendbirdLogin(
      user: upgrade?.userID.map { UserID($0) }, token: token,
      key: credentials.details?.unpacked(SendbirdDetails.self)?.key, applicationID: upgrade?.applicationID,
      isExpiring: upgrade?.isExpiring ?? false, address: upgrade?.peer ?? "", connection: bearer.connection)
    return .pending { [sessions] in await sessions.logIn(login, at: now) }
  }

  private func refresh(
    _ user: UserID, _ token: SendbirdPresentedToken, _ credentials: Credentials, _ bearer: Bearer, at now: WallTime
  ) -> Judgement {
    // A token that is invalid in itself is refused on the client's own loop.
    if case .bad(let error) = token { return .decided(.failure(error)) }
    let isExpiring = credentials.details?.unpacked(SendbirdDetails.self)?.isExpiring
    let peer = bearer.upgrade?.unpacked(SendbirdUpgrade.self)?.peer
    return .pending { [sessions] in
      await sessions.refresh(
        user, token, isExpiring: isExpiring, on: bearer.connection, from: peer ?? "", at: now)
    }
  }
}

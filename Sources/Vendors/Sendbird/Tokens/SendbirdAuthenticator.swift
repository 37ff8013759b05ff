package import GatewayCore
package import GatewayTokens

/// Judges Sendbird's credentials: what a token says by itself on the caller's loop, all else by asking the sessions.
package struct SendbirdAuthenticator: Authenticator {
  private let sessions: SendbirdSessions
  private let verifier: JWTVerifier

  package init(sessions: SendbirdSessions, verifier: JWTVerifier) {
    self.sessions = sessions
    self.verifier = verifier
  }

  package func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    let token = SendbirdPresentedToken(credentials.token, verifier: verifier, at: now)
    if let user = bearer.user { return refresh(user, token, credentials, bearer, at: now) }
    let login = SendbirdLogin(
      user: bearer.detail("user_id").map { UserID($0) }, token: token, key: credentials.detail("key"),
      applicationID: bearer.detail("ai"), isExpiring: bearer.detail("expiring_session") == "1",
      address: bearer.detail("peer") ?? "", connection: bearer.connection)
    return .pending { [sessions] in await sessions.logIn(login, at: now) }
  }

  private func refresh(
    _ user: UserID, _ token: SendbirdPresentedToken, _ credentials: Credentials, _ bearer: Bearer, at now: WallTime
  ) -> Judgement {
    // A token that is bad by itself costs nobody but its presenter's loop.
    if case .bad(let error) = token { return .decided(.failure(error)) }
    let isExpiring = credentials.detail("expiring_session").map { $0 == "1" }
    return .pending { [sessions] in
      await sessions.refresh(
        user, token, isExpiring: isExpiring, on: bearer.connection, from: bearer.detail("peer") ?? "", at: now)
    }
  }
}
